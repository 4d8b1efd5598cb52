// Values by name, put in where a case says `${name}`. A text that is nothing but one name becomes the
// value itself, whatever its type; inside a longer text it becomes text.

import BrumeWire

struct Variables: Equatable, Sendable {
  private var values: [String: JSON] = [:]

  subscript(name: String) -> JSON? {
    get { values[name] }
    set { values[name] = newValue }
  }

  /// Throws if a name has no value: a misspelt one would check nothing.
  func fill(_ json: JSON) throws(CaseError) -> JSON {
    switch json {
    case .string(let text): return try fill(text)
    case .array(let elements):
      var filled: [JSON] = []
      for element in elements { filled.append(try fill(element)) }
      return .array(filled)
    case .object(let object):
      if let made = try generated(object) { return made }
      return .object(JSONObject(uniqueMembers: try fill(object.members)))
    case .null, .bool, .int, .double: return json
    }
  }

  /// What would be too long to write: `{$repeat: {count: 201, each: …${i}…}}` is an array,
  /// `{$join: [a, b]}` is arrays one after the other, and `{$long: 300}` a text of so many characters.
  private func generated(_ object: JSONObject) throws(CaseError) -> JSON? {
    if let count = object["$long"]?.int {
      return .string(String(repeating: "x", count: Int(count)))
    }
    if let parts = object["$join"]?.array {
      var joined: [JSON] = []
      for part in parts { joined += try fill(part).array ?? [] }
      return .array(joined)
    }
    guard let plan = object["$repeat"] else { return nil }
    guard let count = try plan["count"].map({ json throws(CaseError) in try fill(json) })?.int,
      let element = plan["each"]
    else { throw CaseError("'$repeat' needs 'count' and 'each'") }
    var elements: [JSON] = []
    for index in 0..<count {
      var variables = self
      variables["i"] = .int(index)
      elements.append(try variables.fill(element))
    }
    return .array(elements)
  }

  func fill(_ members: [JSONObject.Member]) throws(CaseError) -> [JSONObject.Member] {
    var filled: [JSONObject.Member] = []
    for member in members {
      filled.append(.init(key: try fill(member.key).shown, value: try fill(member.value)))
    }
    return filled
  }

  func fill(_ text: String) throws(CaseError) -> JSON {
    var result = ""
    var rest = text[...]
    while let start = rest.firstRange(of: "${") {
      guard let end = rest[start.upperBound...].firstIndex(of: "}") else { break }
      let name = String(rest[start.upperBound..<end])
      guard let value = values[name] else { throw CaseError("'${\(name)}' has no value") }
      if text.utf8.count == name.utf8.count + 3 { return value }
      result += rest[..<start.lowerBound] + value.shown
      rest = rest[rest.index(after: end)...]
    }
    return .string(result + rest)
  }

  /// The value at a place such as `records/0/recordChangeTag`.
  static func value(at place: String, of json: JSON) -> JSON? {
    place.split(separator: "/").reduce(json) { value, step in
      guard let value else { return nil }
      if let index = Int(step), let elements = value.array {
        return elements.indices.contains(index) ? elements[index] : nil
      }
      return value[String(step)]
    }
  }
}
