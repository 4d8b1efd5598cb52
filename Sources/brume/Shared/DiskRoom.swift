// Whether the disk of a data folder takes anything more. A server whose disk is full answers what it has and refuses what
// is new, so it looks well to whoever only reads.

import BrumeServer

enum DiskRoom {
  /// Free bytes below which a save may be the last one.
  private static let least: Int64 = 20_000_000

  /// What is wrong, and what to do; nil if there is room, or nobody knows.
  static func concern(of folder: String) -> String? {
    DataFolder.room(at: folder).flatMap { concern($0, of: folder) }
  }

  /// - Parameter room: the bytes that are free.
  static func concern(_ room: Int64, of folder: String) -> String? {
    guard room < least else { return nil }
    let left = TerminalProgress.bytes(room)
    return "no room: the disk of '\(folder)' has \(left) left, and a server refuses saves without; "
      + "make some"
  }
}
