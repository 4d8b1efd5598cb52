// Sorting by distance: squares of the globe that may hold the nearest records are looked into first,
// and divided while they hold many, so that a page of many records costs a look at few of them. The
// order is that of the measured distances, as in `Evaluate`.

import BrumeModel
import BrumePredicate
import BrumeStorage

extension SQLiteTransaction {
  /// The first matches of one zone by their distance from a place.
  func nearest(
    to place: Location, _ key: IndexKey, _ filters: ResolvedFilters, _ count: Int,
    of request: EngineQuery, in zone: Int64
  ) throws -> [SortedMatch] {
    let sort = request.query.sorts[0]
    var plan = ZonePlan(zone: zone, recordType: request.query.recordType)
    plan.residual = filters.residual
    plan.check(filters.conditions, except: nil)
    var walk = SortedWalk(count: count, sortsBlocks: request.query.sorts.count > 1)
    var search = SquareSearch(place, sort, request.query.filters)
    let withoutPlace = {
      if key.isSparse, search.circles.isEmpty {
        try self.walkMissing(key, plan, request, &walk)
      }
    }
    if sort.ascending { try withoutPlace() }
    while walk.matches.count < count, let square = search.next() {
      walk.matches += try sorted(search.settled(before: square), request)
      if walk.matches.count < count { try look(into: square, of: key, plan, request, &search) }
    }
    if walk.matches.count < count { walk.matches += try sorted(search.settled(), request) }
    if !sort.ascending, walk.matches.count < count { try withoutPlace() }
    return Array(walk.matches.prefix(count))
  }

  private func look(
    into square: GlobeCells.Square, of key: IndexKey, _ plan: ZonePlan, _ request: EngineQuery,
    _ search: inout SquareSearch
  ) throws {
    let rows = ZonePlan.Rows(key: key, range: square.range)
    let quarters = square.quarters
    let count = quarters.isEmpty ? 1 : try countRows(rows, limit: SquareSearch.few + 1)
    if count == 0 { return }
    if count > SquareSearch.few { return search.add(quarters) }
    try eachName(rows, after: nil, limit: -1) { name in
      guard let stored = try match(name, plan, request) else { return true }
      search.add(
        try keyed(SortedMatch(zone: plan.zone, name: name, stored: stored), request))
      return true
    }
  }
}

/// Squares that were not looked into, the most promising last, and matches that may not be the next.
private struct SquareSearch {
  /// Ours: records of a square that are looked at without dividing it.
  static let few = 64
  private let place: Location
  private let sort: Sort
  /// Where matches must be.
  let circles: [(centre: Location, metres: Double)]
  private var squares: [(square: GlobeCells.Square, bound: Double)] = []
  private var waiting: [(match: SortedMatch, distance: Double)] = []

  init(_ place: Location, _ sort: Sort, _ filters: [Filter]) {
    self.place = place
    self.sort = sort
    circles = filters.compactMap { filter in
      guard filter.comparator == .near, filter.field == sort.field, let metres = filter.distance,
        case .location(let centre) = filter.value, centre.isOnGlobe
      else { return nil }
      return (centre, metres)
    }
    add(GlobeCells.Square.halves)
  }

  mutating func add(_ new: [GlobeCells.Square]) {
    for square in new
    where circles.allSatisfy({ square.distance(from: $0.centre) <= $0.metres }) {
      let bound = self.bound(of: square)
      let index = squares.firstIndex { $0.bound < bound } ?? squares.endIndex
      squares.insert((square, bound), at: index)
    }
  }

  mutating func add(_ match: SortedMatch) {
    guard case .location(let here)? = match.record?.value(of: sort.field) else { return }
    let distance = here.distance(to: place) ?? 0
    waiting.append((match, sort.ascending ? distance : -distance))
  }

  /// The square that may hold the next match.
  mutating func next() -> GlobeCells.Square? { squares.popLast()?.square }

  /// The matches that come before everything in the square and in those after it; all when nil.
  mutating func settled(before square: GlobeCells.Square? = nil) -> [SortedMatch] {
    let limit: Double = square.map { self.bound(of: $0) } ?? .infinity
    let found = waiting.filter { $0.distance < limit }
    if !found.isEmpty { waiting.removeAll { $0.distance < limit } }
    return found.map { $0.match }
  }

  /// No match in the square comes before one at this distance. For the farthest first distances count
  /// backwards: no place is farther from here than the other side of the globe is from there.
  private func bound(of square: GlobeCells.Square) -> Double {
    if sort.ascending { return square.distance(from: place) }
    return square.distance(from: place.otherSide) - Location.earthRadius * .pi - 1
  }
}

extension GlobeCells.Square {
  fileprivate var range: ValueRange {
    .between(
      lower: .init(value: .int(numbers.lowerBound), isIncluded: true),
      upper: .init(value: .int(numbers.upperBound), isIncluded: true))
  }
}

extension Location {
  /// The place right through the middle of the Earth.
  fileprivate var otherSide: Location {
    Location(latitude: -latitude, longitude: longitude > 0 ? longitude - 180 : longitude + 180)
  }
}
