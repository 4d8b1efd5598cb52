// By which names this server may be called. A foreign page can lead its own name to this machine (DNS
// rebinding), and is then, to the browser, a page of this server: it reads what is open to this
// machine, and signs in where development needs no password. It cannot change the name that the
// browser sends.
//
// An address stands for itself and may always be used; so may `localhost`. Other names are those that
// the settings give.

import BrumeModel
import BrumePush

/// The names that a request's Host may have.
package struct AllowedHosts: Equatable, Sendable {
  private let names: Set<String>

  /// - Parameters:
  ///   - listener: the name or address to listen on.
  ///   - baseURL: what clients write in front of a path.
  ///   - others: what the operator names besides.
  package init(listener: String, baseURL: String?, others: [String]) {
    let clients = baseURL.flatMap { url in
      url.firstRange(of: "://").map { url[$0.upperBound...].prefix { $0 != "/" } }
    }
    let given = [listener, clients.map(String.init)].compactMap { $0 } + others
    names = Set((["localhost"] + given).compactMap { Self.name($0) })
  }

  /// - Parameter authority: the request's Host, with or without a port.
  package func allows(_ authority: String) -> Bool {
    guard let name = Self.name(authority) else { return false }
    return names.contains(name) || IPAddress(name) != nil
  }

  /// In lower case, without port, brackets and the dot of a complete name; nil if anything else follows the name: others
  /// may take that for the name.
  private static func name(_ authority: String) -> String? {
    if authority.first == "[" {
      guard let end = authority.firstIndex(of: "]"), isPort(authority[end...].dropFirst())
      else { return nil }
      return String(authority[..<end].dropFirst())
    }
    let isBareIPv6 = authority.utf8.count(where: { $0 == UInt8(ascii: ":") }) > 1
    let host = isBareIPv6 ? authority[...] : authority.prefix { $0 != ":" }
    guard isPort(authority[host.endIndex...]) else { return nil }
    let name = host.lowercased()
    return name.hasSuffix(".") ? String(name.dropLast()) : name
  }

  /// Whether this is what may follow a name: nothing, or a colon and digits.
  private static func isPort(_ text: Substring) -> Bool {
    text.isEmpty
      || text.utf8.first == UInt8(ascii: ":")
        && text.utf8.dropFirst().allSatisfy { $0.isDigit }
  }
}
