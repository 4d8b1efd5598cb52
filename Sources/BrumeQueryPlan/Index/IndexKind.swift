// The kinds of values in the query index. Values of different kinds have different keys, so that all
// values under one key have one order, which is exactly `Order.of`.

/// Raw values are stored: never change one.
package enum IndexKind: Int64, Hashable, Sendable {
  case number = 1
  case timestamp = 2
  case text = 3
  /// By record name only: conditions on references look at nothing else.
  case reference = 4
  /// A value that is there but not in the index. The key only says so.
  case unindexed = 5
  /// The square of the globe that holds a place: leads to candidates only.
  case place = 6
  case numbers = 17
  case timestamps = 18
  case texts = 19
  case references = 20
  case places = 21

  /// The kind of a list's elements.
  package var ofElements: IndexKind {
    switch self {
    case .number, .numbers: .numbers
    case .timestamp, .timestamps: .timestamps
    case .text, .texts: .texts
    case .reference, .references: .references
    case .place, .places: .places
    case .unindexed: .unindexed
    }
  }
  /// Whether a record has at most one value under such a key.
  package var isSingle: Bool { rawValue < IndexKind.unindexed.rawValue || self == .place }
  /// Whether the rows say only roughly what the values are.
  package var isRough: Bool { self == .place || self == .places }
  /// Whether the values are texts; all others are numbers.
  package var holdsText: Bool {
    switch self {
    case .text, .reference, .texts, .references: true
    case .number, .timestamp, .unindexed, .place, .numbers, .timestamps, .places: false
    }
  }
}
