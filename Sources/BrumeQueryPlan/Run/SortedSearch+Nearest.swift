// Sorting by distance: counts and reads the rows of the squares that `SquareSearch` names.

import BrumeModel
import BrumePredicate
import BrumeStorage

extension SortedSearch {
  /// The first matches of one zone by their distance from a place.
  func nearest(
    to place: Location, _ plan: KeyWalk, _ count: Int
  ) throws -> [SortedMatch] {
    var walk = SortedWalk(plan, count: count)
    var search = SquareSearch(place, candidates.request.query)
    candidates.tally.work.begin(try candidates.source(of: plan.key, plan.checks))
    if plan.ascending, search.mayLackPlace { try walkMissing(plan, &walk) }
    while walk.wantsMore, let square = search.next() {
      walk.add(try sorted(search.settled(before: square)))
      if walk.wantsMore { try look(into: square, plan, &search) }
    }
    if walk.wantsMore { walk.add(try sorted(search.settled())) }
    if !plan.ascending, search.mayLackPlace, walk.wantsMore {
      try walkMissing(plan, &walk)
    }
    return walk.first
  }

  private func look(
    into square: GlobeCells.Square, _ plan: KeyWalk, _ search: inout SquareSearch
  ) throws {
    let rows = ZonePlan.Rows(key: plan.key, range: square.range)
    let quarters = square.quarters
    let count =
      quarters.isEmpty ? 1 : try candidates.rows.index.count(rows, limit: SquareSearch.few + 1)
    if count == 0 { return }
    if count > SquareSearch.few { return search.add(quarters) }
    let checks = plan.checks
    let needs = RowNeeds(probes: checks.probes)
    try candidates.rows.index.each(rows, after: nil, needs) { row in
      candidates.tally.work.look()
      try candidates.countSorted()
      guard let stored = try candidates.match(row, checks) else { return true }
      search.add(
        try keyed(SortedMatch(zone: checks.zone, name: row.name, stored: stored)))
      return true
    }
  }
}
