// Squares of the globe at several levels, so that "within so many metres of a place" is found by
// looking up one square a level instead of measuring every distance. Only a way to candidates: the
// distance itself is measured by the evaluator. Subscriptions look squares up level by level; storage
// engines number the finest squares so that a square of any level is one range of numbers.

package import BrumeModel

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Divides the globe into squares.
package enum GlobeCells {
  /// A square of a level, counted from the south pole and from 180 degrees west.
  package struct Cell: Equatable, Sendable {
    package let row: Int32
    package let column: Int32
  }
  /// At level n the globe has 2^n rows and 2^(n+1) columns; the finest rows are about 300 m high.
  package static let finest: UInt32 = 16
  /// Ours: squares that cover one circle.
  package static let most = 12

  /// The square of a place; nil for what is not on the globe.
  package static func cell(of place: Location, level: UInt32) -> Cell? {
    guard place.isOnGlobe else { return nil }
    let rows = Double(1 << level)
    return Cell(
      row: Int32(clamped((place.latitude + 90) / 180 * rows, rows)),
      column: column(place.longitude, rows * 2))
  }

  /// The squares that a circle touches, of the finest level where they are few. Nil for circles that
  /// cannot be: they match nothing, or everything, and the evaluator says which.
  package static func covering(
    _ centre: Location, metres: Double
  ) -> (level: UInt32, cells: [Cell])? {
    guard centre.isOnGlobe, metres >= 0, metres.isFinite else { return nil }
    // A little wider than the circle: rounding must not lose its edge.
    let angle = metres / Location.earthRadius * 180 / .pi * 1.000001 + 1e-7
    let south = centre.latitude - angle
    let north = centre.latitude + angle
    let width = halfWidth(centre.latitude, angle)
    for level in stride(from: finest, through: 1, by: -1) {
      if let cells = cells(level, south, north, centre.longitude, width) { return (level, cells) }
    }
    return nil
  }

  /// Half of the longitudes that the circle spans; 180 if it holds a pole.
  private static func halfWidth(_ latitude: Double, _ angle: Double) -> Double {
    guard abs(latitude) + angle < 90 else { return 180 }
    let ratio = sin(angle * .pi / 180) / cos(latitude * .pi / 180)
    return ratio >= 1 ? 180 : asin(ratio) * 180 / .pi * 1.000001 + 1e-7
  }

  private static func cells(
    _ level: UInt32, _ south: Double, _ north: Double, _ middle: Double, _ width: Double
  ) -> [Cell]? {
    let rows = Double(1 << level)
    let first = clamped((south + 90) / 180 * rows, rows)
    let last = clamped((north + 90) / 180 * rows, rows)
    let columns = Int(rows) * 2
    let size = 360 / Double(columns)
    let count = min(columns, Int(2 * width / size) + 2)
    guard (last - first + 1) * count <= most else { return nil }
    let start = Int(column(middle - width, Double(columns)))
    return (first...last).flatMap { row in
      (0..<count).map { Cell(row: Int32(row), column: Int32((start + $0) % columns)) }
    }
  }

  /// The antimeridian is one line: 180 and -180 are the same column.
  private static func column(_ longitude: Double, _ columns: Double) -> Int32 {
    var turn = ((longitude + 180) / 360).truncatingRemainder(dividingBy: 1)
    if turn < 0 { turn += 1 }
    return Int32(clamped(turn * columns, columns))
  }

  private static func clamped(_ value: Double, _ count: Double) -> Int {
    Int(max(0, min(count - 1, value.rounded(.down))))
  }
}

// MARK: Squares as numbers

extension GlobeCells {
  /// The number of the finest square of a place. Neighbours mostly have near numbers.
  package static func number(of place: Location) -> Int64? {
    cell(of: place, level: finest).map { number(of: $0, level: finest) }
  }

  /// The numbers of all finest squares that a circle may touch: few ranges, in order. Nil as for
  /// `covering`.
  package static func numbers(near centre: Location, metres: Double) -> [ClosedRange<Int64>]? {
    guard let (level, cells) = covering(centre, metres: metres) else { return nil }
    let shift = Int64(2 * (finest - level))
    return cells.map { number(of: $0, level: level) }.sorted().map {
      $0 << shift...($0 << shift | (1 << shift - 1))
    }
  }

  /// Bits of column and row in turn, the greatest first. Columns have one bit more. What a coarser
  /// square holds begins with its bits.
  static func number(of cell: Cell, level: UInt32) -> Int64 {
    var number = Int64(cell.column >> Int32(level)) & 1
    for bit in (0..<Int32(level)).reversed() {
      number = number << 2 | Int64(cell.row >> bit & 1) << 1 | Int64(cell.column >> bit & 1)
    }
    return number
  }
}
