// How a value becomes the bytes that the index finds it by, and its place in an order.
//
// Keys are as exact as the evaluator's equality: two values have the same key if and only if they are
// equal there. Integers and doubles share keys (5 equals 5.0), texts are their UTF-8 bytes, a
// reference also answers to the text that is its record name. So a condition that is one key needs
// no second look.

import BrumeModel
import BrumePredicate

/// What of a record a key is compared with.
enum AccessKind: UInt8, Sendable {
  /// Every record of the type.
  case everything
  /// The field's value.
  case value
  /// A member of the field's list.
  case member
  /// A word of the field, by its hash: coarse.
  case word
  /// The field's text begins so: coarse, unless that is the whole prefix.
  case prefix
  /// A member of the field's list begins so: coarse.
  case memberPrefix
  /// The square of the globe that the field's location is in: coarse.
  case cell
}

/// Where conditions wait for records: one value of one field.
struct AccessKey: Hashable, Sendable {
  /// Nil: every searchable field, or none at all.
  let field: FieldName?
  let kind: AccessKind
  /// The length of a prefix, the level of a cell.
  var parameter: UInt32 = 0
  var bytes: [UInt8] = []

  static let everything = AccessKey(field: nil, kind: .everything)
}

extension FieldValue {
  /// Appends what a constant equal to this is found by. False for what equals nothing.
  func appendKey(to bytes: inout [UInt8]) -> Bool {
    switch self {
    case .string(let text):
      bytes.append(UInt8(ascii: "t"))
      bytes.append(contentsOf: text.utf8)
    case .reference(let reference):
      bytes.append(UInt8(ascii: "r"))
      bytes.append(contentsOf: reference.recordName.utf8)
    case .int64(let integer): bytes.append(UInt8(ascii: "i"), integer)
    case .double(let double):
      if double.isNaN { return false }
      if let whole = Int64(exactly: double) {
        bytes.append(UInt8(ascii: "i"), whole)
      } else {
        bytes.append(UInt8(ascii: "d"), Int64(bitPattern: double.bitPattern))
      }
    case .timestamp(let time, _): bytes.append(UInt8(ascii: "m"), time)
    case .location(let place):
      if place.latitude.isNaN || place.longitude.isNaN { return false }
      // Adding zero makes -0.0 the same key as 0.0.
      bytes.append(UInt8(ascii: "l"), Int64(bitPattern: (place.latitude + 0).bitPattern))
      bytes.append(UInt8(ascii: "l"), Int64(bitPattern: (place.longitude + 0).bitPattern))
    case .bytes, .asset, .list: return false
    }
    return true
  }

  /// The key of a constant; nil for what equals nothing.
  var key: [UInt8]? {
    var bytes: [UInt8] = []
    return appendKey(to: &bytes) ? bytes : nil
  }
}

extension [UInt8] {
  mutating func append(_ tag: UInt8, _ number: Int64) {
    append(tag)
    append(number)
  }

  mutating func append(_ number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}

/// A value's place in an order, as numbers that compare fast. Exact for numbers and times; for texts
/// the first eight bytes, so that a bound on a text has to be checked.
struct OrderKey: Comparable, Sendable {
  enum Kind: UInt8, Sendable { case number, time, text }
  let kind: Kind
  let high: UInt64
  /// Integers between two doubles are distinguished here; the lowest bit is left to thresholds.
  let low: UInt16

  init?(_ value: FieldValue) {
    switch value {
    case .int64(let integer): self.init(.number, integer)
    case .timestamp(let time, _): self.init(.time, time)
    case .double(let double):
      if double.isNaN { return nil }
      self.init(kind: .number, high: Self.ordered(double), low: 0)
    case .string(let text):
      var high: UInt64 = 0
      var count: UInt64 = 0
      for byte in text.utf8.prefix(8) {
        high = high << 8 | UInt64(byte)
        count += 1
      }
      self.init(kind: .text, high: count == 0 ? 0 : high << (8 * (8 - count)), low: 0)
    case .bytes, .location, .reference, .asset, .list: return nil
    }
  }

  private init(kind: Kind, high: UInt64, low: UInt16) {
    self.kind = kind
    self.high = high
    self.low = low
  }

  /// The largest double that is not above the integer, and how far it is from there: at most 1023.
  private init(_ kind: Kind, _ integer: Int64) {
    var double = Double(integer)
    if double >= 0x1p63 || Int64(double) > integer { double = double.nextDown }
    let rest = integer - Int64(double)
    self.init(kind: kind, high: Self.ordered(double), low: UInt16(rest) << 1)
  }

  private static func ordered(_ double: Double) -> UInt64 {
    let bits = (double + 0).bitPattern
    return bits >> 63 == 1 ? ~bits : bits | 1 << 63
  }

  static func < (a: OrderKey, b: OrderKey) -> Bool {
    a.high != b.high ? a.high < b.high : a.low < b.low
  }
}

extension GlobeCells.Cell {
  /// The square as it stands in a key.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(row)
    bytes.append(column)
    return bytes
  }
}
