// The file of a backup that a command is given.

import BrumeServer

extension DiskFile {
  /// Refuses what cannot be a backup, before anything else is done.
  static func requireBackup(_ path: String) throws {
    guard exists(path) else {
      throw StatusFailure(.noInput, "there is no file '\(path)'")
    }
    guard !isFolder(path) else {
      throw StatusFailure(.noInput, "'\(path)' is a folder; name a file of 'brume backup'")
    }
    do { _ = try reading(path) } catch {
      throw StatusFailure(.noInput, "\(error); check its owner and rights")
    }
  }
}
