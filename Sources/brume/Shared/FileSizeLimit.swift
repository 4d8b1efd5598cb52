// The limit that a process may have for sizes of files (ulimit -f). The system ends whoever reaches it, unless he takes its
// signal: then a write beyond it fails like one on a full disk.

import Logging

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

enum FileSizeLimit {
  /// A write beyond the limit ends nothing from now on. A program that is executed does not inherit that, as it would if the
  /// signal were ignored.
  static func endNothing() { signal(SIGXFSZ) { _ in } }

  /// What a server cannot do if the limit is low; nil: there is none.
  static var warning: Logger.Message? {
    var limit = rlimit()
    #if canImport(Darwin)
      let isKnown = getrlimit(RLIMIT_FSIZE, &limit) == 0
    #else
      let isKnown = getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0
    #endif
    guard isKnown, limit.rlim_cur <= rlim_t(Int64.max / 2) else { return nil }
    return
      "no file may be larger than \(limit.rlim_cur) bytes ('ulimit -f'): from there on saves are refused, as on a full disk"
  }
}
