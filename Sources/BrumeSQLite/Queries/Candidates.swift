// The records that a query looks at, and whether each is a match.

import BrumeModel
import BrumePredicate
import BrumeQueryPlan
import BrumeStorage

struct Candidates {
  let request: EngineQuery
  let records: RecordRows
  let rows: IndexRows

  /// Candidates in name order until `visit` answers false.
  func each(
    _ plan: ZonePlan, after: String?, limit: Int?, _ visit: (RecordRow) throws -> Bool
  ) throws {
    switch plan.source {
    case .type:
      try rows.each(
        ofType: plan.recordType, in: plan.zone, after: after, limit: limit, visit)
    case .index(let rows):
      try self.rows.each(rows, after: after, limit: limit, visit)
    case .names(let names):
      for name in names where after.map({ ByteText($0) < ByteText(name) }) ?? true {
        if try !visit(RecordRow(name: name, row: nil)) { return }
      }
    }
  }

  /// Whether the record is there for whoever asks. Those that are not count for nothing.
  func isVisible(_ row: RecordRow, _ plan: ZonePlan) throws -> Bool {
    try Task.checkCancellation()
    guard let stored = try records.stored(row, in: plan.zone) else { return false }
    return request.visible.contains(try stored.record())
  }

  /// The candidate if it is a match. Ends the query when nobody waits for it any more.
  func match(_ row: RecordRow, _ plan: ZonePlan) throws -> StoredRecord? {
    try Task.checkCancellation()
    for probe in plan.probes {
      if try !rows.holds(probe, for: row.name) { return nil }
    }
    let stored = try records.stored(row, in: plan.zone)
    guard let stored, stored.type == plan.recordType else { return nil }
    if plan.residual.isEmpty { return stored }
    let record = try stored.record()
    return plan.judge.match(record, searchable: request.searchable) ? stored : nil
  }
}
