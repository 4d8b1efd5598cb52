// The port's part for records and queries.

package import BrumeModel

package protocol RecordReading {
  func record(_ key: RecordKey) throws -> StoredRecord?
  /// What is still known of a record that was deleted last; nil if it is there or never was.
  func deletedRecord(_ key: RecordKey) throws -> DeletedRecord?
  /// Names of records whose parent is `key`, in name order, at most `limit`.
  func children(of key: RecordKey, limit: Int) throws -> [String]
  /// Names of records in the same zone with a field that refers to `key` by `action`, in name
  /// order, at most `limit`.
  func referrers(to key: RecordKey, by action: Reference.Action, limit: Int) throws -> [String]
  /// One page of a query, from indexes.
  func matching(_ request: EngineQuery) throws -> EngineQueryPage
  /// Records and deletions of a zone with a sequence in (`after`, `through`], each name once in its
  /// newest state, in sequence order or from the highest down, at most `limit`.
  func changes(
    in zone: ZoneKey, after: Int64, through: Int64, limit: Int, newestFirst: Bool
  ) throws -> [ZoneChange]
}

extension RecordReading {
  /// The same, in sequence order.
  package func changes(
    in zone: ZoneKey, after: Int64, through: Int64, limit: Int
  ) throws -> [ZoneChange] {
    try changes(in: zone, after: after, through: through, limit: limit, newestFirst: false)
  }
}

package protocol RecordWriting {
  /// The next sequence of the database. Taken under the database's lock, so commit order is
  /// sequence order.
  func nextSequence(in database: DatabaseKey) throws -> Int64
  /// Inserts or replaces. `record.changeTag` must already be the tag of `sequence`.
  @discardableResult
  func put(_ record: Record, in zone: ZoneKey, sequence: Int64) throws -> StoredRecord
  /// Deletes, leaving a line for the change feed.
  func remove(_ key: RecordKey, type: String, sequence: Int64) throws
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

/// A query as an engine gets it: names checked, values coerced, access decided.
package struct EngineQuery: Sendable {
  package let database: DatabaseKey
  /// Nil: every zone of the database.
  package let zone: String?
  package let query: Query
  package let after: QueryPosition?
  package let limit: Int
  /// Without sorting: stop after looking at this many candidates and answer with a position to go on
  /// from, perhaps with fewer records than `limit`. Which records are candidates is the engine's
  /// affair; all pages together are the same on every engine. A sorted query looks at every match.
  package let candidateLimit: Int
  /// Which fields a filter without a field (`self CONTAINS 'word'`) looks at.
  package let searchable: @Sendable (String) -> Bool

  package init(
    database: DatabaseKey, zone: String?, query: Query, after: QueryPosition?, limit: Int,
    candidateLimit: Int, searchable: @escaping @Sendable (String) -> Bool = { _ in true }
  ) {
    self.database = database
    self.zone = zone
    self.query = query
    self.after = after
    self.limit = limit
    self.candidateLimit = candidateLimit
    self.searchable = searchable
  }
}

/// Where a page ended. Without sorting, pages continue by key (zone, then record name); with it they
/// continue by offset, as CloudKit's cursors do (framework semantics 7).
package struct QueryPosition: Equatable, Sendable {
  package let offset: Int
  package let zone: String
  package let name: String
  package init(offset: Int, zone: String, name: String) {
    self.offset = offset
    self.zone = zone
    self.name = name
  }
}

package struct EngineQueryPage: Sendable {
  package let records: [StoredRecord]
  /// Nil when there is nothing more.
  package let next: QueryPosition?
  package init(records: [StoredRecord], next: QueryPosition?) {
    self.records = records
    self.next = next
  }
}
