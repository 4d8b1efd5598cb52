// Sorted queries in SQLite. Two ways: few candidates are fetched and sorted; of many, the index of
// the first sort is walked in its order until the page is full. By distance: `NearestFirst.swift`.

import BrumeModel
import BrumePredicate
import BrumeStorage

/// A match, fetched and decoded as far as somebody needed it.
struct SortedMatch {
  let zone: Int64
  let name: String
  var stored: StoredRecord?
  /// With the fields that the order depends on and no others: a page brings few of many matches.
  var record: Record?
}

extension SQLiteTransaction {
  func page(bySort request: EngineQuery, _ zones: [SearchedZone]) throws -> EngineQueryPage {
    let offset = max(0, request.after?.offset ?? 0)
    let limit = max(1, request.limit)
    let count = offset + limit + 1
    var matches: [SortedMatch] = []
    for zone in zones { matches += try first(count, of: request, in: zone.number) }
    if zones.count > 1 { matches = try sorted(matches, request) }
    let fetched = try matches.dropFirst(offset).prefix(limit).map { try self.fetched($0) }
    let page = request.fitting(fetched) { $0.stored?.byteCount ?? 0 }
    let records = page.compactMap(\.stored)
    guard let last = page.last, matches.count > offset + page.count else {
      return EngineQueryPage(records: records, next: nil)
    }
    let zoneName = zones.first { $0.number == last.zone }?.name ?? ""
    let next = QueryPosition(offset: offset + page.count, zone: zoneName, name: last.name)
    return EngineQueryPage(records: records, next: next)
  }

  /// The first matches of one zone in their order.
  private func first(
    _ count: Int, of request: EngineQuery, in zone: Int64
  ) throws -> [SortedMatch] {
    guard let (filters, keys) = try resolve(request, in: zone) else { return [] }
    let sort = request.query.sorts[0]
    if case .all = request.visible, filters.names == nil,
      let key = Self.walkable(sort, keys, request.database),
      try narrowest(filters) >= fewCandidates
    {
      if let centre = sort.relativeLocation {
        return try nearest(to: centre, key, filters, count, of: request, in: zone)
      }
      let own = filters.conditions.firstIndex { $0.rows.key.id == key.id }
      return try walk(key, own, filters, count, of: request, in: zone)
    }
    return try self.sort(plan(filters, keys, request, in: zone), count, request)
  }

  /// The key whose order is the sort's, if every value of the field is under it.
  private static func walkable(
    _ sort: Sort, _ keys: TypeKeys, _ database: DatabaseKey
  ) -> IndexKey? {
    guard !sort.field.hidesOwner(of: database), let all = keys.complete(.value(sort.field)),
      all.count == 1, all[0].kind.isSingle, !all[0].isCut,
      (all[0].kind == .place) == (sort.relativeLocation != nil),
      sort.relativeLocation?.isOnGlobe ?? true
    else { return nil }
    return all[0]
  }

  /// The number of candidates of the narrowest condition, as far as counted.
  private func narrowest(_ filters: ResolvedFilters) throws -> Int {
    try filters.conditions.map { try countRows($0.rows, limit: fewCandidates) }.min() ?? .max
  }

  private func fetched(_ match: SortedMatch) throws -> SortedMatch {
    var match = match
    if match.stored == nil {
      match.stored = try storedRecord(RecordRowKey(zone: match.zone, name: match.name))
    }
    return match
  }

  /// The match with what its place in the order depends on.
  func keyed(_ match: SortedMatch, _ request: EngineQuery) throws -> SortedMatch {
    if match.record != nil { return match }
    try Task.checkCancellation()
    let record = try fetched(match).stored?.record().keeping(request.query.sorts)
    return SortedMatch(zone: match.zone, name: match.name, record: record)
  }

  func sorted(
    _ matches: [SortedMatch], _ request: EngineQuery
  ) throws -> [SortedMatch] {
    let decoded = try matches.map { try keyed($0, request) }
    return decoded.sorted { a, b in
      guard let a = a.record, let b = b.record else { return false }
      return Evaluate.precedes(a, b, request.query.sorts)
    }
  }
}

