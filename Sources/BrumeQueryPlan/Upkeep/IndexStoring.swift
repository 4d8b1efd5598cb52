// What an engine stores of the query index. With these few statements the rules of this folder keep the
// index: what they are for is said there, and an engine decides nothing.

package import BrumeModel

/// Stores which fields the index holds, and under which keys.
///
/// Every call throws what the engine throws: `StoreError`, `CancellationError`.
package protocol IndexKeyStoring: IndexKeyReading {
  /// A field that nobody has asked for before: nothing is in the index yet, so `builtTo` is empty.
  func add(_ part: IndexPart) throws
  /// `WantedField.builtTo`
  func setBuilt(_ part: IndexPart, to name: String?) throws
  /// `WantedField.behind`
  func setBehind(_ part: IndexPart, _ sequence: Int64?) throws
  /// `WantedField.isStarted`, from now on.
  func start(_ part: IndexPart) throws

  /// A new key of a field, which is not cut. Answers its number.
  func addKey(_ kind: IndexKind, of part: IndexPart, isSparse: Bool) throws -> Int64
  /// `IndexKey.isCut`, from now on.
  func markCut(key: Int64) throws
  /// `IndexKey.isSparse`, from now on.
  func markSparse(key: Int64) throws

  /// The next type after `last`, by zone and then by name, with a field that is built to some name; or
  /// behind, unless `leavesBehind`. Nil for `last` begins with the first.
  func unfinishedType(
    after last: RecordTypeRowKey?, leavesBehind: Bool
  ) throws -> RecordTypeRowKey?
  /// How many fields, of whatever type, are built to some name or behind.
  func countUnfinished() throws -> Int

  /// Forgets the fields and keys of a zone that has no rows.
  func removeKeys(ofZone zone: Int64) throws
  /// Forgets the fields of a zone, and leaves the keys.
  func removeFields(ofZone zone: Int64) throws
}

extension IndexKeyStoring {
  /// For an engine that takes the rows of a zone away at once.
  package func removeFields(ofZone zone: Int64) throws {}

  /// For an engine that builds nothing beside the queries that ask for it.
  package func unfinishedType(
    after last: RecordTypeRowKey?, leavesBehind: Bool
  ) throws -> RecordTypeRowKey? { nil }
}

/// Stores the rows of the index.
///
/// Every call throws what the engine throws: `StoreError`, `CancellationError`.
package protocol IndexRowStoring {
  /// Adds a row, unless it is there.
  func insert(_ row: IndexRow) throws
  /// Adds rows, which are nearly in the order of the index.
  func insert(_ rows: [IndexRow]) throws
  /// Removes the row with this key, value and name, if it is there.
  func remove(_ row: IndexRow) throws
  /// Removes what is under the keys of a zone.
  func removeRows(ofZone zone: Int64) throws
}

extension IndexRowStoring {
  /// One by one.
  package func insert(_ rows: [IndexRow]) throws {
    for row in rows { try insert(row) }
  }
}

/// A record that is to be taken into the index.
package struct FoundRecord: Sendable {
  /// The engine's number of the record.
  package let row: Int64
  package let record: Record
  package let sequence: Int64

  package init(row: Int64, record: Record, sequence: Int64) {
    self.row = row
    self.record = record
    self.sequence = sequence
  }
}

/// Finds the records from which an index is built.
///
/// Every call throws what the engine throws: `StoreError`, `CancellationError`.
package protocol IndexBuildReading {
  /// The database that has the zone of this number.
  func database(ofZone zone: Int64) throws -> DatabaseKey?
  /// Records of a type by the bytes of their names, those after `name`.
  func records(
    of type: RecordTypeRowKey, afterName name: String, limit: Int
  ) throws -> [FoundRecord]
  /// Records of a type by their sequences, those after `sequence`.
  func records(
    of type: RecordTypeRowKey, afterSequence sequence: Int64, limit: Int
  ) throws -> [FoundRecord]
}
