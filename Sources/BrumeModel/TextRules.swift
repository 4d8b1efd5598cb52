// Which texts may enter, whichever way they come: in the path, the query, a header or the body. They
// are valid UTF-8, hold no control characters, and are no longer than their kind allows. What is
// allowed in a name beyond that is `NameRules.swift`.
//
// The values of a record's fields are content: `JSONParser` refuses U+0000 in them, and their size
// counts for the record's.

/// Checks texts that clients give.
package enum TextRules {
  /// The text that foreign bytes spell.
  ///
  /// - Parameter what: how the error calls it, such as "the parameter 'clientId'".
  /// - Throws: `badRequest` if they are not valid UTF-8.
  package static func text(_ bytes: [UInt8], _ what: String) throws(BrumeError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw BrumeError(.badRequest, "\(what) is not valid UTF-8; encode it as UTF-8")
    }
    return text
  }

  /// - Parameter maximum: in bytes of UTF-8.
  /// - Throws: `badRequest` if the text is longer, or holds a control character.
  package static func check(
    _ text: String, _ what: String, upTo maximum: Int
  ) throws(BrumeError) {
    let count = text.utf8.count
    guard count <= maximum else {
      throw BrumeError(
        .badRequest, "\(what) has \(count) bytes; the maximum is \(maximum); send a shorter one")
    }
    // Nearly all texts are ASCII, of which bytes say as much as characters.
    let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f }
    guard isPlain || !text.unicodeScalars.contains(where: isControl) else {
      throw BrumeError(.badRequest, "\(what) holds a control character; send it without")
    }
  }

  /// Unicode's category Cc.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
  }
}
