// A file that a command is given to read as a whole.

import BrumeServer
import BrumeStorage

enum GivenFile {
  /// - Parameter what: what the file is of, as in "the key file".
  /// - Throws: `CommandFailure` with the reason why it cannot be read.
  static func content(of path: String, _ what: String) throws(CommandFailure) -> [UInt8] {
    guard let content = DataFolder.read(path) else {
      throw CommandFailure(
        "\(what) '\(path)' cannot be read (\(SystemError.reason())); check its path", .noInput)
    }
    return content
  }
}
