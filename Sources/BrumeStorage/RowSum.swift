// The checksum of a stored row, over its values and its key, so that a row which is not what was written, or not
// where it was written, is noticed when it is read (decision 0042).
//
// Each step (xor with a word, multiplication by an odd number, xor with the own upper bits) is one-to-one in
// the state and in the word. So whatever changes within eight bytes of a value, one flipped bit or all sixty-four,
// always changes the sum; what changes in several places is missed once in 2^64. It is no seal: who
// can write the file can write the sum as well.

/// Takes the values of a row in their order; then `value` is the sum.
package struct RowSum: Sendable {
  private var state: UInt64

  package init() { state = Self.start }

  /// Never change any of this: stored sums are made with it.
  private static let start: UInt64 = 0x6272_756d_652d_726f
  private static let factor: UInt64 = 0x9e37_79b9_7f4a_7c15

  private enum Kind: UInt64 { case null = 1, integer, real, text, bytes }

  /// Takes a column that is null.
  package mutating func addNull() { mix(Kind.null.rawValue) }

  /// Takes an integer.
  package mutating func add(_ number: Int64) {
    mix(Kind.integer.rawValue)
    mix(UInt64(bitPattern: number))
  }

  /// Takes a floating-point number, by its bits: 0 and -0 differ.
  package mutating func add(_ number: Double) {
    mix(Kind.real.rawValue)
    mix(number.bitPattern)
  }

  /// Takes a text, given as its UTF-8. The bytes are not kept.
  package mutating func add(text: UnsafeRawBufferPointer) { add(text, .text) }

  /// Takes bytes; they are not kept.
  package mutating func add(bytes: UnsafeRawBufferPointer) { add(bytes, .bytes) }

  /// Takes a text, by its UTF-8.
  package mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add(UnsafeRawBufferPointer($0), .text) }
  }

  /// Takes bytes.
  package mutating func add(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { add($0, .bytes) }
  }

  /// The sum as engines keep it.
  package var value: Int64 { Int64(bitPattern: state) }

  /// Kind and length come first, so that no byte can pass from one value to the next unnoticed.
  private mutating func add(_ bytes: UnsafeRawBufferPointer, _ kind: Kind) {
    mix(UInt64(bytes.count) << 3 | kind.rawValue)
    let whole = bytes.count & ~7
    var place = 0
    while place < whole {
      mix(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
      place += 8
    }
    if place == bytes.count { return }
    var rest: UInt64 = 0
    while place < bytes.count {
      rest = rest << 8 | UInt64(bytes[place])
      place += 1
    }
    mix(rest)
  }

  @inline(__always)
  private mutating func mix(_ word: UInt64) {
    state = (state ^ word) &* Self.factor
    state ^= state >> 29
  }
}
