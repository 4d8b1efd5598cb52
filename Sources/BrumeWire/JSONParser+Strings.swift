// Texts. Nearly all have no escapes, so those are found eight bytes at a time and copied once.

import BrumeModel

extension JSONParser {
  /// Reads the rest of a text; the opening quotation mark is behind us.
  mutating func text() throws(JSONFault) -> String {
    let start = at
    at = endOfPlainRun(from: at)
    guard at < bytes.count else { throw fault("the text ends inside quotation marks") }
    if bytes[at] == UInt8(ascii: "\"") {
      let text = try copied(UnsafeBufferPointer(rebasing: bytes[start..<at]))
      at += 1
      return text
    }
    return try textWithEscapes(from: start)
  }

  private func copied(_ run: UnsafeBufferPointer<UInt8>) throws(JSONFault) -> String {
    guard let text = String(validating: run, as: UTF8.self) else {
      throw fault("the text before this is not valid UTF-8")
    }
    return text
  }

  private func endOfPlainRun(from start: Int) -> Int { Self.endOfPlainRun(in: bytes, from: start) }

  /// The first quotation mark, backslash or control character at or after `start`.
  static func endOfPlainRun(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var at = start
    if let base = bytes.baseAddress.map({ UnsafeRawPointer($0) }) {
      while bytes.count - at >= 8 {
        let word = base.loadUnaligned(fromByteOffset: at, as: UInt64.self)
        if hasSpecial(word) { break }
        at += 8
      }
    }
    while at < bytes.count {
      let byte = bytes[at]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
      at += 1
    }
    return at
  }

  /// True if one of eight bytes is a quotation mark, a backslash or below 0x20.
  private static func hasSpecial(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let high: UInt64 = 0x8080_8080_8080_8080
    let quote = word ^ (ones &* 0x22)
    let slash = word ^ (ones &* 0x5c)
    let control = (word &- ones &* 0x20) & ~word
    return (((quote &- ones) & ~quote) | ((slash &- ones) & ~slash) | control) & high != 0
  }

  private mutating func textWithEscapes(from start: Int) throws(JSONFault) -> String {
    var plain = Array(bytes[start..<at])
    while true {
      guard at < bytes.count else { throw fault("the text ends inside quotation marks") }
      switch bytes[at] {
      case UInt8(ascii: "\""):
        let text = String(validating: plain, as: UTF8.self)
        guard let text else { throw fault("the text before this is not valid UTF-8") }
        at += 1
        return text
      case UInt8(ascii: "\\"):
        at += 1
        try escape(into: &plain)
      case 0..<0x20: throw fault("control characters in texts must be escaped")
      default:
        let run = at
        at = endOfPlainRun(from: at)
        plain.append(contentsOf: bytes[run..<at])
      }
    }
  }

  private mutating func escape(into plain: inout [UInt8]) throws(JSONFault) {
    guard at < bytes.count else { throw fault("the text ends inside an escape") }
    let letter = bytes[at]
    at += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): plain.append(letter)
    case UInt8(ascii: "b"): plain.append(0x08)
    case UInt8(ascii: "f"): plain.append(0x0c)
    case UInt8(ascii: "n"): plain.append(0x0a)
    case UInt8(ascii: "r"): plain.append(0x0d)
    case UInt8(ascii: "t"): plain.append(0x09)
    case UInt8(ascii: "u"): plain.append(contentsOf: String(try scalar()).utf8)
    default: throw fault("unknown escape")
    }
  }

  /// The character of one `\u` escape, or of two that are a surrogate pair.
  private mutating func scalar() throws(JSONFault) -> Character {
    let first = try hexUnit()
    if first == 0, !allowsNUL { throw fault("U+0000 is not allowed in texts") }
    guard (0xd800..<0xe000).contains(first) else {
      return Character(Unicode.Scalar(first) ?? "\u{fffd}")
    }
    guard first < 0xdc00, bytes.count - at >= 6, bytes[at] == UInt8(ascii: "\\"),
      bytes[at + 1] == UInt8(ascii: "u")
    else { throw fault("a surrogate without its partner") }
    at += 2
    let second = try hexUnit()
    guard (0xdc00..<0xe000).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xd800) << 10 + (second - 0xdc00))
    else { throw fault("a surrogate without its partner") }
    return Character(scalar)
  }

  private mutating func hexUnit() throws(JSONFault) -> UInt32 {
    guard bytes.count - at >= 4 else { throw fault("the text ends inside an escape") }
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = Hex.value(of: bytes[at]) else {
        throw fault("four hex digits must follow \\u")
      }
      unit = unit << 4 | UInt32(digit)
      at += 1
    }
    return unit
  }
}
