// JSON written straight into bytes. Nothing is checked: the caller opens and closes in pairs and
// puts a name before each value of an object. Commas are the writer's.

import BrumeModel

/// Takes JSON from its beginning to its end; `bytes` is what was written.
package struct JSONWriter {
  /// What was written so far; valid JSON once all that was opened is closed.
  package private(set) var bytes: [UInt8]
  /// What comes before `bytes`, if large values are kept as they are.
  private var earlier: [[UInt8]] = []
  private let keepsLarge: Bool
  /// True after a value: whatever follows on this level needs a comma.
  private var needsComma = false

  /// - Parameter capacity: about how many bytes will come; more only cost time.
  package init(capacity: Int = 256) {
    bytes = []
    bytes.reserveCapacity(capacity)
    keepsLarge = false
  }

  /// Keeps large values that are JSON already as they are, for `pieces`.
  init(keepingPieces capacity: Int) {
    bytes = []
    bytes.reserveCapacity(capacity)
    keepsLarge = true
  }

  /// All that was written, in order.
  var pieces: [[UInt8]] { earlier + [bytes] }

  /// A measure, which bounds nothing: below it a copy costs less than a piece of its own.
  private static let large = 512

  /// Begins a new piece if the last has become long: as one of many megabytes it would be copied whenever it grows.
  mutating func cut() {
    guard keepsLarge, bytes.count >= Self.long else { return }
    earlier.append(bytes)
    bytes.removeAll()
  }

  /// A measure, which bounds nothing.
  private static let long = 256 << 10

  // MARK: Structure

  /// Opens an object: as a value, or after `name` or `key` as a member's.
  package mutating func beginObject() { open(UInt8(ascii: "{")) }
  /// Closes the object that was opened last.
  package mutating func endObject() { close(UInt8(ascii: "}")) }
  /// Opens an array.
  package mutating func beginArray() { open(UInt8(ascii: "[")) }
  /// Closes the array that was opened last.
  package mutating func endArray() { close(UInt8(ascii: "]")) }

  /// A member's name known here: plain ASCII without quotation marks.
  package mutating func name(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(
      contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// A member's name that came from somebody else.
  package mutating func key(_ key: String) {
    string(key)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  // MARK: Values

  /// A text, escaped where JSON asks for it.
  package mutating func string(_ text: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    appendEscaped(text)
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  /// An integer in decimal digits.
  package mutating func int(_ value: Int64) {
    separate()
    appendDecimal(value)
    needsComma = true
  }

  /// The shortest text that reads back as the same double. JSON has no infinities and no NaN; they
  /// are written as texts, which the reader of a number refuses by name.
  package mutating func double(_ value: Double) {
    guard value.isFinite else { return string(value.description) }
    separate()
    bytes.append(contentsOf: value.description.utf8)
    needsComma = true
  }

  /// `true` or `false`.
  package mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }
  /// `null`.
  package mutating func null() { literal("null") }

  /// Bytes as a base64 text.
  package mutating func base64(_ content: [UInt8]) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    Base64.append(content, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  /// A value that is JSON already.
  package mutating func raw(_ json: [UInt8]) {
    separate()
    if keepsLarge, json.count >= Self.large {
      earlier.append(bytes)
      earlier.append(json)
      bytes.removeAll()
    } else {
      bytes.append(contentsOf: json)
    }
    needsComma = true
  }

  // MARK: Members. A nil value writes nothing.

  /// A member with a text; nothing for nil.
  package mutating func member(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    self.name(name)
    string(value)
  }
  /// A member with an integer; nothing for nil.
  package mutating func member(_ name: StaticString, _ value: Int64?) {
    guard let value else { return }
    self.name(name)
    int(value)
  }
  /// A member with `true` or `false`; nothing for nil.
  package mutating func member(_ name: StaticString, _ value: Bool?) {
    guard let value else { return }
    self.name(name)
    bool(value)
  }
  /// A member with a floating-point number; nothing for nil.
  package mutating func member(_ name: StaticString, number value: Double?) {
    guard let value else { return }
    self.name(name)
    double(value)
  }
  /// A member with an array of texts; nothing for nil.
  package mutating func member(_ name: StaticString, _ values: [String]?) {
    guard let values else { return }
    self.name(name)
    beginArray()
    for value in values { string(value) }
    endArray()
  }

  // MARK: Bytes

  private mutating func open(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    needsComma = false
  }
  private mutating func close(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }
  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }
  private mutating func literal(_ word: StaticString) {
    separate()
    bytes.append(
      contentsOf: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    needsComma = true
  }

  private mutating func appendEscaped(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      var start = 0
      while true {
        let end = JSONParser.endOfPlainRun(in: utf8, from: start)
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<end]))
        guard end < utf8.count else { return }
        appendEscape(utf8[end])
        start = end + 1
      }
    }
  }

  private mutating func appendEscape(_ byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
    case 0x0a: bytes.append(UInt8(ascii: "n"))
    case 0x0d: bytes.append(UInt8(ascii: "r"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    default:
      bytes.append(contentsOf: "u00".utf8)
      bytes.append(UInt8(ascii: "0") + byte >> 4)
      let low = byte & 15
      bytes.append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
    }
  }

  private mutating func appendDecimal(_ value: Int64) {
    if value >= 0, value < 10 { return bytes.append(UInt8(ascii: "0") + UInt8(value)) }
    var magnitude = value.magnitude
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var start = 20
      while magnitude > 0 {
        start -= 1
        digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: magnitude % 10)
        magnitude /= 10
      }
      if value < 0 { bytes.append(UInt8(ascii: "-")) }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[start..<20]))
    }
  }
}

extension JSON {
  /// The text of this value, without spaces.
  package func bytes() -> [UInt8] {
    var writer = JSONWriter()
    writer.json(self)
    return writer.bytes
  }
}

extension JSONWriter {
  /// Any value.
  package mutating func json(_ value: JSON) {
    switch value {
    case .null: null()
    case .bool(let value): bool(value)
    case .int(let value): int(value)
    case .double(let value): double(value)
    case .string(let text): string(text)
    case .array(let elements):
      beginArray()
      for element in elements { json(element) }
      endArray()
    case .object(let object):
      beginObject()
      for member in object.members {
        key(member.key)
        json(member.value)
      }
      endObject()
    }
  }
}
