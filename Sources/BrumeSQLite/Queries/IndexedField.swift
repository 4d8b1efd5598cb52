// What of a record one part of the query index holds: a field's value, or the words of its text.
//
// Words are compared by the evaluator as texts, for which composed and decomposed spellings are equal,
// and by SQLite as bytes. Words with marks that folding leaves therefore share the row of the empty
// word: whoever searches looks there too, and judges the records.

import BrumeModel
import BrumePredicate
import BrumeStorage

enum IndexedField: Hashable, Sendable {
  case value(FieldName)
  /// The words of one field, or of every field; for token search.
  case words(String?)

  /// Fields begin with a letter, system fields with underscores, words with this.
  private static let wordsMark = "~"

  /// The name in the index.
  var indexName: String {
    switch self {
    case .value(let field): field.indexName
    case .words(let name): Self.wordsMark + (name ?? "")
    }
  }

  init(indexName name: String) {
    guard name.hasPrefix(Self.wordsMark) else {
      self = .value(FieldName(indexName: name))
      return
    }
    let field = String(name.dropFirst())
    self = .words(field.isEmpty ? nil : field)
  }
}

extension IndexedField {
  /// What leaves the index and what enters it. Of a long text most words stay.
  static func difference(
    _ field: IndexedField, _ before: FieldValue?, _ after: FieldValue?
  ) -> (gone: FieldValue?, come: FieldValue?) {
    guard case .words = field, case .list(let old, _) = before, case .list(let new, _) = after
    else { return (before, after) }
    let (known, wanted) = (Set(old.map(\.bytes)), Set(new.map(\.bytes)))
    return (
      .list(old.filter { !wanted.contains($0.bytes) }, of: .string),
      .list(new.filter { !known.contains($0.bytes) }, of: .string)
    )
  }
}

extension FieldValue {
  fileprivate var bytes: ByteText {
    if case .string(let text) = self { ByteText(text) } else { ByteText("") }
  }
}

extension Record {
  /// What of the record the index holds there.
  func indexedValue(of field: IndexedField, in database: DatabaseKey) -> FieldValue? {
    switch field {
    case .value(let name): indexedValue(of: name, in: database)
    case .words(let name): words(of: name).map { .list($0.map { .string($0) }, of: .string) }
    }
  }

  /// In byte order, so that equal words are equal lists.
  private func words(of name: String?) -> [String]? {
    let words: Set<String>?
    if let name {
      words = encryptedFields.contains(name) ? nil : fields[name].flatMap { Tokens.of($0) }
    } else {
      words = searchableWords { _ in true }
    }
    guard let words else { return nil }
    return Set(words.map { ByteText(IndexedWord.spelling(of: $0) ?? IndexedWord.others) }).sorted()
      .map(\.text)
  }
}

enum IndexedWord {
  /// The row of words that have no spelling of their own.
  static let others = ""

  /// How a word is written in the index: of two words that are equal, either both have the same
  /// spelling or one has none. Nil: the word has marks, with which it may be written in other ways.
  static func spelling(of word: String) -> String? {
    if word.utf8.allSatisfy({ $0 < 0x80 }) { return word }
    var spelling = String.UnicodeScalarView()
    for scalar in word.unicodeScalars {
      if let parts = hangul(scalar.value) {
        spelling.append(contentsOf: parts)
      } else if isMark(scalar) || isCompatibilityIdeograph(scalar.value) {
        return nil
      } else {
        spelling.append(scalar)
      }
    }
    return String(spelling)
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }

  /// Equal to another ideograph.
  private static func isCompatibilityIdeograph(_ scalar: UInt32) -> Bool {
    (0xf900...0xfaff).contains(scalar) || (0x2f800...0x2fa1f).contains(scalar)
  }

  /// A composed syllable in its parts, which are letters and no marks.
  private static func hangul(_ scalar: UInt32) -> [Unicode.Scalar]? {
    guard (0xac00...0xd7a3).contains(scalar) else { return nil }
    let index = scalar - 0xac00
    let tail = index % 28
    let parts =
      [0x1100 + index / 588, 0x1161 + index % 588 / 28] + (tail > 0 ? [0x11a7 + tail] : [])
    return parts.compactMap { Unicode.Scalar($0) }
  }
}
