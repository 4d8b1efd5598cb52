// Queries in SQLite: the rows from which `QueryRun` answers them, and where a query looks.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage

final class SQLiteQueries: QueryReading {
  private let connection: Connection
  private let numbers: DatabaseNumbers
  let rows: EngineRows
  private let tuning: QueryTuning

  init(
    _ connection: Connection, _ coder: RecordCoder, _ numbers: DatabaseNumbers,
    _ fields: FieldIndexes, _ tuning: QueryTuning
  ) {
    self.connection = connection
    self.numbers = numbers
    self.tuning = tuning
    rows = EngineRows(
      index: IndexRows(connection), records: RecordRows(connection, coder), keys: fields)
  }

  func matching(_ request: EngineQuery) throws -> EngineQueryPage {
    try run(request).page(of: searchedZones(request))
  }

  func run(_ request: EngineQuery) -> QueryRun { QueryRun(request, rows, tuning) }

  // MARK: Zones

  private func searchedZones(_ request: EngineQuery) throws -> [SearchedZone] {
    if let name = request.zone {
      let number = try numbers.number(of: ZoneKey(database: request.database, name: name))
      return number.map { [SearchedZone(number: $0, name: name)] } ?? []
    }
    guard let database = try numbers.number(of: request.database) else { return [] }
    return try connection.all(Self.allZones, { $0.bind(1, database) }) { row in
      try connection.requireWhole(row, .zones, at: 2, "a zone of the database")
      return SearchedZone(number: row.int(0), name: row.text(1))
    }
  }

  private static let allZones = SQL(
    """
    SELECT id, name, \(SummedTable.zones.damage) FROM zones
    WHERE database = ?1 AND deletion IS NULL ORDER BY name
    """)
}
