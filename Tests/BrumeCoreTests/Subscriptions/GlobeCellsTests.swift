import BrumeCore
import BrumeModel
import BrumePredicate
import BrumeTestKit
import Testing

struct GlobeCellsTests {
  /// What the evaluator calls near must be in a covered square: at the poles, across the
  /// antimeridian, for metres and for half the globe.
  @Test func `a place within the distance is always in one of the squares`() throws {
    var random = SeededRandom(seed: 3)
    func coordinate(_ limit: Double) -> Double {
      random.one(in: 5)
        ? limit * (random.one(in: 2) ? 1 : -1)
        : Double(random.next(below: 2_000_001) - 1_000_000) / 1_000_000 * limit
    }
    var near = 0
    for _ in 0..<20_000 {
      let centre = Location(latitude: coordinate(90), longitude: coordinate(180))
      let metres = random.pick([0, 1, 50, 3000, 200_000, 2e6, 1e7, 2e7, 3e7])
      let reach = metres / 111_000
      let place = Location(
        latitude: max(-90, min(90, centre.latitude + coordinate(1) * reach)),
        longitude: random.one(in: 3)
          ? -centre.longitude : max(-180, min(180, centre.longitude + coordinate(1) * reach)))
      guard let distance = centre.distance(to: place), distance <= metres,
        let cover = GlobeCells.covering(centre, metres: metres)
      else { continue }
      near += 1
      let cell = try #require(GlobeCells.cell(of: place, level: cover.level))
      #expect(cover.cells.contains(cell), "\(centre) \(place) \(metres)")
      #expect(cover.cells.count <= GlobeCells.most)
      let number = try #require(GlobeCells.number(of: place))
      let numbers = try #require(GlobeCells.numbers(near: centre, metres: metres))
      #expect(numbers.contains { $0.contains(number) }, "\(centre) \(place) \(metres)")
    }
    #expect(near > 2000)
  }

  @Test func `no place in a square is nearer than the square, and its numbers are in it`() throws {
    var random = SeededRandom(seed: 5)
    func coordinate(_ limit: Double) -> Double {
      random.one(in: 6)
        ? limit * (random.one(in: 2) ? 1 : -1)
        : Double(random.next(below: 2_000_001) - 1_000_000) / 1_000_000 * limit
    }
    for _ in 0..<2000 {
      let from = Location(latitude: coordinate(90), longitude: coordinate(180))
      let place = Location(latitude: coordinate(90), longitude: coordinate(180))
      let distance = try #require(from.distance(to: place))
      let number = try #require(GlobeCells.number(of: place))
      var squares = GlobeCells.Square.halves
      var levels = 0
      while let square = squares.first(where: { $0.numbers.contains(number) }) {
        #expect(square.distance(from: from) <= distance, "\(from) \(place) \(square)")
        levels += 1
        squares = square.quarters
        // The bound gets close: a finest square is some hundred metres wide.
        if squares.isEmpty { #expect(square.distance(from: from) > distance * 0.999 - 1000) }
      }
      #expect(levels == 17)
    }
  }

  @Test func `a small circle is a few small squares`() throws {
    let zurich = Location(latitude: 47.37, longitude: 8.54)
    let cover = try #require(GlobeCells.covering(zurich, metres: 500))
    #expect(cover.level >= 13)
  }
}
