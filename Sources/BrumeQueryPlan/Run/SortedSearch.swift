// A sorted query: carries out a `SortedPlan`. By distance: `SortedSearch+Nearest.swift`.

import BrumeModel
import BrumeStorage

struct SortedSearch {
  private let request: EngineQuery
  let candidates: Candidates
  /// Below this many, candidates are fetched and sorted; above, the sort's index is walked.
  private let few: Int
  private let texts: WholeTexts

  init(_ request: EngineQuery, _ candidates: Candidates, _ tuning: QueryTuning) {
    self.request = request
    self.candidates = candidates
    few = tuning.fewCandidates
    texts = WholeTexts(most: tuning.textBytes)
  }

  func page(of zones: [SearchedZone]) throws -> EngineQueryPage {
    let page = SortedPage(request)
    var found = FirstMatches(count: page.count, many: few)
    for zone in zones {
      try found.add(first(page.count, in: zone.number)) { try sorted($0) }
    }
    let matches = zones.count > 1 ? try sorted(found.matches) : found.matches
    var answer = page.page(try fetched(page.slice(of: matches)), of: matches.count, zones)
    answer.work = candidates.tally.work
    return answer
  }

  /// The first matches of one zone in their order.
  private func first(_ count: Int, in zone: Int64) throws -> [SortedMatch] {
    let rows = candidates.rows
    guard let query = try rows.keys.query(request, candidates.filters, in: zone) else { return [] }
    let plan = try query.sortedPlan(many: few) { try rows.index.count($0, limit: $1) }
    return switch plan {
    case .sort(let plan): try sort(plan, count)
    case .walk(let walk): try self.walk(walk, count)
    case .nearest(let walk, let place): try nearest(to: place, walk, count)
    }
  }

  /// The first matches with their records, as many as a page needs to end by its bytes; those of a zone are fetched
  /// together.
  private func fetched(_ matches: ArraySlice<SortedMatch>) throws -> [SortedMatch] {
    // Those of several zones were looked at, so that their sizes are known.
    var matches = request.fitting(matches) { $0.byteCount }
    var end = matches.count
    for (zone, places) in Dictionary(grouping: matches.indices, by: { matches[$0].zone }) {
      let rows = places.map { matches[$0].recordRow }
      let found = try candidates.rows.records.stored(rows, in: zone, bytes: request.byteLimit)
      for (place, stored) in zip(places, found) { matches[place].stored = stored }
      if found.count < places.count { end = min(end, places[found.count]) }
    }
    return Array(matches.prefix(end))
  }

  /// The match with what its place in the order depends on.
  func keyed(_ match: SortedMatch) throws -> SortedMatch {
    if match.record != nil { return match }
    try Task.checkCancellation()
    let stored = try match.stored ?? candidates.stored(match.recordRow, in: match.zone)
    return try keyed(match, by: stored)
  }

  private func keyed(_ match: SortedMatch, by stored: StoredRecord?) throws -> SortedMatch {
    let (record, sorts) = (try stored?.orderedRecord(), request.query.sorts)
    let match = match.keyed(by: record, bytes: stored?.byteCount ?? 0, sorts)
    if let record, match.hasLongTexts { texts.keep(record, of: match, sorts) }
    return match
  }

  func sorted(_ matches: [SortedMatch]) throws -> [SortedMatch] {
    try matches.map { try keyed($0) }.inOrder(of: request.query.sorts) { try whole($0) }
  }

  /// The record of a match with its long texts.
  private func whole(_ match: SortedMatch) throws -> Record? {
    try Task.checkCancellation()
    if let record = texts.record(of: match) { return record }
    let record = try candidates.stored(match.recordRow, in: match.zone)?.orderedRecord()
    if let record { texts.keep(record, of: match, request.query.sorts) }
    return record
  }
}

extension StoredRecord {
  /// What a match is ordered by: nothing for one that is unreadable, as if it lacked the fields.
  fileprivate func orderedRecord() throws -> Record {
    isUnreadable
      ? Record(name: name, zone: ZoneID(name: ""), type: type, changeTag: "") : try record()
  }
}

