// FNV-1a: a hash that is the same in every process, for digests inside sealed texts and for slots.

/// Takes texts and answers their hash.
package struct StableHash: Sendable {
  /// That of all texts so far.
  package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  package init() {}

  /// Adds a text and its end, so that ("ab", "c") and ("a", "bc") differ.
  package mutating func add(_ text: String) {
    for byte in text.utf8 { add(byte) }
    add(0xff)
  }
  private mutating func add(_ byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x100_0000_01b3
  }
}
