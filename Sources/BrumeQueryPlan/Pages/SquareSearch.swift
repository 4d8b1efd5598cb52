// The search for the nearest records: squares of the globe that may hold them are looked into first,
// and divided while they hold many, so that a page of many records costs a look at few of them. The
// order is that of the measured distances, as in `Evaluate`.

package import BrumeModel
package import BrumePredicate
import BrumeStorage

/// Squares that were not looked into, the most promising last, and matches that may not be the next.
package struct SquareSearch: Sendable {
  /// Ours: records of a square that are looked at without dividing it.
  package static let few = 64
  private let place: Location
  private let sort: Sort
  /// Where matches must be.
  private let circles: [(centre: Location, metres: Double)]
  private var squares: [(square: GlobeCells.Square, bound: Double)] = []
  private var waiting: [(match: SortedMatch, distance: Double)] = []

  /// - Parameters:
  ///   - place: from where distances are measured.
  ///   - query: its first sort is by distance.
  package init(_ place: Location, _ query: Query) {
    self.place = place
    let sort = query.sorts[0]
    self.sort = sort
    circles = query.filters.compactMap { filter in
      guard filter.comparator == .near, filter.field == sort.field, let metres = filter.distance,
        case .location(let centre) = filter.value, centre.isOnGlobe
      else { return nil }
      return (centre, metres)
    }
    add(GlobeCells.Square.halves)
  }

  /// Whether matches may lack the field.
  package var mayLackPlace: Bool { circles.isEmpty }

  /// Adds squares that are to be looked into.
  package mutating func add(_ new: [GlobeCells.Square]) {
    for square in new
    where circles.allSatisfy({ square.distance(from: $0.centre) <= $0.metres }) {
      let bound = self.bound(of: square)
      let index = squares.firstIndex { $0.bound < bound } ?? squares.endIndex
      squares.insert((square, bound), at: index)
    }
  }

  /// Adds a match, which is `keyed`. One without a place, as of a damaged record, comes with those that lack the field:
  /// before all, or behind them if the farthest come first.
  package mutating func add(_ match: SortedMatch) {
    let distance =
      if case .location(let here)? = match.record?.value(of: sort.field) {
        here.distance(to: place) ?? 0
      } else {
        -Double.infinity
      }
    waiting.append((match, sort.ascending ? distance : -distance))
  }

  /// The square that may hold the next match.
  package mutating func next() -> GlobeCells.Square? { squares.popLast()?.square }

  /// The matches that come before everything in the square and in those after it; all when nil.
  package mutating func settled(before square: GlobeCells.Square? = nil) -> [SortedMatch] {
    guard let limit = square.map({ self.bound(of: $0) }) else {
      defer { waiting = [] }
      return waiting.map { $0.match }
    }
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
  /// The values of the places in it.
  package var range: ValueRange {
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
