// A compact byte form for what is sealed or backed up: numbers of variable length and texts with their length in
// front. Reading is total: any bytes give values or nil.

package import BrumeModel

package struct Packer {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func add(_ number: Int64) {
    var rest = UInt64(bitPattern: number << 1 ^ number >> 63)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
  package mutating func add(_ text: String) {
    add(Int64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }
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

package struct Unpacker {
  private let bytes: [UInt8]
  private var position = 0

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package var isAtEnd: Bool { position == bytes.count }

  /// How many bytes were not read yet.
  package var bytesLeft: Int { bytes.count - position }

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

  package mutating func text() -> String? {
    piece().flatMap { String(validating: $0, as: UTF8.self) }
  }

  package mutating func data() -> [UInt8]? { piece().map { Array($0) } }

  /// What has its length in front.
  private mutating func piece() -> ArraySlice<UInt8>? {
    guard let count = number(), count >= 0, count <= bytes.count - position else { return nil }
    defer { position += Int(count) }
    return bytes[position..<position + Int(count)]
  }

  package mutating func containerEnvironment() -> ContainerEnvironment? {
    guard let container = text(), let environment = text().flatMap(Environment.init) else {
      return nil
    }
    return ContainerEnvironment(ContainerID(container), environment)
  }
}
