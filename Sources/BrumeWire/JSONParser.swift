// Bytes in, value or error out, for any bytes whatsoever.
//
// Stricter than most parsers on purpose, because the check and the use must read the same text the
// same way: duplicate keys, trailing commas, a byte order mark, U+0000, lone surrogates, invalid
// UTF-8, numbers beyond a double and deep nesting are refused. Texts: `JSONParser+Strings.swift`;
// numbers: `JSONParser+Numbers.swift`.

package import BrumeModel

extension JSON {
  /// Parses one JSON text.
  ///
  /// - Throws: `badRequest` with the byte offset of what is wrong.
  package init(parsing bytes: [UInt8], maximumDepth: Int = 32) throws(BrumeError) {
    try self.init(parsing: bytes, maximumDepth: maximumDepth, allowsNUL: false)
  }

  /// Parses a request body. An empty one, as `GET` requests have, is an empty object.
  package init(body bytes: [UInt8], maximumDepth: Int = 32) throws(BrumeError) {
    if bytes.isEmpty {
      self = .object(JSONObject())
    } else {
      try self.init(
        parsing: bytes, maximumDepth: maximumDepth, allowsNUL: false, isRequest: true)
    }
  }

  /// `allowsNUL` lets our own messages be looked at as values before anybody refuses them.
  init(
    parsing bytes: [UInt8], maximumDepth: Int, allowsNUL: Bool, isRequest: Bool = false
  ) throws(BrumeError) {
    var detail = ""
    let outcome = bytes.withUnsafeBufferPointer { buffer -> Result<JSON, JSONFault> in
      var parser = JSONParser(
        buffer, maximumDepth: maximumDepth, allowsNUL: allowsNUL, isRequest: isRequest)
      do throws(JSONFault) {
        return .success(try parser.document())
      } catch {
        detail = parser.detail
        return .failure(error)
      }
    }
    switch outcome {
    case .success(let value): self = value
    case .failure(let fault):
      if fault.isTooMuch { throw BrumeError(.limitExceeded, "\(fault.reason)") }
      throw BrumeError(
        .badRequest, "the JSON is not valid at byte \(fault.offset): \(fault.reason)\(detail)")
    }
  }
}

/// What is wrong, and where. Small, because every step of the parser can throw it.
struct JSONFault: Error {
  let offset: Int
  let reason: StaticString
  /// It may be valid, in parts.
  var isTooMuch = false
}

struct JSONParser {
  let bytes: UnsafeBufferPointer<UInt8>
  let maximumDepth: Int
  let allowsNUL: Bool
  /// Requests are bounded in more ways than what was stored once and has to stay readable.
  let isRequest: Bool
  var at = 0
  private var values = 0
  /// What an error says beyond its reason.
  private(set) var detail = ""

  init(
    _ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int, allowsNUL: Bool, isRequest: Bool
  ) {
    self.bytes = bytes
    self.maximumDepth = maximumDepth
    self.allowsNUL = allowsNUL
    self.isRequest = isRequest
  }

  mutating func document() throws(JSONFault) -> JSON {
    if bytes.count >= 3, bytes[0] == 0xef, bytes[1] == 0xbb, bytes[2] == 0xbf {
      throw fault("a byte order mark is not allowed")
    }
    skipSpace()
    let value = try value(depth: 0)
    skipSpace()
    guard at == bytes.count else { throw fault("something follows the end of the value") }
    return value
  }

  func fault(_ reason: StaticString) -> JSONFault { JSONFault(offset: at, reason: reason) }

