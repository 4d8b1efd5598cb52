// Queries in PostgreSQL: the rows from which `QueryRun` answers them, and where a query looks.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage

final class PostgresQueries: QueryReading {
  private let session: Session
  private let coder: RecordCoder
  private let places: Places
  private let indexes: Indexes
  private let tuning: QueryTuning

  init(
    _ session: Session, _ coder: RecordCoder, _ places: Places, _ indexes: Indexes,
    _ tuning: QueryTuning
  ) {
    self.session = session
    self.coder = coder
    self.places = places
    self.indexes = indexes
    self.tuning = tuning
  }

  func matching(_ request: EngineQuery) throws -> EngineQueryPage {
    let zones = try searchedZones(request)
    if zones.count > 1 {
      let types = zones.map { RecordTypeRowKey(zone: $0.number, type: request.query.recordType) }
      try indexes[request.database].keys.load(types)
    }
    return try QueryRun(request, rows(request.database), tuning).page(of: zones)
  }

  func rows(_ database: DatabaseKey) -> EngineRows {
    let bucket = places.bucketValue(of: database)
    return EngineRows(
      index: IndexRows(session: session, coder: coder, bucket: bucket),
      records: QueriedRecords(
        rows: RecordRows(session, coder),
        named: NamedRecords(session: session, coder: coder, bucket: bucket), bucket: bucket),
      keys: indexes[database].fields)
  }

  private func searchedZones(_ request: EngineQuery) throws -> [SearchedZone] {
    if let name = request.zone {
      let number = try places.number(of: ZoneKey(database: request.database, name: name))
      return number.map { [SearchedZone(number: $0, name: name)] } ?? []
    }
    guard let database = try places.number(of: request.database) else { return [] }
    return try session.all(Self.allZones, places.values(database, in: request.database)) {
      SearchedZone(number: $0.integer(0), name: $0.text(1))
    }
  }

  private static let allZones = SQL(
    """
    SELECT id, name FROM zones
    WHERE bucket = $1 AND database = $2 AND deletion IS NULL ORDER BY name
    """)
}

/// Records that queries look at beyond those that rows of the index brought along.
private struct QueriedRecords: RecordRowReading {
  /// Ours: records that one exchange brings, or fewer (`NamedRecords.pageBytes`).
  private static let pageSize = 256

  let rows: RecordRows
  let named: NamedRecords
  let bucket: SQLValue

  func stored(_ row: RecordRow, in zone: Int64) throws -> StoredRecord? {
    try rows.row([bucket, .integer(zone)], row.name).live
  }

  func stored(
    _ rows: [RecordRow], in zone: Int64, bytes: Int
  ) throws -> [StoredRecord?] {
    let found = try find(rows.map(\.name), zone, bytes)
    return rows.prefix(found.names).map { found.records[ByteText($0.name)] }
  }

  func each(
    named names: [String], in zone: Int64, _ visit: (RecordRow) throws -> Bool
  ) throws {
    var (left, size) = (names[...], Self.pageSize)
    while !left.isEmpty {
      let page = Array(left.prefix(size))
      let found = try find(page, zone, NamedRecords.pageBytes)
      left = left.dropFirst(found.names)
      size = NamedRecords.nextSize(found.names, most: Self.pageSize)
      for name in page.prefix(found.names) {
        let row = RecordRow(name: name, row: nil, stored: found.records[ByteText(name)])
        if try !visit(row) { return }
      }
    }
  }

  private func find(
    _ names: [String], _ zone: Int64, _ bytes: Int
  ) throws -> (records: [ByteText: StoredRecord], names: Int) {
    let found = try named.first(of: names, zone: { $0.add(.integer(zone)) }, bytes: bytes)
    let records = found.records.map { (ByteText($0.name), $0) }
    return (Dictionary(records) { first, _ in first }, found.names)
  }
}
