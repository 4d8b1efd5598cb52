// Addresses as numbers, and which of them the server may call for somebody else.
//
// Reading is strict: one spelling per address. Octal, hexadecimal and shortened forms, which resolvers
// and libraries read differently, are no addresses here.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An IPv4 or IPv6 address.
package enum IPAddress: Hashable, Sendable, CustomStringConvertible {
  case v4(UInt32)
  /// 16 bytes.
  case v6([UInt8])

  /// Dotted decimal, or IPv6 without zone and brackets. Nil for everything else.
  package init?(_ text: String) {
    if let number = Self.v4(text) {
      self = .v4(number)
    } else if let bytes = Self.v6(text) {
      self = .v6(bytes)
    } else {
      return nil
    }
  }

  /// The address as a text, which `init` reads.
  package var description: String {
    switch self {
    case .v4(let number):
      return [24, 16, 8, 0].map { String(number >> UInt32($0) & 255) }.joined(separator: ".")
    case .v6(let bytes):
      let groups = stride(from: 0, to: 16, by: 2).map {
        String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16)
      }
      return groups.joined(separator: ":")
    }
  }

  // MARK: Who may be called

  /// Whether the address is a host of the open Internet. Everything that is loopback, private,
  /// link-local (cloud metadata is there), shared, reserved, documentation, multicast, or another
  /// address in disguise is not.
  package var isPublic: Bool {
    switch self {
    case .v4(let number): return !Self.closed4.contains { number >> (32 - $0.bits) == $0.prefix }
    case .v6(let bytes):
      guard bytes.count == 16, bytes[0] & 0xe0 == 0x20 else { return false }
      return !Self.closed6.contains { closed in bytes.starts(with: closed) }
        && !(bytes[0] == 0x20 && bytes[1] == 0x01 && bytes[2] < 0x02)
        && !(bytes[0] == 0x3f && bytes[1] == 0xff && bytes[2] < 0x10)
    }
  }

  /// The special-purpose blocks of IANA's registry.
  private static let closed4: [(prefix: UInt32, bits: UInt32)] = [
    block(0, 0, 0, 8), block(10, 0, 0, 8), block(100, 64, 0, 10), block(127, 0, 0, 8),
    block(169, 254, 0, 16), block(172, 16, 0, 12), block(192, 0, 0, 24), block(192, 0, 2, 24),
    block(192, 31, 196, 24), block(192, 52, 193, 24), block(192, 88, 99, 24),
    block(192, 168, 0, 16), block(192, 175, 48, 24), block(198, 18, 0, 15),
    block(198, 51, 100, 24), block(203, 0, 113, 24), block(224, 0, 0, 4), block(240, 0, 0, 4),
  ]

  private static func block(
    _ a: UInt32, _ b: UInt32, _ c: UInt32, _ bits: UInt32
  ) -> (prefix: UInt32, bits: UInt32) {
    ((a << 24 | b << 16 | c << 8) >> (32 - bits), bits)
  }

  /// Inside 2000::/3, apart from 2001::/23 and 3fff::/20: documentation, and 6to4, which hides an IPv4
  /// address.
  private static let closed6: [[UInt8]] = [[0x20, 0x01, 0x0d, 0xb8], [0x20, 0x02]]
}

// MARK: Reading

extension IPAddress {
  /// Ours: no address has more bytes as a text.
  private static let textBytes = 45

  private static func v4(_ text: String) -> UInt32? {
    bytes(text, AF_INET, count: 4).map { $0.reduce(0) { $0 << 8 | UInt32($1) } }
  }

  private static func v6(_ text: String) -> [UInt8]? { bytes(text, AF_INET6, count: 16) }

  private static func bytes(_ text: String, _ family: Int32, count: Int) -> [UInt8]? {
    // A zero byte would end the text for the system before its end.
    guard text.utf8.count <= textBytes, !text.utf8.contains(0) else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    return inet_pton(family, text, &bytes) == 1 ? bytes : nil
  }
}
