// Replies against the OpenAPI description. This understands the part of JSON Schema that the description
// uses, and refuses a keyword that it does not understand, so that no rule of the description is
// passed over.

package import BrumeWire
import FoundationEssentials
import Yams

/// The description, to hold replies against.
package struct Description: Sendable {
  private let paths: [(parts: [String], operations: JSON)]
  private let components: JSON

  /// As it is written.
  package let document: JSON

  /// - Parameter text: `docs/protocol/openapi.yaml`.
  /// - Throws: what the parser of YAML throws.
  package init(_ text: String) throws {
    document = try Yams.compose(yaml: text).map { JSON(yaml: $0) } ?? .null
    components = document["components"] ?? .null
    paths = (document["paths"]?.object?.members ?? []).map { member in
      (member.key.split(separator: "/").map(String.init), member.value)
    }
  }

  /// - Throws: what reading the file throws, and the parser of YAML.
  package init(file: String) throws {
    try self.init(String(contentsOfFile: file, encoding: .utf8))
  }

  /// What of a reply is outside the description; empty if nothing is, or if the description does not
  /// have the path.
  ///
  /// - Parameter target: the request's path, with or without its query.
  package func problems(method: String, target: String, status: Int, reply: JSON) -> [String] {
    let path = target.prefix { $0 != "?" }.split(separator: "/").map(String.init)
    guard let found = paths.first(where: { Self.fits(path, $0.parts) })?.operations,
      let operation = found[method.lowercased()]
    else { return [] }
    let responses = operation["responses"]
    guard let response = responses?["\(status)"] ?? responses?["\(status / 100)XX"] else {
      return ["the description knows no status \(status) here"]
    }
    guard let content = resolved(response)["content"] else {
      return reply == .null ? [] : ["the description has no body for status \(status)"]
    }
    guard let schema = content["application/json"]?["schema"] else { return [] }
    return mismatches(reply, schema, at: "reply")
  }

  /// Every operation that is described, such as `POST /database/1/{container}/…`.
  package var operations: Set<String> {
    var names: Set<String> = []
    for path in paths {
      let template = "/" + path.parts.joined(separator: "/")
      for member in path.operations.object?.members ?? [] where member.key != "parameters" {
        names.insert("\(member.key.uppercased()) \(template)")
      }
    }
    return names
  }

  private static func fits(_ path: [String], _ template: [String]) -> Bool {
    path.count == template.count
      && zip(path, template).allSatisfy { $1.hasPrefix("{") || $0 == $1 }
  }

  private func resolved(_ json: JSON) -> JSON {
    guard let name = json["$ref"]?.string else { return json }
    let place = name.split(separator: "/").dropFirst(2)
    let target = place.reduce(components) { value, key in value[String(key)] ?? .null }
    return resolved(target)
  }
}

// MARK: Schemas

extension Description {
  private func mismatches(_ value: JSON, _ schema: JSON, at place: String) -> [String] {
    guard case .object(let rules) = resolved(schema) else {
      return ["\(place): the description's schema is missing"]
    }
    return rules.members.flatMap { rule -> [String] in
      switch rule.key {
      case "type": typeMismatch(value, rule.value, place)
      case "enum":
        rule.value.array?.contains(value) ?? false
          ? [] : ["\(place) is \(value.shown.prefix(80)), which is not listed"]
      case "required":
        (rule.value.array ?? []).compactMap(\.string).filter { key in
          value.object.map { $0.members.contains { $0.key == key } == false } ?? false
        }.map { "\(place)/\($0) is missing" }
      case "properties": propertyMismatches(value, rule.value, place)
      case "additionalProperties": additional(value, rule.value, rules, place)
      case "items": itemMismatches(value, rule.value, place)
      case "oneOf": alternatives(value, rule.value.array ?? [], place)
      case "not":
        mismatches(value, rule.value, at: place).isEmpty
          ? ["\(place) is \(value.shown.prefix(80)), which the description excludes"] : []
      case "allOf": (rule.value.array ?? []).flatMap { mismatches(value, $0, at: place) }
      case "description": []
      default: ["\(place): the description uses '\(rule.key)', which is not checked here"]
      }
    }
  }

  private func typeMismatch(_ value: JSON, _ type: JSON, _ place: String) -> [String] {
    let names = type.array?.compactMap(\.string) ?? [type.string ?? ""]
    return names.contains { value.isOfType($0) }
      ? [] : ["\(place) is \(value.kind), not \(names.joined(separator: " or "))"]
  }

  private func propertyMismatches(
    _ value: JSON, _ properties: JSON, _ place: String
  ) -> [String] {
    (value.object?.members ?? []).flatMap { member -> [String] in
      guard let schema = properties[member.key] else { return [] }
      return mismatches(member.value, schema, at: "\(place)/\(member.key)")
    }
  }

  private func additional(
    _ value: JSON, _ rule: JSON, _ rules: JSONObject, _ place: String
  ) -> [String] {
    let known = Set(rules["properties"]?.object?.members.map(\.key) ?? [])
    let others = (value.object?.members ?? []).filter { !known.contains($0.key) }
    if rule == false { return others.map { "\(place)/\($0.key) is not described" } }
    return others.flatMap { mismatches($0.value, rule, at: "\(place)/\($0.key)") }
  }

  private func itemMismatches(_ value: JSON, _ schema: JSON, _ place: String) -> [String] {
    (value.array ?? []).enumerated().flatMap { index, element in
      mismatches(element, schema, at: "\(place)/\(index)")
    }
  }

  /// Exactly one must fit. If none does, the problems of the closest are reported.
  private func alternatives(_ value: JSON, _ schemas: [JSON], _ place: String) -> [String] {
    let found = schemas.map { mismatches(value, $0, at: place) }
    switch found.filter(\.isEmpty).count {
    case 1: return []
    case 0: return found.min { $0.count < $1.count } ?? ["\(place) has no alternative"]
    default: return ["\(place) fits more than one alternative"]
    }
  }
}

extension JSON {
  fileprivate func isOfType(_ name: String) -> Bool {
    switch name {
    case "string": string != nil
    case "integer": int != nil
    case "number": double != nil
    case "boolean": bool != nil
    case "object": object != nil
    case "array": array != nil
    case "null": self == .null
    default: false
    }
  }
}
