// What the query index stores and grows from in a bucket.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage

/// Rows of the index as they are written.
struct IndexRowWriter: IndexRowStoring {
  let session: Session
  let bucket: SQLValue

  func insert(_ row: IndexRow) throws { session.put(values(row), in: Self.table) }
  func remove(_ row: IndexRow) throws { session.remove(values(row), from: Self.table) }
  func removeRows(ofZone zone: Int64) throws {
    session.run(Self.removeAll, [bucket, .integer(zone)])
  }

  private func values(_ row: IndexRow) -> [SQLValue] {
    [bucket, .integer(row.key), .bytes(row.value.orderedBytes), .text(row.name)]
  }

  /// Ours: a text has thousands of rows; until all are made the server would hear nothing, and end the session.
  private static let earlyRows = 2000
  private static let table = Table(
    "query_index",
    key: [("bucket", .integer), ("key", .integer), ("value", .bytes), ("name", .text)], columns: [],
    earlyRows: earlyRows)
  private static let removeAll = SQL(
    """
    DELETE FROM query_index WHERE bucket = $1
      AND key IN (SELECT id FROM index_keys WHERE bucket = $1 AND zone = $2)
    """)
}

/// The records from which an index grows.
struct IndexBuildRows: IndexBuildReading {
  let session: Session
  let bucket: SQLValue
  let coder: RecordCoder

  func database(ofZone zone: Int64) throws -> DatabaseKey? {
    try session.first(Self.findDatabase, [bucket, .integer(zone)]) { try $0.database(0) }
  }

  func records(
    of type: RecordTypeRowKey, afterName name: String, limit: Int
  ) throws -> [FoundRecord] {
    try found(Self.byName, type, .text(name), limit)
  }

  func records(
    of type: RecordTypeRowKey, afterSequence sequence: Int64, limit: Int
  ) throws -> [FoundRecord] {
    try found(Self.bySequence, type, .integer(sequence), limit)
  }

  private func found(
    _ sql: SQL, _ type: RecordTypeRowKey, _ after: SQLValue, _ limit: Int
  ) throws -> [FoundRecord] {
    let values = [bucket, .integer(type.zone), .text(type.type), after, .integer(limit)]
    return try session.all(sql, values) { row in
      let columns = RecordColumns(
        row, from: 1, name: row.text(0), in: [bucket, .integer(type.zone)], session.damaged)
      // Of a damaged record only the name is taken, and no value: it comes into no index.
      let record =
        columns.isWhole
        ? try coder.decode(columns.content ?? [])
        : Record(name: columns.name, zone: ZoneID(name: ""), type: type.type, changeTag: "")
      return FoundRecord(row: 0, record: record, sequence: columns.sequence)
    }
  }

  private static let findDatabase = SQL(
    """
    SELECT container, environment, owner FROM zones
      JOIN databases ON databases.bucket = zones.bucket AND databases.id = zones.database
    WHERE zones.bucket = $1 AND zones.id = $2
    """)
  private static let byName = SQL(
    """
    SELECT name, \(RecordColumns.names) FROM records
    WHERE bucket = $1 AND zone = $2 AND type = $3 AND name > $4 ORDER BY name LIMIT $5
    """)
  private static let bySequence = SQL(
    """
    SELECT name, \(RecordColumns.names) FROM records
    WHERE bucket + 0 = $1 AND zone + 0 = $2 AND type = $3 AND sequence > $4 ORDER BY sequence LIMIT $5
    """)
}
