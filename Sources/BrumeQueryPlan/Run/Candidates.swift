// The records that a query looks at, and whether each is a match.

import BrumeModel
import BrumePredicate
import BrumeStorage

struct Candidates {
  let request: EngineQuery
  let filters: ReadyFilters
  let rows: EngineRows
  /// What all of it took so far.
  let tally = QueryTally()

  /// Candidates in name order until `visit` answers false.
  func each(
    _ plan: ZonePlan, after: String?, limit: Int?, _ visit: (RecordRow) throws -> Bool
  ) throws {
    let needs = RowNeeds(limit: limit, probes: plan.probes)
    tally.work.begin(try source(of: plan))
    func counted(_ row: RecordRow) throws -> Bool {
      tally.work.look()
      return try visit(row)
    }
    switch plan.source {
    case .type:
      try rows.index.each(ofType: plan.recordType, in: plan.zone, after: after, needs, counted)
    case .index(let found):
      try rows.index.each(found, after: after, needs, counted)
    case .names(let names):
      let start = after.map { ByteText($0) }
      let left = start.map { start in names.filter { start < ByteText($0) } } ?? names
      try rows.records.each(named: left, in: plan.zone, counted)
    }
  }

  /// Counts a candidate of a sorted query, which does not end before it has seen all that can be on its page.
  func countSorted() throws {
    tally.sorted += 1
    try request.checkSorted(tally.sorted)
  }

  /// The plan's source as operators know it.
  private func source(of plan: ZonePlan) throws -> QueryWork.Source {
    switch plan.source {
    case .type: .type
    case .names: .names
    case .index(let found): try source(of: found.key, plan)
    }
  }

  /// The index that has a key.
  func source(of key: IndexKey, _ plan: ZonePlan) throws -> QueryWork.Source {
    let known = try rows.keys.keys(
      of: RecordTypeRowKey(zone: plan.zone, type: plan.recordType))
    return .index(known.field(of: key) ?? "")
  }

  /// The record of a candidate, fetched unless the candidate has brought it along.
  func stored(_ row: RecordRow, in zone: Int64) throws -> StoredRecord? {
    row.isFetched ? row.stored : try rows.records.stored(row, in: zone)
  }

  /// Whether the record is there for whoever asks. Those that are not count for nothing.
  func isVisible(_ row: RecordRow, _ plan: ZonePlan) throws -> Bool {
    try Task.checkCancellation()
    guard let stored = try stored(row, in: plan.zone), !stored.isUnreadable else { return false }
    return request.visible.contains(try stored.record())
  }

  /// The candidate if it is a match. It ends the query when nobody waits for it any more.
  func match(_ row: RecordRow, _ plan: ZonePlan) throws -> StoredRecord? {
    try Task.checkCancellation()
    if try !holds(plan.probes, row) { return nil }
    guard let stored = try stored(row, in: plan.zone) else { return nil }
    // Nobody can say whether it is one, so it is answered as an error.
    if stored.isUnreadable { return stored }
    if stored.type != plan.recordType { return nil }
    if plan.residual.isEmpty { return stored }
    let record = try stored.record()
    return plan.prepared.match(record, searchable: request.searchable) ? stored : nil
  }

  private func holds(_ probes: [ZonePlan.Rows], _ row: RecordRow) throws -> Bool {
    if row.holdsProbes { return true }
    for probe in probes {
      if try !rows.index.holds(probe, for: row.name) { return false }
    }
    return true
  }
}

/// What a query took so far. Every part of one query adds to the same.
final class QueryTally {
  var work = QueryWork()
  /// Candidates of a sorted query, without those that are not there for whoever asks.
  var sorted = 0
}
