// Copies of a store are made on the disk that its saves need. They end before it is full, or all saves would fail with them.

import BrumeStorage

/// What of the disk is left to saves.
enum DiskReserve {
  /// Ours: bytes.
  static let bytes: Int64 = 64 << 20
  /// Ours: so many bytes are written before the room is looked at again.
  static let step: Int64 = 16 << 20

  /// - Parameter room: bytes that are free; nil if nobody knows.
  /// - Throws: `StoreError` for a full disk, if the copy that is under way would take what saves need.
  static func require(_ room: Int64?) throws(StoreError) {
    guard let room, room < bytes else { return }
    throw StoreError(
      .noRoom,
      "the disk has \(room >> 20) MB left, and \(bytes >> 20) MB are kept for saves; make room")
  }
}
