// Cutting texts without breaking a character.

/// Shortens texts.
package enum TextCut {
  /// The longest beginning of whole characters within `bytes`. A single character that is longer
  /// than that (accents without end) is cut between its scalars.
  package static func prefix(_ text: String, bytes: Int) -> String {
    if text.utf8.count <= bytes { return text }
    let cut = text.utf8.index(text.startIndex, offsetBy: bytes)
    // The beginning of the character that it is in, without looking at all before it.
    let end = text.index(before: text.index(after: cut))
    return end > text.startIndex ? String(text[..<end]) : scalars(text, bytes: bytes)
  }

  /// At most `count` characters, and never more than four bytes for each of them.
  package static func prefix(_ text: String, characters count: Int) -> String {
    prefix(String(text.prefix(count)), bytes: count * 4)
  }

  private static func scalars(_ text: String, bytes: Int) -> String {
    var kept = String.UnicodeScalarView()
    var length = 0
    for scalar in text.unicodeScalars {
      length += UTF8.width(scalar)
      if length > bytes { break }
      kept.append(scalar)
    }
    return String(kept)
  }
}