extension SortedMatch {
  fileprivate var recordRow: RecordRow { RecordRow(name: name, row: row) }
}

// MARK: Few candidates

extension Sort {
  /// Whether it is the order in which candidates come: of the bytes of their names, of which a zone has each once.
  fileprivate var isByName: Bool { field == .system(.recordName) && ascending }
}

extension SortedSearch {
  /// Fetches and decodes all matches; keeps no more than it can need. Names come in their order: of those the first
  /// are enough.
  private func sort(_ plan: ZonePlan, _ count: Int) throws -> [SortedMatch] {
    let isInOrder = request.query.sorts[0].isByName
    var first = FirstMatches(count: count, many: few)
    try candidates.each(plan, after: nil, limit: isInOrder && plan.isExact ? count : nil) { row in
      if plan.mayHide, try !candidates.isVisible(row, plan) { return true }
      try candidates.countSorted()
      guard let stored = try candidates.match(row, plan) else { return true }
      let match = SortedMatch(zone: plan.zone, name: row.name, row: row.row, stored: stored)
      try first.add(CollectionOfOne(keyed(match))) { try sorted($0) }
      return !isInOrder || first.matches.count < count
    }
    return Array(try sorted(first.matches).prefix(count))
  }
}

// MARK: Many candidates

extension SortedSearch {
  private func walk(_ plan: KeyWalk, _ count: Int) throws -> [SortedMatch] {
    var walk = SortedWalk(plan, count: count)
    candidates.tally.work.begin(try candidates.source(of: plan.key, plan.checks))
    if plan.ascending { try walkMissing(plan, &walk) }
    try candidates.rows.index.each(
      under: plan.key, plan.range, ascending: plan.ascending,
      plan.needs(plan.rowLimit(count: count))
    ) { row, value in
      try visit(row, value, plan, &walk)
    }
    try walk.endBlock { try sorted($0) }
    if !plan.ascending, !walk.isFull { try walkMissing(plan, &walk) }
    return walk.first
  }

  func walkMissing(_ plan: KeyWalk, _ walk: inout SortedWalk) throws {
    guard plan.hasMissing else { return }
    let (type, zone) = (plan.checks.recordType, plan.checks.zone)
    try candidates.rows.index.each(ofType: type, in: zone, without: plan.key, plan.needs()) { row in
      try visit(row, nil, plan, &walk)
    }
    try walk.endBlock { try sorted($0) }
  }

  private func visit(
    _ row: RecordRow, _ value: SortedValue?, _ plan: KeyWalk, _ walk: inout SortedWalk
  ) throws -> Bool {
    if walk.isEnd(ofBlock: value) { try walk.endBlock { try sorted($0) } }
    if walk.isFull { return false }
    candidates.tally.work.look()
    try candidates.countSorted()
    walk.look(at: value)
    if let match = try match(row, plan) { walk.add(match) }
    if walk.isBlockLong(many: few) { walk.shortenBlock(try sorted(walk.block)) }
    return true
  }

  /// The row if it is a match; with what a block is sorted by, if its record is there already.
  private func match(_ row: RecordRow, _ plan: KeyWalk) throws -> SortedMatch? {
    var stored = row.stored
    if !plan.checks.isExact {
      stored = try candidates.match(row, plan.checks)
      if stored == nil { return nil }
    }
    let match = SortedMatch(zone: plan.checks.zone, name: row.name, row: row.row)
    guard plan.sortsBlocks, let stored else { return match }
    return try keyed(match, by: stored)
  }
}

extension KeyWalk {
  /// Records are looked at where they are evaluated, and where those of equal values are sorted.
  fileprivate func needs(_ limit: Int? = nil) -> RowNeeds {
    RowNeeds(limit: limit, records: !checks.isExact || sortsBlocks, probes: checks.probes)
  }
}
