// Words for token search: letters and digits, without case and accents, without the stop words that
// CloudKit documents. A text in a script without spaces is one word; there is no dictionary here.

package import BrumeModel

/// Cuts texts into words.
package enum Tokens {
  /// Words that CloudKit's full-text search ignores.
  // CloudKit: the list is in the documentation of CKQuery.
  package static let ignored: Set<String> = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it",
    "no", "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they",
    "this", "to", "was", "will", "with",
  ]

  /// The folded words of a text. Composed and decomposed spellings give equal words.
  package static func of(_ text: String) -> Set<String> {
    var words: Set<String> = []
    var word = String.UnicodeScalarView()
    func finish() {
      if !word.isEmpty, !ignored.contains(String(word)) { words.insert(String(word)) }
      word.removeAll(keepingCapacity: true)
    }
    for scalar in text.unicodeScalars {
      if isWordPart(scalar) { fold(scalar, into: &word) } else { finish() }
    }
    finish()
    return words
  }

  /// The words of a value: a text's own, or those of every text of a list. Nil for other types.
  package static func of(_ value: FieldValue) -> Set<String>? {
    switch value {
    case .string(let text): of(text)
    case .list(let elements, of: .string), .list(let elements, of: nil):
      elements.reduce(into: []) { words, element in words.formUnion(of(element) ?? []) }
    case .list, .int64, .double, .bytes, .timestamp, .location, .reference, .asset: nil
    }
  }

  private static func isWordPart(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      return switch scalar.value {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
      default: false
      }
    }
    return switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
      true
    default: false
    }
  }
}

// MARK: Folding

extension Tokens {
  /// Upper case first: it spells out `ß`, the final sigma and ligatures.
  private static func fold(_ scalar: Unicode.Scalar, into word: inout String.UnicodeScalarView) {
    if scalar.isASCII {
      let isUpper = (0x41...0x5a).contains(scalar.value)
      word.append(isUpper ? Unicode.Scalar(UInt8(scalar.value) | 0x20) : scalar)
      return
    }
    let place = Int(scalar.value) - firstFolded
    if place < folded.count { word += folded[place] } else { word += folding(of: scalar) }
  }

  private static let firstFolded = 0x80
  /// Of all scalars of alphabets that have accents or case, because asking Unicode's tables takes a hundred times as long.
  private static let folded: [[Unicode.Scalar]] = (UInt32(firstFolded)...0x1fff).map {
    Unicode.Scalar($0).map { folding(of: $0) } ?? []
  }

  private static func folding(of scalar: Unicode.Scalar) -> [Unicode.Scalar] {
    scalar.properties.uppercaseMapping.unicodeScalars.flatMap { upper in
      upper.properties.lowercaseMapping.unicodeScalars.filter { !isAccent($0) }
        .map { withoutAccent($0) }
    }
  }

  private static func isAccent(_ scalar: Unicode.Scalar) -> Bool {
    (0x300...0x36f).contains(scalar.value)
  }

  /// `é` is named "LATIN SMALL LETTER E WITH ACUTE": what is before "WITH" is the letter below.
  private static func withoutAccent(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    guard (0x80...0x1fff).contains(scalar.value) else { return scalar }
    if let base = cyrillic[scalar] { return base }
    guard let name = scalar.properties.name, let end = with(in: name) else { return scalar }
    return letters[String(name.prefix(end))] ?? scalar
  }

  /// How many characters stand before " WITH ".
  private static func with(in name: String) -> Int? {
    let bytes = Array(name.utf8)
    let word = Array(" WITH ".utf8)
    guard bytes.count > word.count else { return nil }
    return (0...(bytes.count - word.count)).first { start in
      bytes[start..<(start + word.count)].elementsEqual(word)
    }
  }

  /// Lower-case letters of the alphabets that carry accents, by name.
  private static let letters: [String: Unicode.Scalar] = {
    var letters: [String: Unicode.Scalar] = [:]
    for value in Array(UInt32(0x61)...0x7a) + Array(0xe0...0x52f) {
      guard let scalar = Unicode.Scalar(value),
        scalar.properties.generalCategory == .lowercaseLetter,
        let name = scalar.properties.name, with(in: name) == nil
      else { continue }
      letters[name] = scalar
    }
    return letters
  }()

  /// Letters that decompose to a letter and an accent but do not say so in their names.
  private static let cyrillic: [Unicode.Scalar: Unicode.Scalar] = [
    "й": "и", "ё": "е", "ї": "і", "ў": "у", "ѓ": "г", "ќ": "к",
  ]
}
