// A sorted query in SQLite: carries out a `SortedPlan`. By distance: `SortedSearch+Nearest.swift`.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage

struct SortedSearch {
  private let request: EngineQuery
  private let fields: FieldIndexes
  let candidates: Candidates
  /// Below this many, candidates are fetched and sorted; above, the sort's index is walked.
  private let few: Int

  init(_ request: EngineQuery, _ fields: FieldIndexes, _ candidates: Candidates, few: Int) {
    self.request = request
    self.fields = fields
    self.candidates = candidates
    self.few = few
  }

  func page(of zones: [SearchedZone]) throws -> EngineQueryPage {
    let page = SortedPage(request)
    var matches: [SortedMatch] = []
    for zone in zones { matches += try first(page.count, in: zone.number) }
    if zones.count > 1 { matches = try sorted(matches) }
    let fetched = try page.slice(of: matches).map { try self.fetched($0) }
    return page.page(fetched, of: matches.count, zones)
  }

  /// The first matches of one zone in their order.
  private func first(_ count: Int, in zone: Int64) throws -> [SortedMatch] {
    guard let query = try fields.query(request, in: zone) else { return [] }
    let plan = try query.sortedPlan(many: few) { try candidates.rows.count($0, limit: $1) }
    return switch plan {
    case .sort(let plan): try sort(plan, count)
    case .walk(let walk): try self.walk(walk, count)
    case .nearest(let walk, let place): try nearest(to: place, walk, count)
    }
  }

  private func fetched(_ match: SortedMatch) throws -> SortedMatch {
    var match = match
    if match.stored == nil {
      match.stored = try candidates.records.stored(
        RecordRow(name: match.name, row: match.row), in: match.zone)
    }
    return match
  }

  /// The match with what its place in the order depends on.
  func keyed(_ match: SortedMatch) throws -> SortedMatch {
    if match.record != nil { return match }
    try Task.checkCancellation()
    return match.keyed(by: try fetched(match).stored?.record(), request.query.sorts)
  }

  func sorted(_ matches: [SortedMatch]) throws -> [SortedMatch] {
    try matches.map { try keyed($0) }.inOrder(of: request.query.sorts)
  }
}

// MARK: Few candidates

extension SortedSearch {
  /// Fetches and decodes all matches; keeps no more than it can need.
  private func sort(_ plan: ZonePlan, _ count: Int) throws -> [SortedMatch] {
    var matches: [SortedMatch] = []
    try candidates.each(plan, after: nil, limit: nil) { row in
      guard let stored = try candidates.match(row, plan) else { return true }
      let match = SortedMatch(zone: plan.zone, name: row.name, row: row.row, stored: stored)
      matches.append(try keyed(match))
      if matches.count >= 2 * count + few {
        matches = Array(try sorted(matches).prefix(count))
      }
      return true
    }
    return Array(try sorted(matches).prefix(count))
  }
}

// MARK: Many candidates

extension SortedSearch {
  private func walk(_ plan: KeyWalk, _ count: Int) throws -> [SortedMatch] {
    var walk = SortedWalk(plan, count: count)
    if plan.ascending { try walkMissing(plan, &walk) }
    try candidates.rows.each(
      under: plan.key, plan.range, ascending: plan.ascending, limit: plan.rowLimit(count: count)
    ) { row, value in
      try visit(row, value, plan.checks, &walk)
    }
    try walk.endBlock { try sorted($0) }
    if !plan.ascending, !walk.isFull { try walkMissing(plan, &walk) }
    return walk.first
  }

  func walkMissing(_ plan: KeyWalk, _ walk: inout SortedWalk) throws {
    guard plan.hasMissing else { return }
    let checks = plan.checks
    try candidates.rows.each(ofType: checks.recordType, in: checks.zone, without: plan.key) { row in
      try visit(row, nil, checks, &walk)
    }
    try walk.endBlock { try sorted($0) }
  }

  private func visit(
    _ row: RecordRow, _ value: SortedValue?, _ checks: ZonePlan, _ walk: inout SortedWalk
  ) throws -> Bool {
    if walk.isEnd(ofBlock: value) { try walk.endBlock { try sorted($0) } }
    if walk.isFull { return false }
    walk.look(at: value)
    if try checks.isExact || candidates.match(row, checks) != nil {
      walk.add(SortedMatch(zone: checks.zone, name: row.name, row: row.row))
    }
    if walk.isBlockLong(many: few) { walk.shortenBlock(try sorted(walk.block)) }
    return true
  }
}
