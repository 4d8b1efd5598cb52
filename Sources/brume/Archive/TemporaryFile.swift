// A file for content on its way. It has no name, so it goes with the process, however that ends.

import BrumeStorage
import Foundation

enum TemporaryFile {
  private static var folder: String { FileManager.default.temporaryDirectory.path }

  /// An empty file for its owner only, which is gone when the handle is.
  static func open() throws -> FileHandle {
    var name = Array("\(folder)/brume-XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else { throw failure(SystemError.reason(), .cannotCreate) }
    unlink(name)
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  static func failure(_ reason: String, _ status: ExitStatus = .disk) -> CommandFailure {
    CommandFailure(
      "no file can be kept in '\(folder)' (\(reason)); make room, or set TMPDIR to another folder",
      status)
  }
}
