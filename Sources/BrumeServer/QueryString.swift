// The query part of a request target, parsed once and totally: any text gives a value or an error.

package import BrumeModel

/// The parameters of a request's target, decoded.
package struct QueryString: Equatable, Sendable {
  private let pairs: [(name: String, value: String)]

  /// - Parameter target: the request target, `/path?name=value&…`.
  /// - Throws: `badRequest` that names the parameter whose text may not enter (`TextRules`).
  package init(target: String, limits: Limits) throws(BrumeError) {
    let bytes = Array(target.utf8)
    guard let start = bytes.firstIndex(of: UInt8(ascii: "?")) else {
      pairs = []
      return
    }
    let end = bytes[start...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
    var pairs: [(name: String, value: String)] = []
    for pair in bytes[(start + 1)..<end].split(separator: UInt8(ascii: "&")) {
      let middle = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      let name = try Self.decoded(pair[..<middle], "a parameter's name", limits)
      let value = try Self.decoded(
        pair[middle...].dropFirst(), "the parameter '\(NameRules.shown(name))'", limits)
      pairs.append((name, value))
    }
    self.pairs = pairs
  }

  /// The first value of a name; an empty one counts as absent.
  package subscript(_ name: String) -> String? {
    pairs.first { $0.name == name && !$0.value.isEmpty }?.value
  }

  package static func == (a: QueryString, b: QueryString) -> Bool {
    a.pairs.elementsEqual(b.pairs) { $0 == $1 }
  }

  /// A part of a path, between two slashes, with percent encoding undone once: what was encoded twice stays encoded, and an
  /// encoded slash separates nothing.
  ///
  /// - Throws: `badRequest` that names the part.
  static func part(
    _ text: String, _ what: String, limits: Limits
  ) throws(BrumeError) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    return try decoded(Array(text.utf8)[...], what, limits)
  }

  /// Undoes percent encoding. `+` is a plus: web auth tokens are base64, and some clients leave their
  /// `+` unescaped.
  private static func decoded(
    _ bytes: ArraySlice<UInt8>, _ what: String, _ limits: Limits
  ) throws(BrumeError) -> String {
    var plain: [UInt8] = []
    plain.reserveCapacity(bytes.count)
    var rest = bytes
    while let sign = rest.firstIndex(of: UInt8(ascii: "%")) {
      plain += rest[..<sign]
      rest = rest[(sign + 1)...]
      guard rest.count >= 2, let high = Hex.value(of: rest[rest.startIndex]),
        let low = Hex.value(of: rest[rest.startIndex + 1])
      else {
        throw BrumeError(
          .badRequest, "\(what) has a '%' without two hex digits; write '%25' for the sign itself")
      }
      plain.append(high << 4 | low)
      rest = rest.dropFirst(2)
    }
    plain += rest
    let text = try TextRules.text(plain, what)
    try TextRules.check(text, what, upTo: limits.parameterBytes)
    return text
  }
}
