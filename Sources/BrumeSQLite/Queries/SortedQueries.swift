// Sorted queries in SQLite: carries out a `SortedPlan`. By distance: `NearestFirst.swift`.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage

extension SQLiteTransaction {
  func page(bySort request: EngineQuery, _ zones: [SearchedZone]) throws -> EngineQueryPage {
    let page = SortedPage(request)
    var matches: [SortedMatch] = []
    for zone in zones { matches += try first(page.count, of: request, in: zone.number) }
    if zones.count > 1 { matches = try sorted(matches, request) }
    let fetched = try page.slice(of: matches).map { try self.fetched($0) }
    return page.page(fetched, of: matches.count, zones)
  }

  /// The first matches of one zone in their order.
  private func first(
    _ count: Int, of request: EngineQuery, in zone: Int64
  ) throws -> [SortedMatch] {
    guard let query = try resolve(request, in: zone) else { return [] }
    let plan = try query.sortedPlan(many: fewCandidates) { try countRows($0, limit: $1) }
    return switch plan {
    case .sort(let plan): try sort(plan, count, request)
    case .walk(let walk): try self.walk(walk, count, request)
    case .nearest(let walk, let place): try nearest(to: place, walk, count, request)
    }
  }

  private func fetched(_ match: SortedMatch) throws -> SortedMatch {
    var match = match
    if match.stored == nil {
      match.stored = try storedRecord(
        RecordRow(name: match.name, row: match.row), in: match.zone)
    }
    return match
  }

  /// The match with what its place in the order depends on.
  func keyed(_ match: SortedMatch, _ request: EngineQuery) throws -> SortedMatch {
    if match.record != nil { return match }
    try Task.checkCancellation()
    return match.keyed(by: try fetched(match).stored?.record(), request.query.sorts)
  }

  func sorted(
    _ matches: [SortedMatch], _ request: EngineQuery
  ) throws -> [SortedMatch] {
    try matches.map { try keyed($0, request) }.inOrder(of: request.query.sorts)
  }
}

// MARK: Few candidates

extension SQLiteTransaction {
  /// Fetches and decodes all matches; keeps no more than it can need.
  private func sort(
    _ plan: ZonePlan, _ count: Int, _ request: EngineQuery
  ) throws -> [SortedMatch] {
    var matches: [SortedMatch] = []
    try eachCandidate(plan, after: nil, limit: nil) { row in
      guard let stored = try match(row, plan, request) else { return true }
      let match = SortedMatch(zone: plan.zone, name: row.name, row: row.row, stored: stored)
      matches.append(try keyed(match, request))
      if matches.count >= 2 * count + fewCandidates {
        matches = Array(try sorted(matches, request).prefix(count))
      }
      return true
    }
    return Array(try sorted(matches, request).prefix(count))
  }
}

// MARK: Many candidates

extension SQLiteTransaction {
  private func walk(
    _ plan: KeyWalk, _ count: Int, _ request: EngineQuery
  ) throws -> [SortedMatch] {
    var walk = SortedWalk(plan, count: count)
    if plan.ascending { try walkMissing(plan, request, &walk) }
    try eachRow(
      under: plan.key, plan.range, ascending: plan.ascending, limit: plan.rowLimit(count: count)
    ) { row, value in
      try visit(row, value, plan.checks, request, &walk)
    }
    try walk.endBlock { try sorted($0, request) }
    if !plan.ascending, !walk.isFull { try walkMissing(plan, request, &walk) }
    return walk.first
  }

  func walkMissing(
    _ plan: KeyWalk, _ request: EngineQuery, _ walk: inout SortedWalk
  ) throws {
    guard plan.hasMissing else { return }
    let checks = plan.checks
    try eachRow(ofType: checks.recordType, in: checks.zone, without: plan.key) { row in
      try visit(row, nil, checks, request, &walk)
    }
    try walk.endBlock { try sorted($0, request) }
  }

  private func visit(
    _ row: RecordRow, _ value: SortedValue?, _ checks: ZonePlan, _ request: EngineQuery,
    _ walk: inout SortedWalk
  ) throws -> Bool {
    if walk.isEnd(ofBlock: value) { try walk.endBlock { try sorted($0, request) } }
    if walk.isFull { return false }
    walk.look(at: value)
    if try checks.isExact || match(row, checks, request) != nil {
      walk.add(SortedMatch(zone: checks.zone, name: row.name, row: row.row))
    }
    if walk.isBlockLong(many: fewCandidates) { walk.shortenBlock(try sorted(walk.block, request)) }
    return true
  }
}
