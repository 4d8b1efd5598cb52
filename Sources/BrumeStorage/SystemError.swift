// What the system said of the last call that failed.

#if canImport(Darwin)
  package import Darwin
#elseif canImport(Glibc)
  package import Glibc
#elseif canImport(Musl)
  package import Musl
#endif

/// The system's words for a failure.
package enum SystemError {
  /// Such as "No such file or directory". Asked for at once, before another call.
  package static func reason(_ number: Int32 = errno) -> String {
    String(cString: strerror(number))
  }
}
