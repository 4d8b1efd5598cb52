// Queries in SQLite: carries out what `BrumeQueryPlan` decided. Without sorting, a page goes on in key
// order from where the last one ended; with it, see `SortedQueries.swift`. The memory engine is what
// both are tested against.

import BrumeModel
import BrumePredicate
import BrumeQueryPlan
import BrumeStorage

extension SQLiteTransaction {
  func matching(_ request: EngineQuery) throws -> EngineQueryPage {
    let request = request.withVisibility
    let zones = try searchedZones(request)
    try requireIndex(request, zones)
    return try request.query.sorts.isEmpty
      ? page(byKey: request, zones) : page(bySort: request, zones)
  }

  /// The query in one zone. Nil: nothing there can match.
  func resolve(_ request: EngineQuery, in zone: Int64) throws -> ZoneQuery? {
    let keys = try typeKeys(RecordTypeRowKey(zone: zone, type: request.query.recordType))
    return ZoneQuery(request, inZone: zone, keys)
  }

  func plan(_ query: ZoneQuery) throws -> ZonePlan {
    try query.plan(many: fewCandidates) { try countRows($0, limit: $1) }
  }

  /// One page in key order. Stops at the first match beyond the page, or when it has looked at
  /// enough candidates.
  private func page(byKey request: EngineQuery, _ zones: [SearchedZone]) throws -> EngineQueryPage {
    var page = KeyPage(request)
    for zone in request.remaining(zones) {
      guard let query = try resolve(request, in: zone.number) else { continue }
      let plan = try plan(query)
      let (after, limit) = (request.start(in: zone), page.rowLimit(plan))
      try eachCandidate(plan, after: after, limit: limit) { row in
        if plan.mayHide, try !isVisible(row, plan, request) { return true }
        return page.look(at: row.name, in: zone) ? try page.add(match(row, plan, request)) : false
      }
      if page.next != nil { break }
    }
    return EngineQueryPage(records: page.records, next: page.next)
  }

  /// Candidates in name order until `visit` answers false.
  func eachCandidate(
    _ plan: ZonePlan, after: String?, limit: Int?, _ visit: (RecordRow) throws -> Bool
  ) throws {
    switch plan.source {
    case .type:
      try eachRow(
        ofType: plan.recordType, in: plan.zone, after: after, limit: limit, visit)
    case .index(let rows):
      try eachRow(rows, after: after, limit: limit, visit)
    case .names(let names):
      for name in names where after.map({ ByteText($0) < ByteText(name) }) ?? true {
        if try !visit(RecordRow(name: name, row: nil)) { return }
      }
    }
  }

  /// Whether the record is there for whoever asks. Those that are not count for nothing.
  private func isVisible(
    _ row: RecordRow, _ plan: ZonePlan, _ request: EngineQuery
  ) throws -> Bool {
    try Task.checkCancellation()
    guard let stored = try storedRecord(row, in: plan.zone) else { return false }
    return request.visible.contains(try stored.record())
  }

  /// The candidate if it is a match. Ends the query when nobody waits for it any more.
  func match(
    _ row: RecordRow, _ plan: ZonePlan, _ request: EngineQuery
  ) throws -> StoredRecord? {
    try Task.checkCancellation()
    for probe in plan.probes {
      if try !holds(probe, for: row.name) { return nil }
    }
    let stored = try storedRecord(row, in: plan.zone)
    guard let stored, stored.type == plan.recordType else { return nil }
    if plan.residual.isEmpty { return stored }
    let record = try stored.record()
    return plan.judge.match(record, searchable: request.searchable) ? stored : nil
  }
}

// MARK: Zones

extension SQLiteTransaction {
  private func searchedZones(_ request: EngineQuery) throws -> [SearchedZone] {
    if let name = request.zone {
      let number = try number(of: ZoneKey(database: request.database, name: name))
      return number.map { [SearchedZone(number: $0, name: name)] } ?? []
    }
    guard let database = try number(of: request.database) else { return [] }
    return try connection.all(Self.allZones, { $0.bind(1, database) }) {
      SearchedZone(number: $0.int(0), name: $0.text(1))
    }
  }

  private static let allZones = SQL("SELECT id, name FROM zones WHERE database = ?1 ORDER BY name")
}
