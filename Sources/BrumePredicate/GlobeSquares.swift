// Squares of the globe with the numbers of what is in them, halves first and each in its quarters, and
// how near a place in a square can be. Searches for the nearest go down into the nearest square first.

package import BrumeModel

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension GlobeCells {
  /// A square of some level.
  package struct Square: Equatable, Sendable {
    let level: UInt32
    let row: Int32
    let column: Int32

    /// All of the globe.
    package static let halves = [
      Square(level: 0, row: 0, column: 0), Square(level: 0, row: 0, column: 1),
    ]

    /// The four squares of the next level in it; none in the finest.
    package var quarters: [Square] {
      guard level < finest else { return [] }
      return [(0, 0), (0, 1), (1, 0), (1, 1)].map { up, right in
        Square(level: level + 1, row: 2 * row + up, column: 2 * column + right)
      }
    }

    /// The numbers of the finest squares in it.
    package var numbers: ClosedRange<Int64> {
      let number = GlobeCells.number(of: Cell(row: row, column: column), level: level)
      let shift = Int64(2 * (finest - level))
      return number << shift...(number << shift | (1 << shift - 1))
    }

    /// Metres to its nearest place, or a little less: no place in it is nearer.
    package func distance(from place: Location) -> Double {
      let degrees = 180 / Double(1 << level)
      let south = Double(row) * degrees - 90
      let west = Double(column) * degrees - 180
      let edge = Self.nearest(place.longitude, west, west + degrees)
      // On the meridian of the nearest edge the distance has one minimum.
      let turn = (edge - place.longitude) * .pi / 180
      let latitude = place.latitude * .pi / 180
      let foot = atan2(sin(latitude), cos(latitude) * cos(turn)) * 180 / .pi
      let distances = [south, south + degrees, min(max(foot, south), south + degrees)].compactMap {
        place.distance(to: Location(latitude: $0, longitude: edge))
      }
      return max(0, (distances.min() ?? 0) * 0.999_999 - 1)
    }

    /// The longitude of a square that is nearest to another, around the globe.
    private static func nearest(_ longitude: Double, _ west: Double, _ east: Double) -> Double {
      if longitude >= west, longitude <= east { return longitude }
      func turn(_ edge: Double) -> Double {
        let difference = abs(edge - longitude)
        return min(difference, 360 - difference)
      }
      return turn(west) <= turn(east) ? west : east
    }
  }
}
