// One order over field values: what "less than" and "sorted" mean on every engine. Text is ordered
// by its bytes, numbers by their exact value whatever their type, references by their name.

package import BrumeModel

/// The outcome of a comparison.
package enum Order: Sendable {
  case before, same, after

  /// The order of the same values the other way round.
  package var reversed: Order {
    switch self {
    case .before: .after
    case .same: .same
    case .after: .before
    }
  }

  /// Nil when the two cannot be compared: other types, lists, files, not a number.
  package static func of(_ a: FieldValue, _ b: FieldValue) -> Order? {
    switch (a, b) {
    case (.string(let x), .string(let y)): text(x, y)
    case (.int64(let x), .int64(let y)): exact(x, y)
    case (.double(let x), .double(let y)): number(x, y)
    case (.int64(let x), .double(let y)): number(x, y)
    case (.double(let x), .int64(let y)): number(y, x)?.reversed
    case (.timestamp(let x, _), .timestamp(let y, _)): exact(x, y)
    case (.reference(let x), .reference(let y)): text(x.recordName, y.recordName)
    case (.bytes(let x), .bytes(let y)): sequence(x, y)
    case (.location(let x), .location(let y)): point(x, y)
    default: nil
    }
  }

  /// Byte order, the same as SQLite's BINARY and PostgreSQL's "C".
  package static func text(_ a: String, _ b: String) -> Order { sequence(a.utf8, b.utf8) }

  /// The order of two values by Swift's own operators.
  package static func exact<T: Comparable>(_ a: T, _ b: T) -> Order {
    a < b ? .before : a == b ? .same : .after
  }

  /// -0.0 equals 0.0. Nil when one is not a number.
  package static func number(_ a: Double, _ b: Double) -> Order? {
    a.isNaN || b.isNaN ? nil : exact(a, b)
  }

  /// Exact: converting the integer to a double would make 2^53 + 1 equal to 2^53.
  package static func number(_ a: Int64, _ b: Double) -> Order? {
    if b.isNaN { return nil }
    if b >= 0x1p63 { return .before }
    if b < -0x1p63 { return .after }
    let whole = b.rounded(.towardZero)
    let order = exact(a, Int64(whole))
    return order == .same ? exact(0, b - whole) : order
  }

  private static func sequence<S: Sequence<UInt8>>(_ a: S, _ b: S) -> Order {
    var (first, second) = (a.makeIterator(), b.makeIterator())
    while true {
      switch (first.next(), second.next()) {
      case (nil, nil): return .same
      case (nil, _): return .before
      case (_, nil): return .after
      case (let x?, let y?): if x != y { return x < y ? .before : .after }
      }
    }
  }

  private static func point(_ a: Location, _ b: Location) -> Order? {
    guard let latitude = number(a.latitude, b.latitude),
      let longitude = number(a.longitude, b.longitude)
    else { return nil }
    return latitude == .same ? longitude : latitude
  }
}

extension Order {
  /// As `of`, but defined for any two values, for sorting: values that cannot be compared are
  /// ordered by type, and two of a type without order are equal.
  package static func total(_ a: FieldValue, _ b: FieldValue) -> Order {
    of(a, b) ?? exact(rank(a), rank(b))
  }

  private static func rank(_ value: FieldValue) -> Int {
    switch value {
    case .double(let number) where number.isNaN: 0
    case .int64, .double: 1
    case .timestamp: 2
    case .string: 3
    case .reference: 4
    case .bytes: 5
    case .location: 6
    case .asset: 7
    case .list: 8
    }
  }
}
