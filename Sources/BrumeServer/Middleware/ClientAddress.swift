// Where a request comes from, as a name to count by. What a header says is believed only from proxies
// that the settings name; an IPv6 network counts as one (docs/operating/load.md).

import BrumeModel
package import NIOCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The other end of a connection, or whom a proxy speaks for.
package struct ClientAddress: Equatable, Sendable {
  /// An IPv4 address, or the first half of an IPv6 one.
  package let name: String
  /// The other end is on this very machine, and no proxy is known to stand between.
  package let isLocal: Bool

  package init(peer: SocketAddress?, forwarded: String?, trustedProxies: TrustedProxies) {
    guard let text = Self.text(peer) else {
      self.init(name: "local", isLocal: forwarded == nil)
      return
    }
    guard trustedProxies.contains(text), let forwarded,
      let client = Self.client(in: forwarded, besides: trustedProxies)
    else {
      let isLoopback = text.hasPrefix("127.") || text == "::1" || text == Self.unix
      self.init(
        name: Self.name(text), isLocal: isLoopback && forwarded == nil)
      return
    }
    let name = client.ipAddress.map { Self.name(Self.plain($0)) }
    self.init(name: name ?? "unknown", isLocal: false)
  }

  /// Whether the other end is a proxy that the settings name: it speaks for many.
  static func isProxy(_ peer: SocketAddress?, among proxies: TrustedProxies) -> Bool {
    text(peer).map { proxies.contains($0) } ?? false
  }

  /// What the settings call whoever connects to the server's Unix socket.
  static let unix = "unix"

  private static func text(_ peer: SocketAddress?) -> String? {
    if case .unixDomainSocket = peer { return unix }
    return peer?.ipAddress.map(plain)
  }

  private init(name: String, isLocal: Bool) {
    self.name = name
    self.isLocal = isLocal
  }

  /// The last address of `X-Forwarded-For` that is not a trusted proxy's: what stands before it,
  /// anybody may have written. If all are a proxy's, as those of clients in a network that is trusted for its
  /// proxies, it is the first.
  private static func client(in header: String, besides proxies: TrustedProxies) -> SocketAddress? {
    var first: SocketAddress?
    for part in header.split(separator: ",").reversed() {
      let text = plain(bare(part))
      let address = try? SocketAddress(ipAddress: text, port: 0)
      guard proxies.contains(text) else { return address }
      first = address
    }
    return first
  }

  /// Some proxies write a port, and with it brackets around an IPv6 address, or quotation marks.
  private static func bare(_ part: Substring) -> String {
    let text = part.filter { !" \t\"".contains($0) }
    if text.hasPrefix("[") { return String(text.dropFirst().prefix { $0 != "]" }) }
    let hasPort = text.contains(".") && text.utf8.count { $0 == UInt8(ascii: ":") } == 1
    return hasPort ? String(text.prefix { $0 != ":" }) : text
  }

  /// - Parameter text: a plain address.
  private static func name(_ text: String) -> String {
    ipv6(text).map { Hex.text(Array($0[..<8])) + "/64" } ?? text
  }

  /// An IPv4 address as such: a socket for both kinds calls it `::ffff:a.b.c.d`.
  private static func plain(_ text: String) -> String {
    guard let bytes = ipv6(text), bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xff,
      bytes[11] == 0xff
    else { return text }
    return bytes[12...].map { String($0) }.joined(separator: ".")
  }

  private static func ipv6(_ text: String) -> [UInt8]? {
    guard text.utf8.contains(UInt8(ascii: ":")) else { return nil }
    var bytes = [UInt8](repeating: 0, count: 16)
    return inet_pton(AF_INET6, text, &bytes) == 1 ? bytes : nil
  }
}
