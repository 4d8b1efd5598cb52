// Files of pages and programs that stand in the binary, so that a server needs no folder of them. Their bytes are in
// BrumeConsole; who serves which is in the routes.

/// A file inside the binary.
enum EmbeddedFile {
  static func bytes(_ file: (UnsafeMutablePointer<Int>) -> UnsafePointer<UInt8>) -> [UInt8] {
    var length = 0
    let start = file(&length)
    return Array(UnsafeBufferPointer(start: start, count: length))
  }
}
