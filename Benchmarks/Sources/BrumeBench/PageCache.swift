// What of a data folder the system has in memory: all of it, or nothing.

import Foundation

#if canImport(Glibc)
  import Glibc
#endif

enum PageCache {
  /// Reads the files from beginning to end.
  static func fill(_ folder: String) throws {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    try eachFile(folder) { file in
      while read(file, &buffer, buffer.count) > 0 {}
    }
  }

  /// Drops the files, after what the disk does not have yet was written: only that can be dropped.
  static func drop(_ folder: String) throws {
    #if os(Linux)
      try eachFile(folder) { file in
        fsync(file)
        let status = posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
        guard status == 0 else { throw BenchError("posix_fadvise ended with \(status)") }
      }
    #else
      throw NotMeasured("files can be dropped from the page cache on Linux only")
    #endif
  }

  private static func eachFile(_ folder: String, _ body: (Int32) throws -> Void) throws {
    for name in ["brume.sqlite", "brume.sqlite-wal"] {
      let file = open(folder + "/" + name, O_RDONLY)
      guard file >= 0 else { throw BenchError("cannot open \(folder)/\(name)") }
      defer { close(file) }
      try body(file)
    }
  }
}
