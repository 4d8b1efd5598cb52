// How much zones hold, for operators. Nothing is counted while users write: whoever asks, counts, and what was
// counted is remembered until the zone changes. One question counts only so many records.

import BrumeModel
import BrumeStorage
import Synchronization

/// What was counted, by zone. One for each server.
final class KnownSizes: Sendable {
  struct Entry: Sendable {
    /// As of this change of the zone.
    let sequence: Int64
    let size: StoredSize
  }
  private let entries = Mutex<[ZoneKey: Entry]>([:])

  var all: [ZoneKey: Entry] { entries.withLock { $0 } }

  /// - Parameter most: zones that are remembered; beyond it all others are forgotten.
  func note(_ counted: [ZoneKey: Entry], most: Int) {
    entries.withLock { entries in
      if entries.count + counted.count > most { entries = [:] }
      entries.merge(counted) { $1 }
    }
  }
}

/// One count: what is known, and how many records may still be looked at.
struct SizeCount {
  /// Ours: bytes that take as long to look at as a record.
  private static let bytesAsOne = 16 << 10
  private let known: [ZoneKey: KnownSizes.Entry]
  private var left: Int
  private(set) var counted: [ZoneKey: KnownSizes.Entry] = [:]

  init(_ known: [ZoneKey: KnownSizes.Entry], atMost limit: Int) {
    self.known = known
    left = limit
  }

  /// What a zone holds.
  mutating func size(of zone: Zone, in transaction: any ReadTransaction) throws -> StoredSize {
    if let entry = known[zone.key], entry.sequence == zone.lastSequence { return entry.size }
    let size = try count(zone, in: transaction)
    if size.isWhole {
      counted[zone.key] = KnownSizes.Entry(sequence: zone.lastSequence, size: size)
    }
    return size
  }

  /// What a database holds. The quota's count says the bytes of one that is too large to be looked through.
  mutating func size(
    of database: DatabaseKey, in transaction: any ReadTransaction
  ) throws -> StoredSize {
    var sum = StoredSize()
    for zone in try transaction.zones.all(in: database) {
      sum += try size(of: zone, in: transaction)
    }
    if !sum.isWhole, let bytes = try StoredBytes.known(of: database, in: transaction) {
      sum.bytes = bytes
    }
    return sum
  }

  private mutating func count(
    _ zone: Zone, in transaction: any ReadTransaction
  ) throws -> StoredSize {
    var (size, after) = (StoredSize(), Int64(0))
    while left > 0 {
      let (page, isLast) = try transaction.changes.page(
        in: zone.key, after: after, limit: min(left, StoredBytes.page.records),
        byteLimit: StoredBytes.page.bytes)
      left -= max(1, page.count, page.byteCount / Self.bytesAsOne)
      for case .changed(let stored) in page {
        size.records += 1
        // A damaged one is there, and nobody knows how large it was.
        if !stored.isUnreadable { size.bytes += try stored.record().quotaBytes }
      }
      guard let last = page.last, !isLast else { return size }
      after = last.sequence
    }
    size.isWhole = false
    return size
  }
}
