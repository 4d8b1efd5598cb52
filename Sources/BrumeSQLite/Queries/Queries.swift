// Queries in SQLite: carries out what `BrumeQueryPlan` decided. Without sorting, a page goes on in key
// order from where the last one ended; with it, see `SortedSearch.swift`. The memory engine is what
// both are tested against.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage

/// How the queries of a transaction are answered.
struct QueryHabits {
  /// Ours: below this many, candidates of a sorted query are fetched and sorted; above, the sort's
  /// index is walked.
  var fewCandidates = 1000
  /// Whether a query that misses an index throws `IndexWanted` instead of doing without.
  var asksForIndex = false
}

final class SQLiteQueries: QueryReading {
  private let connection: Connection
  private let numbers: DatabaseNumbers
  private let fields: FieldIndexes
  private let records: RecordRows
  private let rows: IndexRows
  private let habits: QueryHabits

  init(
    _ connection: Connection, _ coder: RecordCoder, _ numbers: DatabaseNumbers,
    _ fields: FieldIndexes, _ habits: QueryHabits
  ) {
    self.connection = connection
    self.numbers = numbers
    self.fields = fields
    self.habits = habits
    records = RecordRows(connection, coder)
    rows = IndexRows(connection)
  }

  func matching(_ request: EngineQuery) throws -> EngineQueryPage {
    let request = request.withVisibility
    let zones = try searchedZones(request)
    try requireIndex(request, zones)
    let candidates = Candidates(request: request, records: records, rows: rows)
    if request.query.sorts.isEmpty { return try page(byKey: request, zones, candidates) }
    return try SortedSearch(request, fields, candidates, few: habits.fewCandidates).page(of: zones)
  }

  /// Asks for the index that the query needs, if this read may ask.
  private func requireIndex(_ request: EngineQuery, _ zones: [SearchedZone]) throws {
    guard habits.asksForIndex else { return }
    var wanted = IndexWanted(for: request)
    for zone in zones {
      let keys = try fields.keys(of: RecordTypeRowKey(zone: zone.number, type: wanted.type))
      wanted.look(at: keys, inZone: zone.number)
    }
    if !wanted.fields.isEmpty { throw wanted }
  }

  /// The query in one zone. Nil: nothing there can match.
  func resolve(_ request: EngineQuery, in zone: Int64) throws -> ZoneQuery? {
    try fields.query(request, in: zone)
  }

  func plan(_ query: ZoneQuery) throws -> ZonePlan {
    try query.plan(many: habits.fewCandidates) { try rows.count($0, limit: $1) }
  }

  /// One page in key order. Stops at the first match beyond the page, or when it has looked at
  /// enough candidates.
  private func page(
    byKey request: EngineQuery, _ zones: [SearchedZone], _ candidates: Candidates
  ) throws -> EngineQueryPage {
    var page = KeyPage(request)
    for zone in request.remaining(zones) {
      guard let query = try resolve(request, in: zone.number) else { continue }
      let plan = try plan(query)
      let (after, limit) = (request.start(in: zone), page.rowLimit(plan))
      try candidates.each(plan, after: after, limit: limit) { row in
        if plan.mayHide, try !candidates.isVisible(row, plan) { return true }
        return page.look(at: row.name, in: zone) ? try page.add(candidates.match(row, plan)) : false
      }
      if page.next != nil { break }
    }
    return EngineQueryPage(records: page.records, next: page.next)
  }

  // MARK: Zones

  private func searchedZones(_ request: EngineQuery) throws -> [SearchedZone] {
    if let name = request.zone {
      let number = try numbers.number(of: ZoneKey(database: request.database, name: name))
      return number.map { [SearchedZone(number: $0, name: name)] } ?? []
    }
    guard let database = try numbers.number(of: request.database) else { return [] }
    return try connection.all(Self.allZones, { $0.bind(1, database) }) {
      SearchedZone(number: $0.int(0), name: $0.text(1))
    }
  }

  private static let allZones = SQL("SELECT id, name FROM zones WHERE database = ?1 ORDER BY name")
}
