// A file that is there for as long as somebody works on it, for its owner only.

import Foundation

enum TemporaryFile {
  /// An empty file, which the caller removes.
  static func make() throws -> URL {
    let url = FileManager.default.temporaryDirectory.appending(
      path: "brume-\(UUID().uuidString)")
    guard
      FileManager.default.createFile(
        atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600])
    else { throw CommandFailure("'\(url.path)' cannot be written; set TMPDIR to another folder") }
    return url
  }

  static func remove(_ url: URL) { try? FileManager.default.removeItem(at: url) }
}