// MARK: Few candidates

extension SQLiteTransaction {
  /// Fetches and decodes all matches; keeps no more than it can need.
  private func sort(
    _ plan: ZonePlan, _ count: Int, _ request: EngineQuery
  ) throws -> [SortedMatch] {
    var matches: [SortedMatch] = []
    try eachCandidate(plan, after: nil, limit: -1) { name in
      guard let stored = try match(name, plan, request) else { return true }
      let match = SortedMatch(zone: plan.zone, name: name, stored: stored)
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
  /// Walks the first sort's key. Records without the field have no row there: they are the first
  /// block in ascending order and the last in descending.
  private func walk(
    _ key: IndexKey, _ own: Int?, _ filters: ResolvedFilters, _ count: Int,
    of request: EngineQuery, in zone: Int64
  ) throws -> [SortedMatch] {
    let ascending = request.query.sorts[0].ascending
    var plan = ZonePlan(zone: zone, recordType: request.query.recordType)
    plan.residual = filters.residual
    plan.check(filters.conditions, except: own)
    var walk = SortedWalk(count: count, sortsBlocks: request.query.sorts.count > 1)
    let withoutField = {
      if own == nil, key.isSparse { try self.walkMissing(key, plan, request, &walk) }
    }
    if ascending { try withoutField() }
    let limit = plan.isExact && !walk.sortsBlocks ? count : -1
    let range = own.map { filters.conditions[$0].rows.range }
    try eachName(under: key, range, ascending: ascending, limit: limit) { name, value in
      try visit(name, value, plan, request, &walk)
    }
    try endBlock(&walk, request)
    if !ascending, !walk.isFull { try withoutField() }
    return Array(walk.matches.prefix(count))
  }

  func walkMissing(
    _ key: IndexKey, _ plan: ZonePlan, _ request: EngineQuery, _ walk: inout SortedWalk
  ) throws {
    try eachName(ofType: plan.recordType, in: plan.zone, without: key) { name in
      try visit(name, nil, plan, request, &walk)
    }
    try endBlock(&walk, request)
  }

  private func visit(
    _ name: String, _ value: SortedValue?, _ plan: ZonePlan, _ request: EngineQuery,
    _ walk: inout SortedWalk
  ) throws -> Bool {
    if value != walk.blockValue { try endBlock(&walk, request) }
    if walk.isFull { return false }
    walk.blockValue = value
    if plan.isExact {
      walk.block.append(SortedMatch(zone: plan.zone, name: name))
    } else if try match(name, plan, request) != nil {
      walk.block.append(SortedMatch(zone: plan.zone, name: name))
    }
    if walk.sortsBlocks, walk.block.count >= 2 * walk.missing + fewCandidates {
      walk.block = Array(try sorted(walk.block, request).prefix(walk.missing))
    }
    return true
  }

  /// A block has one value of the first sort; the other sorts order it.
  private func endBlock(_ walk: inout SortedWalk, _ request: EngineQuery) throws {
    walk.matches += try walk.sortsBlocks ? sorted(walk.block, request) : walk.block
    walk.block = []
  }
}

/// The matches of a walk so far.
struct SortedWalk {
  let count: Int
  /// Whether a block must be seen whole before its order is known.
  let sortsBlocks: Bool
  var matches: [SortedMatch] = []
  var block: [SortedMatch] = []
  var blockValue: SortedValue?

  init(count: Int, sortsBlocks: Bool) {
    self.count = count
    self.sortsBlocks = sortsBlocks
  }

  /// How many matches are still to come, with those of the block.
  var missing: Int { count - matches.count }
  var isFull: Bool { matches.count + (sortsBlocks ? 0 : block.count) >= count }
}

extension Record {
  /// The record with no other fields than the sorts look at.
  func keeping(_ sorts: [Sort]) -> Record {
    var kept = self
    kept.shareDetails = nil
    kept.fields = fields.filter { field in sorts.contains { $0.field == .field(field.key) } }
    return kept
  }
}
