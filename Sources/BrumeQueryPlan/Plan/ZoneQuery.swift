// This chooses where the candidates of a query in one zone come from. What it must know of the data it asks
// the engine: how many rows there are, counted only as far as it matters.

import BrumeModel
package import BrumeStorage

/// Answers how many rows there are, counted no further than the limit.
package typealias RowCounter = (ZonePlan.Rows, _ limit: Int) throws -> Int

/// A query in one zone, with what its filters mean there.
package struct ZoneQuery: Sendable {
  package let request: EngineQuery
  /// The engine's number of the zone.
  package let zone: Int64
  package let keys: TypeKeys
  package let filters: ResolvedFilters
  private let ready: ReadyFilters

  /// Nil: nothing in the zone can match. The request is `withVisibility`.
  ///
  /// - Parameter ready: the request's filters, if others were asked before.
  package init?(
    _ request: EngineQuery, _ ready: ReadyFilters? = nil, inZone zone: Int64, _ keys: TypeKeys
  ) {
    self.ready = ready ?? ReadyFilters(request)
    filters = ResolvedFilters(self.ready, keys)
    if filters.isImpossible { return nil }
    self.request = request
    self.zone = zone
    self.keys = keys
  }

  /// The plan with the source that has the fewest candidates. From `many` rows on it does not matter
  /// how many more there are.
  package func plan(many: Int, counting: RowCounter) rethrows -> ZonePlan {
    var plan = ZonePlan(zone: zone, recordType: request.query.recordType)
    if let names = filters.names(visible: request.visible) {
      plan.source = .names(names.sorted().map(\.text))
      plan.evaluate(ready.all)
      plan.mayHide = request.visible.isOfCreator
      return plan
    }
    plan.evaluate(filters.evaluated)
    let best = try source(many, counting)
    if let best {
      plan.source = .index(filters.conditions[best].rows)
    } else if let rare = try rowsOfRareType(many, counting) {
      plan.source = .index(rare)
    }
    plan.mayHide =
      request.visible.isOfCreator && !(best.map { filters.conditions[$0].isOfCreator } ?? false)
    plan.check(filters.conditions, except: best)
    return plan
  }

  /// The condition whose rows are the candidates. Where only its creator sees a record, that is the
  /// condition on the creator: what others made is not even looked at.
  private func source(_ many: Int, _ counting: RowCounter) rethrows -> Int? {
    if request.visible.isOfCreator, let own = filters.conditions.lastIndex(where: \.isOfCreator) {
      return own
    }
    let best = try narrowest(many, counting)
    guard let best, try isLongRange(filters.conditions[best].rows, counting) else { return best }
    return filters.conditions.firstIndex { $0.rows.range.isEquality }
  }

  /// Ours: rows of the index that take the time of one candidate.
  private static let rowsOfCandidate = 5

  /// Whether a page would read so many rows that looking at the records of the type, as many as it may, takes less time.
  /// The rows of a range do not come in the order of names, which an unsorted query's pages follow: each page reads all.
  private func isLongRange(_ rows: ZonePlan.Rows, _ counting: RowCounter) rethrows -> Bool {
    guard request.query.sorts.isEmpty, case .all = request.visible, !rows.range.isEquality,
      request.candidateLimit < .max / Self.rowsOfCandidate
    else { return false }
    let most = Self.rowsOfCandidate * request.candidateLimit
    return try counting(rows, most + 1) > most
  }

  /// All records of a type by a key that each of them has, if they are few: the zone's names are then
  /// not searched for them.
  private func rowsOfRareType(_ many: Int, _ counting: RowCounter) rethrows -> ZonePlan.Rows? {
    guard let all = keys.complete(.value(.system(.createdTimestamp))), all.count == 1,
      !all[0].isSparse
    else { return nil }
    let rows = ZonePlan.Rows(key: all[0], range: .all)
    return try counting(rows, many) < many ? rows : nil
  }

  /// The condition with the fewest rows.
  private func narrowest(_ many: Int, _ counting: RowCounter) rethrows -> Int? {
    if filters.conditions.count == 1 { return 0 }
    var best: (index: Int, count: Int)?
    for (index, condition) in filters.conditions.enumerated() {
      let count = try counting(condition.rows, many)
      if count < best?.count ?? .max { best = (index, count) }
    }
    return best?.index
  }
}

extension ZonePlan.Condition {
  /// A condition on who made the record. That on whoever asks is the last (`withVisibility`).
  fileprivate var isOfCreator: Bool {
    filters.contains {
      $0.field == .system(.createdUserRecordName) && $0.comparator == .equals
    }
  }
}

extension VisibleRecords {
  fileprivate var isOfCreator: Bool { if case .made = self { true } else { false } }
}
