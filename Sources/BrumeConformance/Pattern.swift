// What an answer must look like. An object asks for its members and allows others; an array asks for
// as many elements; a text that begins with `$` asks for a kind of value; an object with one member
// whose key begins with `$` asks for a relation. Everything else must be equal.

import BrumeModel
import BrumeWire

enum Pattern {
  /// What is wrong, by place; empty if the value fits.
  static func mismatches(_ value: JSON?, _ pattern: JSON, at place: String) -> [String] {
    switch pattern {
    case .string(let text) where text.hasPrefix("$"): return kind(value, text, place)
    case .object(let object) where object.members.count == 1:
      if let member = object.members.first, member.key.hasPrefix("$") {
        return relation(value, member, place)
      }
      return members(value, object, place)
    case .object(let object): return members(value, object, place)
    case .array(let patterns): return elements(value, patterns, place)
    case .null, .bool, .int, .double, .string:
      return equals(value, pattern) ? [] : [wrong(place, value, pattern.shown)]
    }
  }

  /// `1` and `1.0` are the same number.
  private static func equals(_ value: JSON?, _ pattern: JSON) -> Bool {
    if let value, let a = value.double, let b = pattern.double { return a == b }
    return (value ?? .null) == pattern && (value != nil || pattern != .null)
  }

  private static func wrong(_ place: String, _ value: JSON?, _ wanted: String) -> String {
    "\(place) is \(value.map { String($0.shown.prefix(400)) } ?? "absent"), not \(wanted)"
  }

  private static func members(
    _ value: JSON?, _ patterns: JSONObject, _ place: String
  ) -> [String] {
    guard case .object(let object) = value else { return [wrong(place, value, "an object")] }
    return patterns.members.flatMap { member in
      let found = object.members.first { $0.key == member.key }
      return mismatches(found?.value, member.value, at: "\(place)/\(member.key)")
    }
  }

  private static func elements(
    _ value: JSON?, _ patterns: [JSON], _ place: String
  ) -> [String] {
    guard case .array(let elements) = value, elements.count == patterns.count else {
      return [wrong(place, value, "an array of \(patterns.count)")]
    }
    return zip(elements, patterns).enumerated().flatMap { index, pair in
      mismatches(pair.0, pair.1, at: "\(place)/\(index)")
    }
  }
}

// MARK: Kinds

extension Pattern {
  private static func kind(_ value: JSON?, _ name: String, _ place: String) -> [String] {
    let fits: Bool
    switch name {
    case "$absent": fits = value == nil
    case "$any": fits = value != nil && value != .null
    case "$string": fits = value?.string != nil
    case "$text": fits = value?.string?.isEmpty == false
    case "$int": if case .int = value { fits = true } else { fits = false }
    case "$number": fits = value?.double != nil
    case "$bool": fits = value?.bool != nil
    case "$object": fits = value?.object != nil
    case "$array": fits = value?.array != nil
    case "$base64":
      fits = value?.string.flatMap { Base64.bytes($0) } != nil && value?.string?.isEmpty == false
    default: return ["\(place): the case asks for '\(name)', which does not exist"]
    }
    return fits ? [] : [wrong(place, value, name)]
  }
}

// MARK: Relations

extension Pattern {
  private static func relation(
    _ value: JSON?, _ member: JSONObject.Member, _ place: String
  ) -> [String] {
    switch member.key {
    case "$not":
      return mismatches(value, member.value, at: place).isEmpty
        ? [wrong(place, value, "anything but \(member.value.shown)")] : []
    case "$has":
      let part = member.value.string ?? ""
      return value?.string?.contains(part) == true
        ? [] : [wrong(place, value, "a text with \(part)")]
    case "$oneOf":
      let isOne = (member.value.array ?? []).contains { mismatches(value, $0, at: place).isEmpty }
      return isOne ? [] : [wrong(place, value, "one of \(member.value.shown)")]
    case "$exactly": return exactly(value, member.value, place)
    case "$count", "$each", "$some", "$none", "$anyOrder":
      guard let elements = value?.array else { return [wrong(place, value, "an array")] }
      return list(elements, member, place)
    default: return ["\(place): the case asks for '\(member.key)', which does not exist"]
    }
  }

  /// As the pattern, and no member more.
  private static func exactly(_ value: JSON?, _ pattern: JSON, _ place: String) -> [String] {
    let known = Set(pattern.object?.members.map(\.key) ?? [])
    let others = (value?.object?.members ?? []).filter { !known.contains($0.key) }
    return mismatches(value, pattern, at: place)
      + others.map { "\(place)/\($0.key) should be absent" }
  }

  private static func list(
    _ elements: [JSON], _ member: JSONObject.Member, _ place: String
  ) -> [String] {
    func fits(_ element: JSON, _ pattern: JSON) -> Bool {
      mismatches(element, pattern, at: place).isEmpty
    }
    switch member.key {
    case "$count":
      let count = JSON.int(Int64(elements.count))
      return mismatches(count, member.value, at: "\(place)'s count")
    case "$each":
      return elements.enumerated().flatMap {
        mismatches($0.element, member.value, at: "\(place)/\($0.offset)")
      }
    case "$some":
      return elements.contains { fits($0, member.value) }
        ? [] : [wrong(place, .array(elements), "an array with \(member.value.shown)")]
    case "$none":
      return elements.contains { fits($0, member.value) }
        ? [wrong(place, .array(elements), "an array without \(member.value.shown)")] : []
    default: return anyOrder(elements, member.value.array ?? [], place)
    }
  }

  /// Each element fits one pattern, and each pattern is used once.
  private static func anyOrder(
    _ elements: [JSON], _ patterns: [JSON], _ place: String
  ) -> [String] {
    var rest = elements
    var missing: [String] = []
    for pattern in patterns {
      if let index = rest.firstIndex(where: { mismatches($0, pattern, at: place).isEmpty }) {
        rest.remove(at: index)
      } else {
        missing.append("\(place) holds no \(pattern.shown)")
      }
    }
    return missing + rest.map { "\(place) holds \($0.shown.prefix(200)) as well" }
  }
}
