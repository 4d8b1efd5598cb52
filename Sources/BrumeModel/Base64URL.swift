// Base64 in the alphabet that needs no escaping in URLs (RFC 4648, section 5), without padding: sealed
// texts, and the parts of JSON web tokens and keys.

/// Writes and reads base64 for URLs.
package enum Base64URL {
  /// The text of `bytes`.
  package static func text(_ bytes: [UInt8]) -> String {
    var text = Array(Base64.text(bytes).utf8)
    while text.last == UInt8(ascii: "=") { text.removeLast() }
    for index in text.indices {
      switch text[index] {
      case UInt8(ascii: "+"): text[index] = UInt8(ascii: "-")
      case UInt8(ascii: "/"): text[index] = UInt8(ascii: "_")
      default: break
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes that `text` stands for; nil if it is anything else. One text per value: none has a
  /// second spelling that is read too.
  package static func bytes(_ text: String) -> [UInt8]? {
    let isForeign = text.utf8.contains {
      $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "=")
    }
    return isForeign ? nil : lenientBytes(text)
  }

  /// Reads both alphabets, padded or not: browsers and distributors of pushes differ.
  package static func lenientBytes(_ text: String) -> [UInt8]? {
    var standard = Array(text.utf8)
    for index in standard.indices {
      switch standard[index] {
      case UInt8(ascii: "-"): standard[index] = UInt8(ascii: "+")
      case UInt8(ascii: "_"): standard[index] = UInt8(ascii: "/")
      default: break
      }
    }
    return Base64.bytes(String(decoding: standard, as: UTF8.self))
  }
}
