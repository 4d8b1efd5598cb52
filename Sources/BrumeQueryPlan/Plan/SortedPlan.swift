// How a sorted query is answered in one zone. Two ways: few candidates are fetched and sorted; of many,
// the index of the first sort is walked in its order until there are enough matches.

package import BrumeModel
import BrumePredicate
import BrumeStorage

/// The way to a sorted query's page.
package enum SortedPlan: Sendable {
  /// All candidates are fetched and sorted.
  case sort(ZonePlan)
  /// The rows of the first sort's key are walked in the order of their values, then of names.
  case walk(KeyWalk)
  /// The squares of the globe that may hold the nearest records, or the farthest, are looked into first
  /// (`SquareSearch`).
  case nearest(KeyWalk, to: Location)
}

/// A walk through the rows of a key.
package struct KeyWalk: Sendable {
  package let key: IndexKey
  /// Nil: all rows of the key.
  package let range: ValueRange?
  package let ascending: Bool
  /// Whether records without a row under the key may match too. They are before all others in
  /// ascending order and behind them in descending.
  package let hasMissing: Bool
  /// Whether more than the rows orders records with equal values there: further sorts, or the rest of texts of which
  /// the key has the beginnings. A block of them must be seen whole before its order is known.
  package let sortsBlocks: Bool
  /// What must still be checked of each record. Its source is not used.
  package let checks: ZonePlan

  /// The first `count` matches are among so many rows; nil: nobody knows.
  package func rowLimit(count: Int) -> Int? { checks.isExact && !sortsBlocks ? count : nil }
}

extension ZoneQuery {
  /// The plan for a query that has sorts. With `many` candidates a walk is better than sorting.
  package func sortedPlan(many: Int, counting: RowCounter) rethrows -> SortedPlan {
    let sort = request.query.sorts[0]
    guard case .all = request.visible, filters.names == nil, let key = walkable(sort),
      try fewestRows(many, counting) >= many
    else { return .sort(try plan(many: many, counting: counting)) }
    if let centre = sort.relativeLocation {
      return .nearest(walk(key, own: nil, sort), to: centre)
    }
    return .walk(walk(key, own: filters.conditions.firstIndex { $0.rows.key.id == key.id }, sort))
  }

  /// - Parameter own: the condition on the sort's own field, whose rows alone are walked.
  private func walk(_ key: IndexKey, own: Int?, _ sort: Sort) -> KeyWalk {
    var checks = ZonePlan(zone: zone, recordType: request.query.recordType)
    checks.evaluate(filters.evaluated)
    checks.check(filters.conditions, except: own)
    return KeyWalk(
      key: key, range: own.map { filters.conditions[$0].rows.range }, ascending: sort.ascending,
      hasMissing: own == nil && key.isSparse,
      sortsBlocks: key.isCut || request.query.sorts.count > 1, checks: checks)
  }

  /// The key whose order is the sort's, if every value of the field is under it.
  private func walkable(_ sort: Sort) -> IndexKey? {
    guard !sort.field.hidesOwner(of: request.database),
      let all = keys.complete(.value(sort.field)),
      all.count == 1, all[0].kind.isSingle,
      (all[0].kind == .place) == (sort.relativeLocation != nil),
      sort.relativeLocation?.isOnGlobe ?? true
    else { return nil }
    return all[0]
  }

  /// The number of candidates of the narrowest condition, as far as counted.
  private func fewestRows(_ many: Int, _ counting: RowCounter) rethrows -> Int {
    try filters.conditions.map { try counting($0.rows, many) }.min() ?? .max
  }
}
