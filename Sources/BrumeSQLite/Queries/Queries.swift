// Queries in SQLite. Without sorting, a page goes on in key order from where the last one ended;
// with it, see `SortedQueries.swift`. The memory engine is what both are tested against.

import BrumeModel
import BrumePredicate
import BrumeStorage

extension SQLiteTransaction {
  func matching(_ request: EngineQuery) throws -> EngineQueryPage {
    let request = request.withVisibility
    let zones = try searchedZones(request)
    try requireIndex(request, zones)
    return try request.query.sorts.isEmpty
      ? page(byKey: request, zones) : page(bySort: request, zones)
  }

  /// One page in key order. Stops at the first match beyond the page, or when it has looked at
  /// enough candidates.
  private func page(byKey request: EngineQuery, _ zones: [SearchedZone]) throws -> EngineQueryPage {
    var page = KeyPage(request)
    for zone in zones where request.after.map({ zone.isAtOrAfter($0.zone) }) ?? true {
      guard let (filters, keys) = try resolve(request, in: zone.number) else { continue }
      let plan = try plan(filters, keys, request, in: zone.number)
      let after = request.after.flatMap { zone.isNamed($0.zone) ? $0.name : nil }
      let most = plan.isExact ? page.missing : page.candidatesLeft
      try eachCandidate(plan, after: after, limit: plan.mayHide ? -1 : most + 1) { name in
        if plan.mayHide, try !isVisible(name, plan, request) { return true }
        return page.look(at: name, in: zone) ? try page.add(match(name, plan, request)) : false
      }
      if page.next != nil { break }
    }
    return EngineQueryPage(records: page.records, next: page.next)
  }

  /// Candidates in name order until `visit` answers false.
  func eachCandidate(
    _ plan: ZonePlan, after: String?, limit: Int, _ visit: (String) throws -> Bool
  ) throws {
    switch plan.source {
    case .type:
      try eachName(
        ofType: plan.recordType, in: plan.zone, after: after, limit: limit, visit)
    case .index(let rows):
      try eachName(rows, after: after, limit: limit, visit)
    case .names(let names):
      for name in names where after.map({ ByteText($0) < ByteText(name) }) ?? true {
        if try !visit(name) { return }
      }
    }
  }

  /// Whether the record is there for whoever asks. Those that are not count for nothing.
  private func isVisible(
    _ name: String, _ plan: ZonePlan, _ request: EngineQuery
  ) throws -> Bool {
    try Task.checkCancellation()
    guard let stored = try storedRecord(RecordRowKey(zone: plan.zone, name: name)) else {
      return false
    }
    return request.visible.contains(try stored.record())
  }

  /// The candidate if it is a match. Ends the query when nobody waits for it any more.
  func match(
    _ name: String, _ plan: ZonePlan, _ request: EngineQuery
  ) throws -> StoredRecord? {
    try Task.checkCancellation()
    for probe in plan.probes {
      if try !holds(probe, for: name) { return nil }
    }
    let stored = try storedRecord(RecordRowKey(zone: plan.zone, name: name))
    guard let stored, stored.type == plan.recordType else { return nil }
    if plan.residual.isEmpty { return stored }
    let record = try stored.record()
    return plan.judge.match(record, searchable: request.searchable) ? stored : nil
  }
}

/// A page in key order as it fills.
private struct KeyPage {
  private let request: EngineQuery
  private let limit: Int
  private(set) var records: [StoredRecord] = []
  private(set) var next: QueryPosition?
  private var looked = 0
  private var bytes = 0
  private var lastLooked: (zone: String, name: String)?
  private var lastFound: (zone: String, name: String)?

  init(_ request: EngineQuery) {
    self.request = request
    limit = max(1, request.limit)
  }

  /// How many matches the page can still take.
  var missing: Int { limit - records.count }
  var candidatesLeft: Int { max(0, min(request.candidateLimit, 1 << 40) - looked) }

  /// Whether the candidate may be looked at. If not, the page ends before it.
  mutating func look(at name: String, in zone: SearchedZone) -> Bool {
    if looked >= max(1, request.candidateLimit), let lastLooked {
      next = position(lastLooked)
      return false
    }
    looked += 1
    lastLooked = (zone.name, name)
    return true
  }

  /// Takes the candidate last looked at, if it is a match. Answers whether to go on.
  mutating func add(_ match: StoredRecord?) -> Bool {
    guard let match else { return true }
    bytes += match.byteCount
    if let lastFound, records.count == limit || bytes > request.byteLimit {
      next = position(lastFound)
      return false
    }
    records.append(match)
    lastFound = lastLooked
    return true
  }

  private func position(_ end: (zone: String, name: String)) -> QueryPosition {
    QueryPosition(
      offset: (request.after?.offset ?? 0) + records.count, zone: end.zone, name: end.name)
  }
}

// MARK: Zones

struct SearchedZone {
  let number: Int64
  let name: String

  func isNamed(_ other: String) -> Bool { ByteText(name) == ByteText(other) }
  func isAtOrAfter(_ other: String) -> Bool { !(ByteText(name) < ByteText(other)) }
}

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
