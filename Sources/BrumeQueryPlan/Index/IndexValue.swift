// What of a field's value goes into the query index, and under which kind of key.

package import BrumeModel
import BrumePredicate

/// A value as one row of the index has it.
package enum IndexValue: Equatable, Sendable {
  /// A whole number, milliseconds since 1970, or the number of a square of the globe: the kind says it.
  case int(Int64)
  /// Never "not a number".
  case double(Double)
  /// A text or a record name, compared by its UTF-8 bytes.
  case text(String)
  /// The beginning of a longer text, perhaps not valid UTF-8.
  case cut([UInt8])

  /// Ours: bytes of a text that the index holds. What begins alike is distinguished by the record.
  package static let textLimit = 128

  /// The text as the index has it: if it is too long, its first bytes.
  package init(cutting text: String) {
    self =
      text.utf8.count <= Self.textLimit
      ? .text(text) : .cut(Array(text.utf8.prefix(Self.textLimit)))
  }

  /// Whether it stands for a longer text, so that what it finds must be judged.
  package var isCut: Bool { if case .cut = self { true } else { false } }
}

extension IndexValue {
  /// Texts are equal by their bytes; Swift's own operator takes other spellings of a character for equal.
  package static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.int(let x), .int(let y)): x == y
    case (.double(let x), .double(let y)): x == y
    case (.text(let x), .text(let y)): x.utf8.elementsEqual(y.utf8)
    case (.cut(let x), .cut(let y)): x == y
    case (.int, _), (.double, _), (.text, _), (.cut, _): false
    }
  }
}

extension FieldValue {
  /// The kind and value of something that is not a list. Nil: not in the index.
  package var indexed: (kind: IndexKind, value: IndexValue)? {
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

  /// Calls `visit` with each row that the value has in the index: one, one for each element of a list,
  /// or none. By a call and not as an array, because every save comes through here.
  package func eachIndexRow(_ visit: (IndexKind, IndexValue) throws -> Void) rethrows {
    guard case .list(let elements, _) = self else {
      if let (kind, value) = indexed { try visit(kind, value) }
      return
    }
    for element in elements {
      if let (kind, value) = element.indexed { try visit(kind.ofElements, value) }
    }
  }
}
