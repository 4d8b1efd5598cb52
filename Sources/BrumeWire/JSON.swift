// JSON as a value: what arrives is parsed to this, then read field by field.
//
// Only reading goes through it. Replies and stored records are written straight into bytes
// (`JSONWriter.swift`), because building a tree first would double their cost.

/// A JSON value. Numbers keep whether they were written as integers.
package enum JSON: Equatable, Sendable {
  case null
  case bool(Bool)
  /// Every integer literal that fits; exact.
  case int(Int64)
  /// Every other number. Never infinite, never NaN when parsed. `-0` is a double, to keep its sign.
  case double(Double)
  case string(String)
  case array([JSON])
  case object(JSONObject)

  /// The members of an object; nil for everything else.
  package var object: JSONObject? {
    if case .object(let object) = self { object } else { nil }
  }
  /// The elements of an array; nil for everything else.
  package var array: [JSON]? {
    if case .array(let elements) = self { elements } else { nil }
  }
  /// A text; nil for everything else.
  package var string: String? {
    if case .string(let text) = self { text } else { nil }
  }
  /// An exact integer; also from a literal such as `2.0`.
  package var int: Int64? {
    switch self {
    case .int(let value): value
    case .double(let value): Int64(exactly: value)
    case .null, .bool, .string, .array, .object: nil
    }
  }
  /// A number, integers too; nil for everything else.
  package var double: Double? {
    switch self {
    case .int(let value): Double(value)
    case .double(let value): value
    case .null, .bool, .string, .array, .object: nil
    }
  }
  /// True or false; nil for everything else, also for 0 and 1.
  package var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }
  /// A member of an object; nil if this is none, or the member is missing or null.
  package subscript(key: String) -> JSON? { object?[key] }

  /// What it is, for error texts.
  package var kind: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .int, .double: "a number"
    case .string: "a text"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

/// The members of an object in their order. Keys are unique.
package struct JSONObject: Equatable, Sendable {
  /// One member.
  package struct Member: Equatable, Sendable {
    package let key: String
    package var value: JSON
    package init(key: String, value: JSON) {
      self.key = key
      self.value = value
    }
  }
  /// In the order in which they were written.
  package private(set) var members: [Member]

  package init() { members = [] }
  /// - Parameter members: keys must differ; the parser has checked.
  package init(uniqueMembers members: [Member]) { self.members = members }

  /// Reading treats an explicit null as absent. Writing nil removes the member.
  package subscript(key: String) -> JSON? {
    get {
      for member in members where member.key == key {
        return member.value == .null ? nil : member.value
      }
      return nil
    }
    set {
      let index = members.firstIndex { $0.key == key }
      switch (index, newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append(Member(key: key, value: value))
      case (nil, nil): break
      }
    }
  }
}

// MARK: Literals, so that tests and small bodies read as JSON

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int64) { self = .int(value) }
  package init(floatLiteral value: Double) { self = .double(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(arrayLiteral elements: JSON...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSON)...) {
    var object = JSONObject()
    for (key, value) in elements { object[key] = value }
    self = .object(object)
  }
}
