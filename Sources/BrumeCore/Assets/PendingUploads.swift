// What a user uploads before any save holds it. It counts against the bounds and the owner's quota from
// the first byte: room is reserved for what is on its way, so that many uploads at once get no further
// than one after the other.

import BrumeModel
import BrumeStorage

/// A user's uploads that no save has used yet. One small value; it forgets what the sweeper removes.
struct PendingUploads {
  private struct Entry {
    let id: String
    var bytes: Int64
    let began: Milliseconds
  }
  /// Ours: no upload has more. As many as a row can hold of them are no overflow.
  private static let mostBytes: Int64 = 1 << 42
  private let key: SettingKey
  private var entries: [Entry] = []

  init(
    of user: UserID, now: Milliseconds, lifetime: Milliseconds,
    from settings: any SettingReading
  ) throws {
    key = .pendingUploads(user)
    var unpacker = Unpacker(try settings.value(key) ?? [])
    while let id = unpacker.text(), let bytes = unpacker.number(), let began = unpacker.number() {
      // Times and sizes that nobody wrote like this are of a damaged row.
      if began > now - lifetime, (0...Self.mostBytes).contains(bytes) {
        entries.append(Entry(id: id, bytes: bytes, began: began))
      }
    }
  }

  var bytes: Int64 { entries.reduce(0) { $0 + $1.bytes } }

  /// Reserves room for an upload that begins.
  ///
  /// - Parameters:
  ///   - announced: its bytes, if they are known.
  ///   - quota: what the owner's quota leaves; nil without one.
  /// - Returns: how large it may become.
  mutating func reserve(
    _ id: String, announced: Int64?, quota: Int64?, began: Milliseconds, _ limits: Limits
  ) throws(BrumeError) -> Int64 {
    let left = min(limits.pendingUploadBytesPerUser, quota ?? .max) - bytes
    let room = min(limits.assetBytes, left)
    guard entries.count < limits.pendingUploadsPerUser, room > 0, (announced ?? 0) <= room else {
      throw Self.full
    }
    entries.append(Entry(id: id, bytes: announced ?? room, began: began))
    return room
  }

  /// Reserves a place for a file that the store has already: it needs no bytes of its own.
  mutating func reserveCopy(
    _ id: String, began: Milliseconds, _ limits: Limits
  ) throws(BrumeError) {
    guard entries.count < limits.pendingUploadsPerUser else { throw Self.full }
    entries.append(Entry(id: id, bytes: 0, began: began))
  }

  mutating func arrived(_ id: String, bytes: Int64) {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { return }
    entries[index].bytes = bytes
  }

  mutating func remove(_ id: String) { entries.removeAll { $0.id == id } }

  private func keep(in settings: any SettingWriting) throws {
    var packer = Packer()
    for entry in entries {
      packer.add(entry.id)
      packer.add(entry.bytes)
      packer.add(entry.began)
    }
    // No row stays of a user who was deleted meanwhile.
    try settings.set(key, to: entries.isEmpty ? nil : packer.bytes)
  }

  static let full = BrumeError(
    .quotaExceeded,
    "there is no room for this upload: files that no record holds yet count against the storage too; "
      + "save their records, wait until unused uploads expire, or delete records")

  /// Changes what is known of a user's pending uploads.
  static func change<Value>(
    of user: UserID, now: Milliseconds, _ limits: Limits, in settings: any SettingWriting,
    _ change: (inout PendingUploads) throws -> Value
  ) throws -> Value {
    var pending = try PendingUploads(
      of: user, now: now, lifetime: limits.assetReceiptLifetime, from: settings)
    let value = try change(&pending)
    try pending.keep(in: settings)
    return value
  }
}
