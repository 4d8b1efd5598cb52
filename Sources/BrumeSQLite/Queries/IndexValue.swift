// What of a field goes into the query index. Values of different kinds have different keys, so that
// SQLite's order within a key is exactly `Order.of`.

import BrumeModel
import BrumePredicate

/// Raw values are stored: never change one.
enum IndexKind: Int64, Hashable, Sendable {
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
  var ofElements: IndexKind {
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
  var isSingle: Bool { rawValue < IndexKind.unindexed.rawValue || self == .place }
  /// Whether the rows say only roughly what the values are.
  var isRough: Bool { self == .place || self == .places }
}

enum IndexValue: Equatable, Sendable {
  case int(Int64)
  case double(Double)
  case text(String)
  /// The beginning of a longer text, perhaps not valid UTF-8.
  case cut([UInt8])

  /// Ours: bytes of a text that the index holds. What begins alike is distinguished by the record.
  static let textLimit = 128

  init(cutting text: String) {
    self =
      text.utf8.count <= Self.textLimit
      ? .text(text) : .cut(Array(text.utf8.prefix(Self.textLimit)))
  }

  var isCut: Bool { if case .cut = self { true } else { false } }
}

extension FieldValue {
  /// The kind and value of something that is not a list. Nil: not in the index.
  var indexed: (kind: IndexKind, value: IndexValue)? {
    switch self {
    case .int64(let value): (.number, .int(value))
    // SQLite would turn "not a number" into NULL.
    case .double(let value): value.isNaN ? nil : (.number, .double(value))
    case .timestamp(let value, _): (.timestamp, .int(value))
    case .string(let value): (.text, IndexValue(cutting: value))
    case .reference(let value): (.reference, IndexValue(cutting: value.recordName))
    case .location(let place): GlobeCells.number(of: place).map { (.place, .int($0)) }
    case .bytes, .asset, .list: nil
    }
  }
}

extension Prepared {
  func bind(_ index: Int32, _ value: IndexValue) {
    switch value {
    case .int(let value): bind(index, value)
    case .double(let value): bind(index, value)
    case .text(let value): bind(index, value)
    case .cut(let bytes): bind(index, textBytes: bytes)
    }
  }
}

extension FieldName {
  /// Nearly every record of a private database was created by its owner. Such a row would cost much
  /// and select nothing, so the index has only other creators.
  func hidesOwner(of database: DatabaseKey) -> Bool {
    self == .system(.createdUserRecordName) && database.owner != nil
  }
}

extension Record {
  /// System fields that have a place in the index, besides the record's own fields. The record name
  /// has the records' own index; who modified a record last is looked up by nobody and left out.
  static let indexedSystemFields: [SystemField] = [
    .createdTimestamp, .modifiedTimestamp, .createdUserRecordName, .parent, .share,
  ]
}