  private mutating func value(depth: Int) throws(JSONFault) -> JSON {
    guard at < bytes.count else { throw fault("the text ends where a value should be") }
    values += 1
    if isRequest, values > JSONBounds.values {
      var much = fault(
        "the request has more than 1,000,000 values, the maximum; send what it has in halves")
      much.isTooMuch = true
      throw much
    }
    switch bytes[at] {
    case UInt8(ascii: "\""):
      at += 1
      return .string(try boundedText())
    case UInt8(ascii: "{"): return try object(depth: depth + 1)
    case UInt8(ascii: "["): return try array(depth: depth + 1)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "N"), UInt8(ascii: "I"):
      throw fault("NaN and Infinity are no JSON; send null, or leave the member out")
    default: throw fault("a value cannot start like this")
    }
  }

  private mutating func word(_ word: StaticString, _ value: JSON) throws(JSONFault) -> JSON {
    let length = word.utf8CodeUnitCount
    guard bytes.count - at >= length else { throw fault("unknown word") }
    for offset in 0..<length where bytes[at + offset] != word.utf8Start[offset] {
      throw fault("unknown word")
    }
    at += length
    return value
  }

  private mutating func array(depth: Int) throws(JSONFault) -> JSON {
    guard depth <= maximumDepth else { throw tooDeep() }
    at += 1
    skipSpace()
    var elements: [JSON] = []
    if at < bytes.count, bytes[at] == UInt8(ascii: "]") {
      at += 1
      return .array(elements)
    }
    while true {
      elements.append(try value(depth: depth))
      if try closes(with: UInt8(ascii: "]")) { return .array(elements) }
    }
  }

  private mutating func tooDeep() -> JSONFault {
    detail = "; at most \(maximumDepth) arrays and objects may stand one within the other"
    return fault("it is nested too deeply")
  }

  private mutating func object(depth: Int) throws(JSONFault) -> JSON {
    guard depth <= maximumDepth else { throw tooDeep() }
    at += 1
    skipSpace()
    var members: [JSONObject.Member] = []
    var keys: Set<String> = []
    if at < bytes.count, bytes[at] == UInt8(ascii: "}") {
      at += 1
      return .object(JSONObject())
    }
    while true {
      let key = try key()
      guard isNew(key, among: members, &keys) else {
        detail = ": '\(NameRules.shown(key))'; send it once"
        throw fault("a key occurs twice")
      }
      members.append(JSONObject.Member(key: key, value: try value(depth: depth)))
      if try closes(with: UInt8(ascii: "}")) {
        return .object(JSONObject(uniqueMembers: members))
      }
    }
  }

  private mutating func key() throws(JSONFault) -> String {
    guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else {
      throw fault("a member must start with a key in quotation marks")
    }
    at += 1
    let key = try boundedText()
    if isRequest, key.utf8.count > JSONBounds.nameBytes {
      throw fault("a key has more than 1024 bytes")
    }
    skipSpace()
    guard at < bytes.count, bytes[at] == UInt8(ascii: ":") else {
      throw fault("a colon must follow the key")
    }
    at += 1
    skipSpace()
    return key
  }

  /// Looks through few members one by one; keeps a set once there are many, so that an object of
  /// 100,000 keys costs no more than its length.
  private func isNew(
    _ key: String, among members: [JSONObject.Member], _ keys: inout Set<String>
  ) -> Bool {
    if members.count < 12 {
      for member in members where member.key == key { return false }
      return true
    }
    if keys.isEmpty { keys = Set(members.map(\.key)) }
    return keys.insert(key).inserted
  }

  /// After an element: true at the closing bracket, false after a comma.
  private mutating func closes(with bracket: UInt8) throws(JSONFault) -> Bool {
    skipSpace()
    guard at < bytes.count else { throw fault("the text ends inside an array or object") }
    if bytes[at] == bracket {
      at += 1
      return true
    }
    guard bytes[at] == UInt8(ascii: ",") else {
      throw fault("a comma or a closing bracket must follow")
    }
    at += 1
    skipSpace()
    return false
  }

  private mutating func skipSpace() {
    while at < bytes.count {
      switch bytes[at] {
      case 0x20, 0x0a, 0x0d, 0x09: at += 1
      default: return
      }
    }
  }
}
