// Standard base64 with padding: the text form of bytes on the wire.
//
// Reading is strict about the alphabet and tolerant about missing padding. Foundation's coder is not
// used, so that the lower layers stay free of it.

/// Writes and reads standard base64.
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
    let start = output.count
    // Written below: a byte that is appended alone costs several times as much.
    output.append(contentsOf: repeatElement(UInt8(ascii: "="), count: (bytes.count + 2) / 3 * 4))
    bytes.withUnsafeBufferPointer { bytes in
      output.withUnsafeMutableBufferPointer { write(bytes, to: $0[start...]) }
    }
  }

  /// Writes the digits of `bytes`, without padding.
  private static func write(
    _ bytes: UnsafeBufferPointer<UInt8>, to output: Slice<UnsafeMutableBufferPointer<UInt8>>
  ) {
    digits.withUnsafeBufferPointer { digits in
      let output = UnsafeMutableBufferPointer(rebasing: output)
      var (at, place) = (0, 0)
      while at + 2 < bytes.count {
        let word = Int(bytes[at]) << 16 | Int(bytes[at + 1]) << 8 | Int(bytes[at + 2])
        output[place] = digits[word >> 18]
        output[place + 1] = digits[word >> 12 & 63]
        output[place + 2] = digits[word >> 6 & 63]
        output[place + 3] = digits[word & 63]
        (at, place) = (at + 3, place + 4)
      }
      guard at < bytes.count else { return }
      let isOne = bytes.count - at == 1
      let word = Int(bytes[at]) << 16 | (isOne ? 0 : Int(bytes[at + 1]) << 8)
      output[place] = digits[word >> 18]
      output[place + 1] = digits[word >> 12 & 63]
      if !isOne { output[place + 2] = digits[word >> 6 & 63] }
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
    var text = text
    return text.withUTF8 { bytes(of: $0) }
  }

  private static func bytes(of text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var count = text.count
    if count % 4 == 0, count > 0, text[count - 1] == UInt8(ascii: "=") {
      count -= text[count - 2] == UInt8(ascii: "=") ? 2 : 1
    }
    guard count % 4 != 1 else { return nil }
    var isValid = false
    let bytes = [UInt8](unsafeUninitializedCapacity: count / 4 * 3 + 2) { output, written in
      isValid = read(UnsafeBufferPointer(rebasing: text[..<count]), to: output, &written)
    }
    return isValid ? bytes : nil
  }

  /// Four digits at a time, then what is left. Answers whether it was base64.
  private static func read(
    _ text: UnsafeBufferPointer<UInt8>, to output: UnsafeMutableBufferPointer<UInt8>,
    _ written: inout Int
  ) -> Bool {
    values.withUnsafeBufferPointer { values in
      var (at, place) = (0, 0)
      // 0xff, for what is no digit, has bits that no value has.
      var seen: UInt8 = 0
      while at + 3 < text.count {
        let (a, b) = (values[Int(text[at])], values[Int(text[at + 1])])
        let (c, d) = (values[Int(text[at + 2])], values[Int(text[at + 3])])
        seen |= a | b | c | d
        output[place] = a << 2 | b >> 4
        output[place + 1] = b << 4 | c >> 2
        output[place + 2] = c << 6 | d
        (at, place) = (at + 4, place + 3)
      }
      var (word, bits): (UInt32, UInt32) = (0, 0)
      for digit in text[at...] {
        let value = values[Int(digit)]
        seen |= value
        (word, bits) = (word << 6 | UInt32(value), bits + 6)
        guard bits >= 8 else { continue }
        bits -= 8
        output[place] = UInt8(truncatingIfNeeded: word >> bits)
        place += 1
      }
      written = place
      // Left-over bits would make several texts stand for the same bytes.
      return seen < 64 && word & ((1 << bits) - 1) == 0
    }
  }
}
