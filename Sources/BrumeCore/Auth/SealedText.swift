// The text form of sealed bytes: base64 in the alphabet that needs no escaping in URLs, without
// padding. One text per value: a sealed text has no second spelling that opens too.

import BrumeModel

enum SealedText {
  static func text(_ bytes: [UInt8]) -> String {
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

  static func bytes(_ text: String) -> [UInt8]? {
    var standard = Array(text.utf8)
    for index in standard.indices {
      switch standard[index] {
      case UInt8(ascii: "-"): standard[index] = UInt8(ascii: "+")
      case UInt8(ascii: "_"): standard[index] = UInt8(ascii: "/")
      case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
      default: break
      }
    }
    return Base64.bytes(String(decoding: standard, as: UTF8.self))
  }
}
