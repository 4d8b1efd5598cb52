// Index values as bytes that sort as the values do, for an engine whose columns hold one type, as
// PostgreSQL's `bytea`. SQLite orders numbers and texts in one column itself and stores them as they
// are. Engines store these bytes: never change them.

extension IndexValue {
  /// Of two values under one key, the lesser has the lesser bytes, compared one by one as unsigned
  /// numbers; what is equal for `Order.of` has equal bytes. Ten bytes for a number, the text's own
  /// for a text.
  package var orderedBytes: [UInt8] {
    switch self {
    case .int(let value): Self.bytes(of: Self.floor(value), and: value)
    // Both zeros are one value.
    case .double(let value): Self.bytes(value == 0 ? 0 : value, rest: 0)
    case .text(let text): Array(text.utf8)
    case .cut(let bytes): bytes
    }
  }

  /// The greatest double that is not above the number. Between 2^53 and 2^63 they are up to 1024 apart.
  private static func floor(_ value: Int64) -> Double {
    let nearest = Double(value)
    return nearest >= 0x1p63 || Int64(nearest) > value ? nearest.nextDown : nearest
  }

  private static func bytes(of floor: Double, and value: Int64) -> [UInt8] {
    bytes(floor, rest: UInt16(value - Int64(floor)))
  }

  /// The double with its sign turned so that bytes sort, then what a whole number is above it.
  private static func bytes(_ double: Double, rest: UInt16) -> [UInt8] {
    let bits = double.bitPattern
    let sortable = double.sign == .minus ? ~bits : bits | 1 << 63
    return [UInt8](unsafeUninitializedCapacity: 10) { buffer, count in
      for place in 0..<8 { buffer[place] = UInt8(truncatingIfNeeded: sortable >> (56 - 8 * place)) }
      buffer[8] = UInt8(rest >> 8)
      buffer[9] = UInt8(truncatingIfNeeded: rest)
      count = 10
    }
  }
}
