// The port's part for records and queries.

package import BrumeModel

package protocol RecordReading {
  func record(_ key: RecordKey) throws -> StoredRecord?
  /// What is still known of a record that was deleted last; nil if it is there or never was.
  func deletedRecord(_ key: RecordKey) throws -> DeletedRecord?
  /// Names of records whose parent is `key`, in name order, at most `limit`.
  func children(of key: RecordKey, limit: Int) throws -> [String]
  /// Names of all records below those of `roots` by parent, each once, in no order, at most `limit`.
  func descendants(of roots: [String], in zone: ZoneKey, limit: Int) throws -> [String]
  /// Names of records in the same zone with a field that refers to `key` by `action`, in name
  /// order, at most `limit`.
  func referrers(to key: RecordKey, by action: Reference.Action, limit: Int) throws -> [String]
  /// One page of a query, from indexes.
  func matching(_ request: EngineQuery) throws -> EngineQueryPage
  /// Records and deletions of a zone with a sequence in (`after`, `through`], each name once in its
  /// newest state, in sequence order or from the highest down, at most `limit`; none after the one
  /// with which they have `byteLimit` bytes.
  func changes(
    in zone: ZoneKey, after: Int64, through: Int64, limit: Int, byteLimit: Int, newestFirst: Bool
  ) throws -> [StoredChange]
}

extension RecordReading {
  /// The same, however many bytes they have.
  package func changes(
    in zone: ZoneKey, after: Int64, through: Int64, limit: Int, newestFirst: Bool = false
  ) throws -> [StoredChange] {
    try changes(
      in: zone, after: after, through: through, limit: limit, byteLimit: .max,
      newestFirst: newestFirst)
  }
}

package protocol RecordWriting {
  /// The next sequence of the database. Taken under the database's lock, so commit order is
  /// sequence order.
  func nextSequence(in database: DatabaseKey) throws -> Int64
  /// From now on every sequence that is given, in whichever database, is above `floor`.
  func raiseSequences(above floor: Int64) throws
  /// Inserts or replaces. `record.changeTag` must already be the tag of `sequence`.
  @discardableResult
  func put(_ record: Record, in zone: ZoneKey, sequence: Int64) throws -> StoredRecord
  /// Deletes, leaving a line for the change feed: the type of the record, and the names of the shares
  /// that covered it.
  func remove(_ key: RecordKey, type: String, coveringShares: [String], sequence: Int64) throws
}

extension RecordWriting {
  /// The same for a record that no share covered.
  package func remove(_ key: RecordKey, type: String, sequence: Int64) throws {
    try remove(key, type: type, coveringShares: [], sequence: sequence)
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
}

/// What a change feed remembers of a deleted record.
package struct StoredDeletion: Equatable, Sendable {
  package let name: String
  package let type: String
  /// Names of the shares that covered it, so that participants get the deletions that concern them and
  /// no others.
  package let coveringShares: [String]
  package let sequence: Int64
  package init(name: String, type: String, coveringShares: [String], sequence: Int64) {
    self.name = name
    self.type = type
    self.coveringShares = coveringShares
    self.sequence = sequence
  }
}

/// What stays of a deleted record.
package struct DeletedRecord: Equatable, Sendable {
  package let type: String
  /// Who made it, kept in the public database, where rights depend on it.
  package let creator: UserID?
  package init(type: String, creator: UserID?) {
    self.type = type
    self.creator = creator
  }
}
