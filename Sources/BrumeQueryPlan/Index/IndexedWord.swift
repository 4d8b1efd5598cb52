// How words are written in the index. The evaluator compares them as texts, for which composed and
// decomposed spellings are equal, and an engine compares bytes. Words with marks that folding leaves
// therefore share the row of the empty word: whoever searches looks there too, and evaluates the records.

/// Spells words for the index.
package enum IndexedWord {
  /// The row of words that have no spelling of their own.
  package static let others = ""

  /// How a word is written in the index: of two words that are equal, either both have the same
  /// spelling, or each has one of their `spellings`, or one has none. Nil: the word has marks, with which it may be written
  /// in other ways.
  package static func spelling(of word: String) -> String? {
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

  /// How words that are equal to this one are written in the index; nil: the word has no spelling, or very many.
  package static func spellings(of word: String) -> [String]? {
    guard let spelling = spelling(of: word) else { return nil }
    if spelling == word, word.utf8.allSatisfy({ $0 < 0x80 }) { return [word] }
    var all: [String.UnicodeScalarView] = [.init()]
    for scalar in spelling.unicodeScalars {
      let ways = numeralSigns.contains(scalar) ? numeralSigns : [scalar]
      guard all.count * ways.count <= 8 else { return nil }
      all = all.flatMap { start in ways.map { start + [$0] } }
    }
    return all.map { String($0) }
  }

  /// Equal letters that have no marks, and are in the index as a record has them.
  private static let numeralSigns: [Unicode.Scalar] = ["\u{2b9}", "\u{374}"]

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
