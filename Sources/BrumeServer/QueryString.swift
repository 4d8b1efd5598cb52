// The query part of a request target. Parsed once, totally: any text gives a value.

package struct QueryString: Equatable, Sendable {
  private let pairs: [(name: String, value: String)]

  /// - Parameter target: the request target, `/path?name=value&…`.
  package init(target: String) {
    let bytes = Array(target.utf8)
    guard let start = bytes.firstIndex(of: UInt8(ascii: "?")) else {
      pairs = []
      return
    }
    let end = bytes[start...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
    pairs = bytes[(start + 1)..<end].split(separator: UInt8(ascii: "&")).map { pair in
      let middle = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      return (Self.decoded(pair[..<middle]), Self.decoded(pair[middle...].dropFirst()))
    }
  }

  /// The first value of a name; an empty one counts as absent.
  package subscript(_ name: String) -> String? {
    pairs.first { $0.name == name && !$0.value.isEmpty }?.value
  }

  package static func == (a: QueryString, b: QueryString) -> Bool {
    a.pairs.elementsEqual(b.pairs) { $0 == $1 }
  }

  /// Undoes percent encoding. A stray `%` stands for itself and `+` is a plus: web auth tokens are
  /// base64, and some clients leave their `+` unescaped.
  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    var rest = bytes
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let high = digit(rest[rest.startIndex]), let low = digit(rest[rest.startIndex + 1])
      {
        text.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
