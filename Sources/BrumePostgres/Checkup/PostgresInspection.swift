// The inspection reads every record and every entry of the log, and says what does not fit its checksum. It changes
// nothing; servers may run. What the database server itself checks of its pages is a matter of its `data_checksums`.

import BrumeModel
package import BrumeStorage

/// Inspects one database.
package struct PostgresInspection {
  /// Ours: rows that one exchange brings.
  private static let page = 500

  private let session: Session
  private let coders: StoreCoders

  /// - Throws: `StoreError` if there is no connection.
  package init(url: String, coders: StoreCoders) throws {
    self.coders = coders
    session = try translatingErrors { Session(try Connection(ConnectionSettings(url))) }
  }

  /// All that is found.
  ///
  /// - Throws: `StoreError` if the database does not answer.
  package func run() throws -> StoreInspection {
    var result = StoreInspection()
    do {
      try readRecords(&result)
      try readLog(&result)
    } catch let error as ServerError where error.lacksTables {
      throw StoreError(
        .unavailable,
        "the database lacks tables of this version; start its server once, which makes them")
    } catch let error as ServerError {
      throw error.storeError
    }
    return result
  }

  /// Files that have a row, after a checksum, in the order of checksums.
  ///
  /// - Throws: `StoreError` if the database does not answer.
  package func files(after checksum: String, limit: Int) throws -> [AssetFile] {
    try session.all(Self.files, [.text(checksum), .integer(limit)]) {
      AssetFile(
        checksum: $0.text(0), object: $0.text(1), size: $0.integer(2), digest: $0.bytes(3),
        idleSince: nil)
    }
  }

  // MARK: Rows

  private func readRecords(_ result: inout StoreInspection) throws {
    var (rows, unsummed) = (0, 0)
    var after: [SQLValue] = [.integer(Int64.min), .integer(Int64.min), .text("")]
    while true {
      let page = try session.rows(Self.records, after + [.integer(Self.page)])
      for row in page.map({ $0 }) {
        let zone = [SQLValue.integer(row.integer(0)), .integer(row.integer(1))]
        let columns = RecordColumns(row, from: 3, name: row.text(2), in: zone, session.damaged)
        rows += 1
        if row.optionalInteger(10) == nil { unsummed += 1 }
        let place = "'\(columns.name)' in zone number \(row.integer(1))"
        if let finding = finding(columns) { result.found("records: \(place) \(finding)") }
        after = zone + [.text(columns.name)]
      }
      if page.count < Self.page { break }
    }
    result.read("records", rows: rows, unsummed: unsummed)
  }

  private func finding(_ columns: RecordColumns) -> String? {
    guard columns.isWhole else { return "does not fit its checksum" }
    guard let content = columns.content else { return nil }
    guard let record = try? coders.record.decode(content) else { return "cannot be read" }
    return record.name == columns.name && record.type == columns.type
      ? nil : "says another name or type than its row"
  }

  private func readLog(_ result: inout StoreInspection) throws {
    var (rows, unsummed) = (0, 0)
    var after: [SQLValue] = [.integer(Int64.min), .integer(Int64.min)]
    while true {
      let page = try session.rows(Self.log, after + [.integer(Self.page)])
      for row in page.map({ $0 }) {
        rows += 1
        if row.optionalInteger(21) == nil { unsummed += 1 }
        if !row.isWholeEntry {
          result.found(
            "log: position \(row.integer(0)) of bucket \(row.integer(18)) does not fit its checksum"
          )
        }
        after = [.integer(row.integer(18)), .integer(row.integer(0))]
      }
      if page.count < Self.page { break }
    }
    result.read("log", rows: rows, unsummed: unsummed)
  }

  private static let files = SQL(
    """
    SELECT checksum, object, size, digest FROM asset_files WHERE checksum > $1
    ORDER BY checksum LIMIT $2
    """)
  private static let records = SQL(
    """
    SELECT bucket, zone, name, \(RecordColumns.names) FROM records
    WHERE (bucket, zone, name) > ($1, $2, $3) ORDER BY bucket, zone, name LIMIT $4
    """)
  /// With the columns where `Row.isWholeEntry` looks for them.
  private static let log = SQL(
    """
    SELECT position, NULL::text, NULL::text, NULL::text, kind, name, type, subject, sequence, image,
      shares, "user", device, request, time, container, environment, NULL::text, bucket, database, zone,
      checksum
    FROM log WHERE (bucket, position) > ($1, $2) ORDER BY bucket, position LIMIT $3
    """)
}
