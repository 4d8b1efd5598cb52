// Which texts name a web page's origin, and which an address that a token may be sent to. Checked
// when an operator registers them, so that what is compared later is what browsers send.

import BrumeModel

enum OriginRules {
  /// All origins of one API token.
  static func origins(_ texts: [String], limits: Limits) throws(BrumeError) {
    guard texts.count <= limits.originsPerToken else {
      throw BrumeError(
        .limitExceeded,
        "'origins' names \(texts.count); an API token is for at most \(limits.originsPerToken); make another token for the "
          + "rest")
    }
    for text in texts { try origin(text, limits: limits) }
  }

  /// `scheme://host` or `scheme://host:port`, in lower case and without a path: the form of the
  /// `Origin` header.
  static func origin(_ text: String, limits: Limits) throws(BrumeError) {
    let parts = split(text)
    guard let parts, text.utf8.count <= limits.originBytes, isScheme(parts.scheme), isPlain(text),
      !parts.rest.isEmpty, !parts.rest.utf8.contains(where: { "/?#@\\*".utf8.contains($0) }),
      !text.utf8.contains(where: { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") })
    else {
      throw BrumeError(
        .badRequest,
        "'\(text.prefix(80))' is not an origin such as 'https://app.example' or "
          + "'http://localhost:3000': a scheme, a host in lower case, perhaps a port, and no path")
    }
  }

  /// An address with a scheme that opens a page or an app, without a fragment.
  static func callback(_ text: String, limits: Limits) throws(BrumeError) {
    let refused = ["javascript", "data", "vbscript", "file", "blob", "about"]
    let parts = split(text)
    guard let parts, text.utf8.count <= limits.callbackBytes, isScheme(parts.scheme), isPlain(text),
      !refused.contains(parts.scheme.lowercased()), !parts.rest.isEmpty, !text.contains("#")
    else {
      throw BrumeError(
        .badRequest,
        "'\(text.prefix(80))' is not an address to return to, such as 'https://app.example/signed-in' "
          + "or 'trailbook://signed-in'")
    }
  }

  private static func split(_ text: String) -> (scheme: Substring, rest: Substring)? {
    text.firstRange(of: "://").map { (text[..<$0.lowerBound], text[$0.upperBound...]) }
  }

  private static func isScheme(_ text: Substring) -> Bool {
    guard text.utf8.first?.isLetter == true else { return false }
    return text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
  }

  private static func isPlain(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
  }
}
