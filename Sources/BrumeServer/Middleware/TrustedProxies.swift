// Which proxies are believed when they say for whom they speak: single addresses, networks such as `10.0.0.0/8`, and
// whoever connects to the server's Unix socket.

import BrumeModel
import BrumePush

/// An IPv4 or IPv6 network. A single address is one of its full length.
package struct AddressNetwork: Hashable, Sendable {
  private let bytes: [UInt8]
  /// How many of the bits an address must have in common with it.
  private let bits: Int

  /// An address, or an address and a length behind a slash, such as `10.0.0.0/8` or `2001:db8::/32`. Nil for
  /// everything else.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let address = IPAddress(String(first)) else { return nil }
    let bytes = Self.bytes(address)
    guard let bits = parts.count == 1 ? bytes.count * 8 : Self.length(parts[1], of: bytes) else {
      return nil
    }
    // A socket for both kinds calls an IPv4 address `::ffff:a.b.c.d`; here it is always the short one.
    let isMapped = bits >= 96 && bytes.starts(with: Self.mapped)
    self.bytes = isMapped ? Array(bytes[12...]) : bytes
    self.bits = isMapped ? bits - 96 : bits
  }

  /// Whether an address, in the form without `::ffff:`, is one of the network.
  func contains(_ address: IPAddress) -> Bool {
    let other = Self.bytes(address)
    guard other.count == bytes.count else { return false }
    let (whole, rest) = bits.quotientAndRemainder(dividingBy: 8)
    guard bytes[..<whole] == other[..<whole] else { return false }
    return rest == 0 || (bytes[whole] ^ other[whole]) >> UInt8(8 - rest) == 0
  }

  private static let mapped = [UInt8](repeating: 0, count: 10) + [0xff, 0xff]

  private static func length(_ text: Substring, of bytes: [UInt8]) -> Int? {
    guard text.utf8.allSatisfy(\.isDigit), let length = Int(text), length <= bytes.count * 8
    else { return nil }
    return length
  }

  private static func bytes(_ address: IPAddress) -> [UInt8] {
    switch address {
    case .v4(let number): [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
    case .v6(let bytes): bytes
    }
  }
}

/// The proxies that the settings name.
package struct TrustedProxies: Equatable, Sendable, ExpressibleByArrayLiteral {
  /// One entry of the setting.
  package enum Entry: Equatable, Sendable {
    /// Whoever connects to the server's Unix socket.
    case unixSocket
    case network(AddressNetwork)

    /// Nil for what names neither.
    package init?(_ text: String) {
      guard text != ClientAddress.unix else {
        self = .unixSocket
        return
      }
      guard let network = AddressNetwork(text) else { return nil }
      self = .network(network)
    }
  }

  private let networks: [AddressNetwork]
  private let hasUnixSocket: Bool

  package init(_ entries: [Entry]) {
    hasUnixSocket = entries.contains(.unixSocket)
    networks = entries.compactMap { if case .network(let network) = $0 { network } else { nil } }
  }

  /// Leaves out what is no entry.
  package init(arrayLiteral texts: String...) { self.init(texts.compactMap { Entry($0) }) }

  /// - Parameter text: a plain address, or what the settings call the Unix socket.
  func contains(_ text: String) -> Bool {
    if text == ClientAddress.unix { return hasUnixSocket }
    guard !networks.isEmpty, let address = IPAddress(text) else { return false }
    return networks.contains { $0.contains(address) }
  }
}
