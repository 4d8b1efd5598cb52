// The port's part for records.

package import BrumeModel

/// A damaged record is one whose content is `unreadable`. Every call throws what ``ReadTransaction`` says.
package protocol RecordReading: AnyObject {
  /// The record with this key; nil if there is none, or it was deleted.
  func find(_ key: RecordKey) throws -> StoredRecord?
  /// What is still known of a record that was deleted last; nil if it is there or never was.
  ///
  /// - Throws: also the `BrumeError` for damage, if the row cannot be read.
  func deleted(_ key: RecordKey) throws -> DeletedRecord?
  /// Names of records whose parent is `key`, in name order, at most `limit`.
  func children(of key: RecordKey, limit: Int) throws -> [String]
  /// Names of all records below those of `roots` by parent, each once, in no order, at most `limit`.
  func descendants(of roots: [String], in zone: ZoneKey, limit: Int) throws -> [String]
  /// How many levels of records are below `key` by parent, and how many records these are; at most `levels` and `limit`
  /// are counted.
  func depth(
    below key: RecordKey, levels: Int, limit: Int
  ) throws -> (levels: Int, records: Int)
  /// Names of records in the same zone with a field that refers to `key` by `action`, in name
  /// order, at most `limit`.
  func referrers(to key: RecordKey, by action: Reference.Action, limit: Int) throws -> [String]
}

/// Every call throws what ``WriteTransaction`` says; the write's scope has the database.
package protocol RecordWriting: RecordReading {
  /// Inserts or replaces. `record.changeTag` must already be the tag of `sequence`.
  @discardableResult
  func put(_ record: Record, in zone: ZoneKey, sequence: Int64) throws -> StoredRecord
  /// Deletes, leaving a line for the change feed: the type of the record, and the names of the shares
  /// that covered it.
  func remove(_ key: RecordKey, type: String, coveringShares: [String], sequence: Int64) throws
  /// Deletes every record of the zone and every deletion line, without writing new lines: the zone's
  /// own row says what happened. The caller then puts the zone with its `deletion`.
  func removeAll(in zone: ZoneKey) throws
  /// Removes so many rows at most of what queries find the records of a deleted zone by; none of its fields is searched
  /// from then on. Answers how many; nil: there are more.
  func removeIndex(of zone: ZoneKey, limit: Int) throws -> Int?
  /// Drops the deletion lines of these names whose sequence is at most `sequence`: it is as if the records had
  /// never been. Answers how many there were.
  func forgetDeletions(
    of names: [String], in zone: ZoneKey, through sequence: Int64
  ) throws -> Int
  /// Takes over what an earlier read has found of records, each once: those that are still the same need not be read again
  /// in this body. Answers whether all are.
  func takeOver(_ found: [StoredRecord], in zone: ZoneKey) throws -> Bool
}

extension RecordWriting {
  /// For a store that takes them away with each record, or has none.
  package func removeIndex(of zone: ZoneKey, limit: Int) throws -> Int? { 0 }

  /// For a store that has its records at hand.
  package func takeOver(_ found: [StoredRecord], in zone: ZoneKey) throws -> Bool {
    try found.allSatisfy {
      try find(RecordKey(zone: zone, name: $0.name))?.sequence == $0.sequence
    }
  }

  /// The same for a record that no share covered.
  package func remove(_ key: RecordKey, type: String, sequence: Int64) throws {
    try remove(key, type: type, coveringShares: [], sequence: sequence)
  }
}

/// What stays of a deleted record.
package struct DeletedRecord: Equatable, Sendable {
  package let type: String
  /// Who made it, kept in the public database, where rights depend on it.
  package let creator: UserID?
  /// The shares that covered it.
  package let coveringShares: [String]
  package init(type: String, creator: UserID?, coveringShares: [String] = []) {
    self.type = type
    self.creator = creator
    self.coveringShares = coveringShares
  }
}
