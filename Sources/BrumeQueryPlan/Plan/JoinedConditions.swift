// Conditions on one field that together are one range: both ends of it, or one condition twice.

import BrumeModel

extension ZonePlan.Condition {
  /// One condition for both; nil: they are not about one range of rows.
  func joined(with other: Self) -> Self? {
    guard rows.key.id == other.rows.key.id, isRough == other.isRough else { return nil }
    let range = rows.range == other.rows.range ? rows.range : bounded(by: other)
    return range.map {
      Self(
        ready: ready + other.ready.filter { !filters.contains($0.filter) },
        rows: ZonePlan.Rows(key: rows.key, range: $0), isRough: isRough)
    }
  }

  /// Of a list one element may meet one condition, and another the other.
  private func bounded(by other: Self) -> ValueRange? {
    rows.key.kind.isSingle ? rows.range.bounded(by: other.rows.range) : nil
  }
}

extension ValueRange {
  /// The values that are in both ranges, if both go from one end to another.
  fileprivate func bounded(by other: Self) -> Self? {
    guard case .between(let lower, let upper) = self, case .between(let low, let high) = other
    else { return nil }
    return .between(
      lower: Bound.narrower(lower, low) { $0.lexicographicallyPrecedes($1) },
      upper: Bound.narrower(upper, high) { $1.lexicographicallyPrecedes($0) })
  }
}

extension ValueRange.Bound {
  /// - Parameter leaves: whether the second end leaves less than the first.
  fileprivate static func narrower(
    _ a: Self?, _ b: Self?, _ leaves: ([UInt8], [UInt8]) -> Bool
  ) -> Self? {
    guard let a, let b else { return a ?? b }
    let (first, second) = (a.value.orderedBytes, b.value.orderedBytes)
    if first == second { return a.isIncluded ? b : a }
    return leaves(first, second) ? b : a
  }
}
