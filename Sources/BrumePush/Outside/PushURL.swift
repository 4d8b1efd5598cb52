// A URL that somebody gave the server to call: read strictly, so that what is checked is what is called.

package import BrumeModel

/// An `http` or `https` URL, in parts.
package struct PushURL: Equatable, Sendable {
  /// Whom it names.
  package enum Host: Equatable, Sendable {
    case name(String)
    case address(IPAddress)
  }
  /// Whether the scheme is `https`.
  package let isEncrypted: Bool
  package let host: Host
  /// As it is given, or that of the scheme.
  package let port: Int
  /// Path and query, from the slash.
  package let target: String

  /// - Throws: `badRequest` with what is wrong. The URL itself is a secret and not repeated.
  package init(_ text: String) throws(BrumeError) {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\\") }) else {
      throw Self.wrong("may hold visible ASCII characters only")
    }
    let scheme: String
    if text.hasPrefix("https://") {
      scheme = "https://"
    } else if text.hasPrefix("http://") {
      scheme = "http://"
    } else {
      throw Self.wrong("must begin with https://")
    }
    isEncrypted = scheme == "https://"
    let rest = text.dropFirst(scheme.count)
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    guard !rest[end...].contains("#") else { throw Self.wrong("may not hold a fragment") }
    guard !rest[..<end].contains("@") else { throw Self.wrong("may not hold a user or password") }
    (host, port) = try Self.authority(rest[..<end], isEncrypted)
    let tail = String(rest[end...])
    target = tail.hasPrefix("/") ? tail : "/" + tail
  }

  /// Scheme, host and port: what VAPID calls the audience. Default ports are left out.
  package var origin: String {
    let isDefault = port == (isEncrypted ? 443 : 80)
    return (isEncrypted ? "https://" : "http://") + hostText + (isDefault ? "" : ":\(port)")
  }
  /// The URL as it is called.
  package var text: String { origin + target }

  /// As it stands in a URL.
  package var hostText: String {
    switch host {
    case .name(let name): name
    case .address(.v4(let number)): IPAddress.v4(number).description
    case .address(.v6(let bytes)): "[\(IPAddress.v6(bytes))]"
    }
  }

  /// The host as AsyncHTTPClient looks for it in its table of addresses.
  var pinName: String {
    switch host {
    case .name(let name): name
    case .address(let address): address.description
    }
  }

  private static func authority(
    _ text: Substring, _ isEncrypted: Bool
  ) throws(BrumeError) -> (Host, Int) {
    var name = text
    var port = isEncrypted ? 443 : 80
    let isBracketed = text.hasPrefix("[")
    let start = isBracketed ? text.firstIndex(of: "]") ?? text.startIndex : text.startIndex
    if let colon = text[start...].firstIndex(of: ":") {
      let digits = text[text.index(after: colon)...]
      guard (1...5).contains(digits.count), digits.allSatisfy({ $0.isASCII && $0.isNumber }),
        let number = Int(digits), (1...65_535).contains(number)
      else { throw wrong("has a port that is none") }
      port = number
      name = text[..<colon]
    }
    if isBracketed {
      guard name.hasSuffix("]"),
        case .v6(let bytes)? = IPAddress(String(name.dropFirst().dropLast()))
      else { throw wrong("has an IPv6 address that is none") }
      return (.address(.v6(bytes)), port)
    }
    return (try host(String(name).lowercased()), port)
  }

  /// A host whose last label is a number is an address to many resolvers, whatever its form: then it
  /// must be one in the plain form.
  private static func host(_ name: String) throws(BrumeError) -> Host {
    if let address = IPAddress(name) { return .address(address) }
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    let isName =
      name.utf8.count <= 253
      && labels.allSatisfy { label in
        (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
          && label.utf8.allSatisfy(isOfLabel)
      }
    guard isName, let last = labels.last, !last.hasPrefix("0x"),
      last.contains(where: { !$0.isNumber })
    else { throw wrong("has a host that is neither a name nor an address") }
    return .name(name)
  }

  /// The name is in small letters already.
  private static func isOfLabel(_ byte: UInt8) -> Bool {
    byte.isLetter || byte.isDigit || "-_".utf8.contains(byte)
  }

  private static func wrong(_ what: String) -> BrumeError {
    BrumeError(.badRequest, "the URL \(what)")
  }
}
