// What the system said of the last call that failed.

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

enum SystemError {
  /// Such as "No such file or directory". Asked for at once, before another call.
  static func reason(_ number: Int32 = errno) -> String { String(cString: strerror(number)) }
}
