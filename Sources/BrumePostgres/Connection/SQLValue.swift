// Values as PostgreSQL gets them: in binary, of three types. Every whole number is a `bigint`, every flag 0
// or 1.

import BrumeStorage

enum SQLType {
  case integer, text, bytes

  /// The name in SQL.
  var name: String {
    switch self {
    case .integer: "bigint"
    case .text: "text"
    case .bytes: "bytea"
    }
  }

  /// The number that PostgreSQL has for the type in binary arrays.
  fileprivate var number: Int32 {
    switch self {
    case .integer: 20
    case .text: 25
    case .bytes: 17
    }
  }
}

enum SQLValue: Sendable {
  case null
  case integer(Int64)
  case text(String)
  case bytes([UInt8])
  /// One array that holds a column of many rows.
  case array(SQLType, [SQLValue])

  static func text(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }
  static func bytes(_ bytes: [UInt8]?) -> SQLValue { bytes.map { .bytes($0) } ?? .null }
  static func integer(_ number: Int64?) -> SQLValue { number.map { .integer($0) } ?? .null }
  static func integer(_ number: Int) -> SQLValue { .integer(Int64(number)) }
  static func flag(_ flag: Bool) -> SQLValue { .integer(flag ? 1 : 0) }
  static func texts(_ texts: some Sequence<String>) -> SQLValue {
    .array(.text, texts.map { .text($0) })
  }

  /// Of a whole number.
  var number: Int64? { if case .integer(let number) = self { number } else { nil } }

  fileprivate func add(to sum: inout RowSum) {
    switch self {
    case .integer(let number): sum.add(number)
    case .text(let text): sum.add(text)
    case .bytes(let bytes): sum.add(bytes)
    case .null, .array: sum.addNull()
    }
  }

  /// Appends the value's binary form. Answers false for NULL, which has none.
  func append(to buffer: inout [UInt8]) -> Bool {
    switch self {
    case .null: return false
    case .integer(let number): buffer.append(bigEndian: number)
    case .text(let text): buffer.append(contentsOf: text.utf8)
    case .bytes(let bytes): buffer.append(contentsOf: bytes)
    case .array(let type, let elements): Self.append(type, elements, to: &buffer)
    }
    return true
  }

  private static func append(_ type: SQLType, _ elements: [SQLValue], to buffer: inout [UInt8]) {
    // Dimensions, whether there are NULLs, type; then of the one dimension its length and first index.
    buffer.append(bigEndian: Int32(1))
    buffer.append(bigEndian: Int32(1))
    buffer.append(bigEndian: type.number)
    buffer.append(bigEndian: Int32(elements.count))
    buffer.append(bigEndian: Int32(1))
    for element in elements {
      let place = buffer.count
      buffer.append(bigEndian: Int32(-1))
      guard element.append(to: &buffer) else { continue }
      let length = Int32(buffer.count - place - 4)
      withUnsafeBytes(of: length.bigEndian) { bytes in
        for (index, byte) in bytes.enumerated() { buffer[place + index] = byte }
      }
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }
}

extension RowSum {
  /// Of a row's values in the order of its table.
  init(of values: [SQLValue]) {
    self.init()
    for value in values { value.add(to: &self) }
  }
}
