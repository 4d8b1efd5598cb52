// Which rows under one key of the index satisfy a condition, as ranges of their values.

/// A set of values of the index.
package enum ValueRange: Equatable, Sendable {
  case equals(IndexValue)
  /// At least two values.
  case oneOf([IndexValue])
  /// From one end to the other; nil: no end there.
  case between(lower: Bound?, upper: Bound?)
  /// Whole numbers in one of several ranges, which may be many at once.
  case within([ClosedRange<Int64>])

  /// One end of a range.
  package struct Bound: Equatable, Sendable {
    package let value: IndexValue
    package let isIncluded: Bool

    package init(value: IndexValue, isIncluded: Bool) {
      self.value = value
      self.isIncluded = isIncluded
    }
  }

  /// Every row of the key.
  package static let all = ValueRange.between(lower: nil, upper: nil)

  /// Whether the rows of the range have their names in order.
  package var isEquality: Bool { if case .equals = self { true } else { false } }
}

// MARK: Keys that hold only the beginnings of long texts

extension ValueRange {
  /// A range over beginnings that finds all that this one does, and perhaps more.
  var overBeginnings: ValueRange {
    switch self {
    case .equals(let value): .equals(value.beginning)
    case .oneOf(let values): .oneOf(values.map(\.beginning))
    case .between(let lower, let upper):
      .between(
        lower: lower.map { Bound(value: $0.value.beginning, isIncluded: true) },
        upper: upper.map { Bound(value: $0.value.beginning, isIncluded: true) })
    case .within: self
    }
  }
}

extension IndexValue {
  fileprivate var beginning: IndexValue {
    switch self {
    case .int, .double: self
    case .text(let text): IndexValue(cutting: text)
    case .cut(let bytes): .cut(Array(bytes.prefix(Self.textLimit)))
    }
  }
}
