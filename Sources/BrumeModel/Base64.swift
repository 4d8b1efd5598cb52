// Standard base64 with padding: the text form of bytes on the wire.
//
// Reading is strict about the alphabet and tolerant about missing padding. Foundation's coder is not
// used, so that the lower layers stay free of it.

package enum Base64 {
  private static let digits: [UInt8] = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0xff, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    return values
  }()

  /// Appends the text of `bytes`, padded.
  package static func append(_ bytes: [UInt8], to output: inout [UInt8]) {
    output.reserveCapacity(output.count + (bytes.count + 2) / 3 * 4)
    var at = 0
    while at + 2 < bytes.count {
      let word = UInt32(bytes[at]) << 16 | UInt32(bytes[at + 1]) << 8 | UInt32(bytes[at + 2])
      output.append(digits[Int(word >> 18)])
      output.append(digits[Int(word >> 12 & 63)])
      output.append(digits[Int(word >> 6 & 63)])
      output.append(digits[Int(word & 63)])
      at += 3
    }
    let pad = UInt8(ascii: "=")
    if bytes.count - at == 1 {
      let word = UInt32(bytes[at]) << 16
      output.append(contentsOf: [digits[Int(word >> 18)], digits[Int(word >> 12 & 63)], pad, pad])
    } else if bytes.count - at == 2 {
      let word = UInt32(bytes[at]) << 16 | UInt32(bytes[at + 1]) << 8
      output.append(contentsOf: [
        digits[Int(word >> 18)], digits[Int(word >> 12 & 63)], digits[Int(word >> 6 & 63)], pad,
      ])
    }
  }

  /// The text of `bytes`, padded.
  package static func text(_ bytes: [UInt8]) -> String {
    var output: [UInt8] = []
    append(bytes, to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  /// The bytes that `text` stands for; nil if it is not base64.
  package static func bytes(_ text: String) -> [UInt8]? {
    var digits = Array(text.utf8)
    if digits.count % 4 == 0, digits.last == UInt8(ascii: "=") {
      digits.removeLast()
      if digits.last == UInt8(ascii: "=") { digits.removeLast() }
    }
    guard digits.count % 4 != 1 else { return nil }
    var output: [UInt8] = []
    output.reserveCapacity(digits.count / 4 * 3 + 2)
    var word: UInt32 = 0
    var bits = 0
    for digit in digits {
      let value = values[Int(digit)]
      guard value != 0xff else { return nil }
      word = word << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        output.append(UInt8(truncatingIfNeeded: word >> UInt32(bits)))
      }
    }
    // Left-over bits would make several texts stand for the same bytes.
    guard word & ((1 << UInt32(bits)) - 1) == 0 else { return nil }
    return output
  }
}
