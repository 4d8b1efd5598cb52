// A compact byte form for what is sealed, backed up, or kept in one value of a store: numbers of variable length and
// texts with their length in front. Reading is total: any bytes give values or nil.

package import BrumeModel

/// Writes values one after the other. An ``Unpacker`` must ask for them in the same order.
package struct Packer {
  /// All that was added, in order.
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// As a zigzag varint: 1 to 10 bytes, small numbers of either sign in few.
  package mutating func add(_ number: Int64) {
    var rest = UInt64(bitPattern: number << 1 ^ number >> 63)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
  /// As the length of its UTF-8 in bytes, then the bytes.
  package mutating func add(_ text: String) {
    add(Int64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }
  /// As their number, then the bytes.
  package mutating func add(_ data: [UInt8]) {
    add(Int64(data.count))
    bytes.append(contentsOf: data)
  }
  /// As two texts.
  package mutating func add(_ containerEnvironment: ContainerEnvironment) {
    add(containerEnvironment.container.name)
    add(containerEnvironment.environment.rawValue)
  }
}

/// Reads what a ``Packer`` wrote. Each call answers the next value, or nil if the bytes hold none of that
/// kind; what it took of them then stays taken.
package struct Unpacker {
  private let bytes: [UInt8]
  private var position = 0

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether all bytes were taken.
  package var isAtEnd: Bool { position == bytes.count }

  /// How many bytes were not taken yet.
  package var bytesLeft: Int { bytes.count - position }

  /// A number; nil also if it has more than 10 bytes.
  package mutating func number() -> Int64? {
    var result: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      guard position < bytes.count else { return nil }
      let byte = bytes[position]
      position += 1
      result |= UInt64(byte & 0x7f) << shift
      if byte & 0x80 == 0 { return Int64(bitPattern: result >> 1) ^ -Int64(bitPattern: result & 1) }
    }
    return nil
  }

  /// A text; nil also if its bytes are not UTF-8.
  package mutating func text() -> String? {
    piece().flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// Bytes, copied.
  package mutating func data() -> [UInt8]? { piece().map { Array($0) } }

  /// What has its length in front.
  private mutating func piece() -> ArraySlice<UInt8>? {
    guard let count = number(), count >= 0, count <= bytes.count - position else { return nil }
    defer { position += Int(count) }
    return bytes[position..<position + Int(count)]
  }

  /// A container environment; nil also if there is no such environment.
  package mutating func containerEnvironment() -> ContainerEnvironment? {
    guard let container = text(), let environment = text().flatMap(Environment.init) else {
      return nil
    }
    return ContainerEnvironment(ContainerID(container), environment)
  }
}
