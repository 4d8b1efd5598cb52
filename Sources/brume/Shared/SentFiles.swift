// Files that an import has sent and that no record holds yet. A server keeps some hundreds for each user, for an hour.
// Those of a refused record are used again when the record is tried again, and take up room until then.

import BrumeModel

struct SentFiles {
  /// Ours: a server keeps 400 of a user. The user's devices send some too.
  static let most = 300
  /// Ours: their bytes; a server keeps 4 GB.
  static let mostBytes: Int64 = 3 << 30
  /// Ours: how long they are used again; the rest of the hour is for the request that they go with.
  static let lifetime = Duration.seconds(40 * 60)
  static let full = BrumeError(
    .quotaExceeded,
    "its files were not sent: too many of refused records wait at the server; put those right first"
  )

  /// What a file was sent for.
  struct Place: Hashable {
    let record: RecordID
    let field: String
    /// In a list of files.
    var position = 0
  }
  private struct Sent {
    let original: Asset
    let asset: Asset
    let time: ContinuousClock.Instant
  }
  private var files: [RecordID: [Place: Sent]] = [:]

  /// What a save takes for a file that was sent already; nil: it was not, or too long ago.
  func asset(at place: Place, of original: Asset) -> Asset? {
    guard let sent = files[place.record]?[place],
      sent.original.fileChecksum == original.fileChecksum, sent.original.size == original.size
    else { return nil }
    return sent.asset
  }

  /// A file was sent.
  ///
  /// - Parameter original: what the record holds where it comes from.
  mutating func add(
    _ asset: Asset, at place: Place, of original: Asset, now: ContinuousClock.Instant
  ) {
    files[place.record, default: [:]][place] = Sent(original: original, asset: asset, time: now)
  }

  /// The record holds its files now.
  mutating func forget(_ record: RecordID) { files[record] = nil }

  mutating func forgetOld(now: ContinuousClock.Instant) {
    files = files.mapValues { $0.filter { now - $0.value.time < Self.lifetime } }
      .filter { !$0.value.isEmpty }
  }

  /// Whether the files of a record may be sent, as far as they are not there.
  func hasRoom(for record: Record) -> Bool {
    let all = record.files
    let sent = files[record.id]?.count ?? 0
    return all.count <= sent || hasRoom(for: all.count - sent, bytes: Self.bytes(of: all))
  }

  /// Whether one more file may be sent.
  func hasRoom(for asset: Asset) -> Bool { hasRoom(for: 1, bytes: Self.bytes(of: [asset])) }

  /// If nothing waits, there is room for any.
  private func hasRoom(for count: Int, bytes: Int64) -> Bool {
    let sent = files.values.flatMap(\.values).map(\.asset)
    guard !sent.isEmpty else { return true }
    return sent.count + count <= Self.most && bytes + Self.bytes(of: sent) <= Self.mostBytes
  }

  /// A size that only its source says is no overflow.
  private static func bytes(of files: [Asset]) -> Int64 {
    files.reduce(0) { $0 + min($1.size, mostBytes) }
  }
}

extension Record {
  /// Without the owner, who is another at each end.
  var id: RecordID { RecordID(name: name, zone: ZoneID(name: zone.name)) }
}
