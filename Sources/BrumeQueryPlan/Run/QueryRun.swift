// This answers one page of a query from an engine's rows. Without sorting, a page goes on in key order from
// where the last one ended; with it, see `SortedSearch.swift`. The memory engine, which has no rows, is
// what all others are tested against.

import BrumeModel
package import BrumeStorage

/// How the queries of a transaction are answered.
package struct QueryTuning: Sendable {
  /// Ours: below this many, candidates of a sorted query are fetched and sorted; above, the sort's
  /// index is walked.
  package let fewCandidates: Int
  /// Whether a query that misses an index throws `IndexWanted` instead of doing without.
  package let asksForIndex: Bool
  /// Ours: bytes of long texts that a sorted query keeps whole to compare them.
  package var textBytes = 16 << 20

  package init(fewCandidates: Int = 1000, asksForIndex: Bool = false) {
    self.fewCandidates = fewCandidates
    self.asksForIndex = asksForIndex
  }
}

/// A query and the rows of the engine that is asked.
package struct QueryRun {
  private let request: EngineQuery
  private let filters: ReadyFilters
  private let rows: EngineRows
  private let tuning: QueryTuning

  package init(_ request: EngineQuery, _ rows: EngineRows, _ tuning: QueryTuning) {
    self.request = request.withVisibility
    filters = ReadyFilters(self.request)
    self.rows = rows
    self.tuning = tuning
  }

  /// The next page.
  /// - Parameter zones: where the query looks, in the order of their names' bytes.
  /// - Throws: what the engine throws.
  package func page(of zones: [SearchedZone]) throws -> EngineQueryPage {
    try requireIndex(zones)
    let candidates = Candidates(request: request, filters: filters, rows: rows)
    if request.query.sorts.isEmpty { return try page(byKeyOf: zones, candidates) }
    return try SortedSearch(request, candidates, tuning).page(of: zones)
  }

  /// Asks for the index that the query needs, if this read may ask.
  private func requireIndex(_ zones: [SearchedZone]) throws {
    guard tuning.asksForIndex else { return }
    var wanted = IndexWanted(for: request, filters)
    for zone in zones {
      let keys = try rows.keys.keys(of: RecordTypeRowKey(zone: zone.number, type: wanted.type))
      wanted.look(at: keys, inZone: zone.number)
    }
    if !wanted.fields.isEmpty { throw wanted }
  }

  /// Where the candidates in a zone come from if the query has no sorts. Nil: nothing there can match.
  ///
  /// - Throws: what the engine throws.
  package func plan(in zone: Int64) throws -> ZonePlan? {
    try rows.keys.query(request, filters, in: zone)?.plan(many: tuning.fewCandidates) {
      try rows.index.count($0, limit: $1)
    }
  }

  /// One page in key order. Stops at the first match beyond the page, or when it has looked at
  /// enough candidates.
  private func page(
    byKeyOf zones: [SearchedZone], _ candidates: Candidates
  ) throws -> EngineQueryPage {
    var page = KeyPage(request)
    for zone in request.remaining(zones) {
      guard let plan = try plan(in: zone.number) else { continue }
      let (after, limit) = (request.start(in: zone), page.rowLimit(plan))
      try candidates.each(plan, after: after, limit: limit) { row in
        if plan.mayHide, try !candidates.isVisible(row, plan) { return true }
        return page.look(at: row.name, in: zone) ? try page.add(candidates.match(row, plan)) : false
      }
      if page.next != nil { break }
    }
    return EngineQueryPage(
      records: page.records, next: page.next, work: candidates.tally.work)
  }
}

extension IndexKeyReading {
  /// A query, which is `withVisibility`, in one zone. Nil: nothing there can match.
  ///
  /// - Parameter filters: the request's, if they were made ready before.
  /// - Throws: what the engine throws.
  package func query(
    _ request: EngineQuery, _ filters: ReadyFilters? = nil, in zone: Int64
  ) throws -> ZoneQuery? {
    let keys = try keys(of: RecordTypeRowKey(zone: zone, type: request.query.recordType))
    return ZoneQuery(request, filters, inZone: zone, keys)
  }
}
