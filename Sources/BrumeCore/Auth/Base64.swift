// Base64 in its two alphabets. Decoding is strict: one text per value, so that a sealed text has no
// second spelling that opens too.

enum Base64 {
  enum Alphabet: Sendable { case standard, url }

  static func text(_ bytes: [UInt8], _ alphabet: Alphabet) -> String {
    let digits = alphabet == .url ? urlDigits : standardDigits
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var index = 0
    while index < bytes.count {
      let count = min(3, bytes.count - index)
      var group: UInt32 = 0
      for offset in 0..<3 {
        group = group << 8 | (offset < count ? UInt32(bytes[index + offset]) : 0)
      }
      for offset in 0..<4 where offset <= count {
        text.append(digits[Int(group >> UInt32(18 - 6 * offset) & 63)])
      }
      if count < 3, alphabet == .standard {
        text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: 3 - count))
      }
      index += count
    }
    return String(decoding: text, as: UTF8.self)
  }

  static func bytes(_ text: String, _ alphabet: Alphabet) -> [UInt8]? {
    var input = Array(text.utf8)
    if alphabet == .standard {
      guard input.count % 4 == 0 else { return nil }
      for _ in 0..<2 where input.last == UInt8(ascii: "=") { input.removeLast() }
    }
    guard input.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(input.count * 3 / 4)
    var bits: UInt32 = 0
    var count = 0
    for byte in input {
      guard let digit = value(of: byte, alphabet) else { return nil }
      bits = bits << 6 | digit
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        bits &= (1 << UInt32(count)) - 1
      }
    }
    return bits == 0 ? bytes : nil
  }

  private static let letters = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
  private static let standardDigits = letters + Array("+/".utf8)
  private static let urlDigits = letters + Array("-_".utf8)

  private static func value(of byte: UInt8, _ alphabet: Alphabet) -> UInt32? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+") where alphabet == .standard: 62
    case UInt8(ascii: "/") where alphabet == .standard: 63
    case UInt8(ascii: "-") where alphabet == .url: 62
    case UInt8(ascii: "_") where alphabet == .url: 63
    default: nil
    }
  }
}
