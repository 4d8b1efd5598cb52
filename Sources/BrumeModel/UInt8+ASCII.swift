// Letters and digits of ASCII, of which names and addresses are made.

extension UInt8 {
  /// Whether it is one of `a` to `z` or `A` to `Z`.
  package var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

  /// Whether it is one of `0` to `9`.
  package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
