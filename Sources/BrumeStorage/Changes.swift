// The port's part for the change feed of a zone.

package import BrumeModel

/// What is damaged is a change with an unreadable record, at its place. Every call throws what
/// ``ReadTransaction`` says.
package protocol ChangeReading: AnyObject {
  /// Records and deletions of a zone with a sequence in (`after`, `through`], each name once in its
  /// newest state, in sequence order or from the highest down, at most `limit`; none after the one
  /// with which they have `byteLimit` bytes.
  func page(
    in zone: ZoneKey, after: Int64, through: Int64, limit: Int, byteLimit: Int, newestFirst: Bool
  ) throws -> [StoredChange]
  /// The deletions among them, in sequence order, at most `limit`. Damaged ones are left out.
  func deletions(
    in zone: ZoneKey, after: Int64, through: Int64, limit: Int
  ) throws -> [StoredDeletion]
}

extension ChangeReading {
  /// The same, however many bytes they have.
  package func page(
    in zone: ZoneKey, after: Int64, through: Int64, limit: Int, newestFirst: Bool = false
  ) throws -> [StoredChange] {
    try page(
      in: zone, after: after, through: through, limit: limit, byteLimit: .max,
      newestFirst: newestFirst)
  }

  /// A page of a zone behind a position, oldest first, and whether nothing comes after it.
  package func page(
    in zone: ZoneKey, after: Int64, limit: Int, byteLimit: Int
  ) throws -> (changes: [StoredChange], isLast: Bool) {
    let changes = try page(
      in: zone, after: after, through: .max, limit: limit, byteLimit: byteLimit, newestFirst: false)
    return (changes, changes.isLast(limit: limit, byteLimit: byteLimit))
  }
}

/// One line of a zone's change feed, as engines keep it.
package enum StoredChange: Sendable {
  case changed(StoredRecord)
  case deleted(StoredDeletion)

  /// The place in the order of the database's changes.
  package var sequence: Int64 {
    switch self {
    case .changed(let stored): stored.sequence
    case .deleted(let deletion): deletion.sequence
    }
  }

  /// How many bytes the change takes in an answer, or nearly; what has no content counts as none.
  package var byteCount: Int { if case .changed(let stored) = self { stored.byteCount } else { 0 } }

  /// Whether it is a record that cannot be read.
  fileprivate var isDamaged: Bool {
    if case .changed(let stored) = self { stored.isUnreadable } else { false }
  }
}

extension [StoredChange] {
  /// Their bytes.
  package var byteCount: Int { reduce(0) { $0 + $1.byteCount } }

  /// Whether a page of at most so many changes and bytes has all there were. An engine may have ended it at a damaged
  /// record, which has bytes for the engine and none here.
  package func isLast(limit: Int, byteLimit: Int) -> Bool {
    count < limit && byteCount < byteLimit && !contains { $0.isDamaged }
  }
}

/// What a change feed remembers of a deleted record.
package struct StoredDeletion: Equatable, Sendable {
  package let name: String
  package let type: String
  /// Names of the shares that covered it, so that participants get the deletions that concern them and
  /// no others.
  package let coveringShares: [String]
  /// That of the deletion.
  package let sequence: Int64
  package init(name: String, type: String, coveringShares: [String], sequence: Int64) {
    self.name = name
    self.type = type
    self.coveringShares = coveringShares
    self.sequence = sequence
  }
}
