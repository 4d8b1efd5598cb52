// What the system said of the last call that failed.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The system's words for a failure.
package enum SystemError {
  /// Such as "No such file or directory". Asked for at once, before another call.
  package static func reason(_ number: Int32 = errno) -> String {
    String(cString: strerror(number))
  }
}
