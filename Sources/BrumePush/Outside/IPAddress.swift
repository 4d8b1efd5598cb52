// Addresses as numbers, and which of them the server may call for somebody else.
//
// Reading is strict: one spelling per address. Octal, hexadecimal and shortened forms, which resolvers
// and libraries read differently, are no addresses here.

package enum IPAddress: Hashable, Sendable, CustomStringConvertible {
  case v4(UInt32)
  /// 16 bytes.
  case v6([UInt8])

  /// Dotted decimal, or IPv6 without zone and brackets. Nil for everything else.
  package init?(_ text: String) {
    if let number = Self.v4(Substring(text)) {
      self = .v4(number)
    } else if let bytes = Self.v6(text) {
      self = .v6(bytes)
    } else {
      return nil
    }
  }

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
  /// link-local (cloud metadata lives there), shared, reserved, documentation, multicast, or another
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
  private static func v4(_ text: Substring) -> UInt32? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var number: UInt32 = 0
    for part in parts {
      guard let byte = decimal(part) else { return nil }
      number = number << 8 | UInt32(byte)
    }
    return number
  }

  private static func decimal(_ text: Substring) -> UInt8? {
    guard (1...3).contains(text.utf8.count), text.count == 1 || text.first != "0",
      text.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") })
    else { return nil }
    return UInt8(text)
  }

  private static func v6(_ text: String) -> [UInt8]? {
    guard text.contains(":"), text.utf8.count <= 45 else { return nil }
    guard let gap = text.firstRange(of: "::") else {
      return groups(text[...]).flatMap { $0.count == 16 ? $0 : nil }
    }
    // Dotted decimal ends an address; in front of the gap it is none.
    guard !text[..<gap.lowerBound].contains("."), let head = groups(text[..<gap.lowerBound]),
      let tail = groups(text[gap.upperBound...]),
      head.count + tail.count <= 14
    else { return nil }
    return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
  }

  /// Groups of hexadecimal digits; the last may be dotted decimal.
  private static func groups(_ text: Substring) -> [UInt8]? {
    if text.isEmpty { return [] }
    var bytes: [UInt8] = []
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if part.contains("."), index == parts.count - 1, let number = v4(part) {
        bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
        continue
      }
      guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy(isHex),
        let group = UInt16(part, radix: 16)
      else { return nil }
      bytes += [UInt8(group >> 8), UInt8(group & 255)]
    }
    return bytes
  }

  private static func isHex(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
