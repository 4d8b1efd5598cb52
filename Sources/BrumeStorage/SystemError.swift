// What the system said of the last call that failed.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The system's words for a failure, and what it means.
package enum SystemError {
  /// Such as "No such file or directory". Asked for at once, before another call.
  package static func reason(_ number: Int32 = errno) -> String {
    let words = String(cString: strerror(number))
    return number == EFBIG ? "\(words); look at the limit for sizes of files, 'ulimit -f'" : words
  }

  /// Whether a file could not grow, for what passes: the disk is full, its user has no more of it, or no file may be
  /// as large. Asked for at once, before another call.
  package static func isLackOfRoom(_ number: Int32 = errno) -> Bool {
    [ENOSPC, EDQUOT, EFBIG].contains(number)
  }
}
