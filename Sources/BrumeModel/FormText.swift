// Texts in addresses and in forms (RFC 3986, 2.1): the one place that writes `%2F`.

/// Names and values as forms and addresses carry them.
package enum FormText {
  /// `name=value&…`, the values escaped; names are ours and need it not.
  package static func text(_ pairs: [(String, String)]) -> String {
    pairs.map { "\($0.0)=\(escaped($0.1))" }.joined(separator: "&")
  }

  /// What follows the path in an address: `?name=value&…`, or nothing.
  package static func query(_ pairs: [(String, String)]) -> String {
    pairs.isEmpty ? "" : "?" + text(pairs)
  }

  /// An address with more parameters.
  package static func address(_ base: String, adding pairs: [(String, String)]) -> String {
    base + (base.contains("?") ? "&" : "?") + text(pairs)
  }

  /// Everything but the letters and digits of ASCII and `-._~` as `%` and two upper-case digits for
  /// each byte of UTF-8.
  package static func escaped(_ text: String) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if isPlain(byte) {
        result.append(byte)
      } else {
        result += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte.isLetter || byte.isDigit || "-._~".utf8.contains(byte)
  }

  /// RFC 3986 wants upper-case letters, and signatures of S3 are made of them.
  private static func digit(_ number: UInt8) -> UInt8 {
    let digit = Hex.digit(number)
    return digit < UInt8(ascii: "a") ? digit : digit - 32
  }
}
