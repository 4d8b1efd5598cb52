// Field dictionaries, reading: a tagged value is checked against its tag, an untagged one is taken
// for what its JSON form suggests; coercing that to the schema's type is the rules' work.

import BrumeModel

/// What a `type` tag says.
struct FieldTag {
  /// Nil: a list whose element type follows from the values.
  let type: FieldType?
  let isEncrypted: Bool

  private static let types: [String: FieldType] = {
    var types: [String: FieldType] = ["ASSET": .asset, "ASSET_LIST": .list(.asset)]
    // CloudKit: CloudKit JS knows the first, iCloud's web apps write the second, and CloudKit-PHP the
    // last two.
    let aliases: [(String, FieldType)] = [
      ("BOOLEAN", .int64), ("NUMBER_INT64", .int64), ("NUMBER_DOUBLE", .double),
    ]
    for (alias, type) in aliases {
      types[alias] = type
      types[alias + "_LIST"] = .list(type)
    }
    for scalar in FieldType.scalars {
      types[scalar.wireName] = scalar
      types[FieldType.list(scalar).wireName] = .list(scalar)
    }
    return types
  }()

  init(_ text: String, field: String) throws(BrumeError) {
    if let type = Self.types[text] {
      self.init(type: type, isEncrypted: false)
    } else if text == "LIST" || text == "UNKNOWN_LIST" || text == "EMPTY_LIST" {
      self.init(type: nil, isEncrypted: false)
    } else if text.hasPrefix("ENCRYPTED_"), let type = Self.types[String(text.dropFirst(10))] {
      self.init(type: type, isEncrypted: true)
    } else {
      let names = FieldType.scalars.map(\.wireName).joined(separator: ", ")
      throw BrumeError(
        .badRequest,
        "field '\(field)' has the unknown type '\(NameRules.shown(text))'; use \(names) or one with _LIST"
      )
    }
  }
  private init(type: FieldType?, isEncrypted: Bool) {
    self.type = type
    self.isEncrypted = isEncrypted
  }
}

extension DraftField {
  /// Reads one entry of `fields`.
  init(json: JSON, field: String) throws(BrumeError) {
    guard case .object(let object) = json else {
      if json == .null {
        self.init(nil, isTagged: false)
        return
      }
      throw BrumeError(
        .badRequest, "field '\(field)' must be an object with 'value', not \(json.kind)")
    }
    let (text, flag) = try FieldValue.within(field) { () throws(BrumeError) in
      (try object.string("type"), try object.bool("isEncrypted"))
    }
    let tag = try text.map { text throws(BrumeError) in try FieldTag(text, field: field) }
    let isEncrypted = flag ?? false || tag?.isEncrypted ?? false
    guard let value = object["value"] else {
      try Self.checkClears(object, field: field)
      // The type of no value says nothing, and is not written.
      self.init(nil, isTagged: false, isEncrypted: isEncrypted)
      return
    }
    if let type = tag?.type {
      let value = try FieldValue(json: value, type: type, field: field)
      self.init(
        value.exact(object["brume"]?["seconds"]?.double), isTagged: true, isEncrypted: isEncrypted)
    } else {
      let value = try FieldValue(untagged: value, field: field)
      if tag != nil, value.type?.isList == false {
        throw FieldValue.mismatch(field, "a list", "an array", nil)
      }
      self.init(value, isTagged: false, isEncrypted: isEncrypted)
    }
  }

  /// A misspelled `value` must not clear a field.
  private static func checkClears(_ object: JSONObject, field: String) throws(BrumeError) {
    if object.members.contains(where: { $0.key == "value" }) { return }
    guard
      let other = object.members.first(where: {
        !["type", "isEncrypted", "brume"].contains($0.key)
      })
    else { return }
    throw BrumeError(
      .badRequest,
      "field '\(field)' has '\(NameRules.shown(other.key))' and no 'value'; write 'value', or null or {} for a "
        + "field without one")
  }
}

extension FieldValue {
  /// Seconds between 1970, from which the wire counts, and 2001, from which the framework does.
  private static let secondsTo2001 = 978_307_200.0

  /// The same time with its fraction, if that is of this millisecond.
  fileprivate func exact(_ seconds: Double?) -> FieldValue {
    guard let seconds, case .timestamp(let time, _) = self,
      abs((seconds + Self.secondsTo2001) * 1000 - Double(time)) <= 1
    else { return self }
    return .timestamp(time, exact: seconds)
  }

  /// Reads a value whose type is known.
  init(json: JSON, type: FieldType, field: String) throws(BrumeError) {
    switch type {
    case .string:
      guard case .string(let text) = json else { throw Self.mismatch(field, type, "a text", json) }
      self = .string(text)
    case .int64: self = .int64(try Self.int64(json, field))
    case .double: self = .double(try Self.double(json, field))
    case .bytes:
      guard case .string(let text) = json else {
        throw Self.mismatch(field, type, "a base64 text", json)
      }
      guard let bytes = Base64.bytes(text) else {
        throw Self.mismatch(field, type, "a base64 text", found: "a text that is no base64")
      }
      self = .bytes(bytes)
    case .timestamp:
      guard let time = json.int ?? json.string.flatMap({ Int64($0) }) else {
        throw Self.mismatch(
          field, type, "whole milliseconds since 1970", found: json.kindIfNotWhole)
      }
      self = .timestamp(time)
    case .location:
      guard case .object(let object) = json,
        let place = try Self.within(field, { () throws(BrumeError) in try Location(object) })
      else {
        let missing = json["latitude"] == nil ? "latitude" : "longitude"
        throw Self.mismatch(
          field, type, "an object with latitude and longitude", found: json.kind(without: missing))
      }
      self = .location(place)
    case .reference:
      guard case .object(let object) = json,
        let target = try Self.within(field, { () throws(BrumeError) in try Reference(object) })
      else {
        throw Self.mismatch(
          field, type, "an object with recordName", found: json.kind(without: "recordName"))
      }
      self = .reference(target)
    case .asset:
      guard case .object(let object) = json else {
        throw Self.mismatch(field, type, "the object that the upload returned", json)
      }
      self = .asset(try Self.within(field) { () throws(BrumeError) in try Asset(object) })
    case .list(let element): self = try Self.list(json, of: element, field: field)
    }
  }

  /// Errors about the members of a value name its field.
  fileprivate static func within<Value>(
    _ field: String, _ body: () throws(BrumeError) -> Value
  ) throws(BrumeError) -> Value {
    do throws(BrumeError) {
      return try body()
    } catch {
      throw error.located("field '\(field)'")
    }
  }

  private static func list(
    _ json: JSON, of element: FieldType, field: String
  ) throws(BrumeError) -> FieldValue {
    guard case .array(let elements) = json else {
      throw mismatch(field, .list(element), "an array", json)
    }
    var values: [FieldValue] = []
    values.reserveCapacity(elements.count)
    for value in elements {
      values.append(try FieldValue(json: value, type: element, field: field))
    }
    return .list(values, of: element)
  }

  private static func int64(_ json: JSON, _ field: String) throws(BrumeError) -> Int64 {
    if let flag = json.bool { return flag ? 1 : 0 }
    guard let number = json.int ?? json.string.flatMap({ Int64($0) }) else {
      throw mismatch(field, .int64, "a whole number of 64 bits", found: json.kindIfNotWhole)
    }
    return number
  }

  private static func double(_ json: JSON, _ field: String) throws(BrumeError) -> Double {
    guard let number = json.decimal, number.isFinite else {
      throw mismatch(field, .double, "a finite number", found: json.kindIfNoNumber)
    }
    return number
  }

  /// Reads a value without a tag.
  init(untagged json: JSON, field: String) throws(BrumeError) {
    switch json {
    case .string(let text): self = .string(text)
    case .int(let number): self = .int64(number)
    case .double(let number): self = .double(number)
    case .bool(let flag): self = .int64(flag ? 1 : 0)
    case .object(let object):
      let value = try Self.within(field) { () throws(BrumeError) in
        try FieldValue(membersOf: object)
      }
      guard let value else {
        throw Self.mismatch(field, "a value", "a reference, a location or an asset", json)
      }
      self = value
    case .array(let elements): self = try Self.untaggedList(elements, field: field)
    case .null: throw Self.mismatch(field, "a list element", "a value", json)
    }
  }

  /// Nil if the members are none that a value has.
  private init?(membersOf object: JSONObject) throws(BrumeError) {
    if let target = try Reference(object) {
      self = .reference(target)
    } else if let place = try Location(object) {
      self = .location(place)
    } else if ["fileChecksum", "receipt", "downloadURL"].contains(where: { object[$0] != nil }) {
      self = .asset(try Asset(object))
    } else {
      return nil
    }
  }

  private static func untaggedList(
    _ elements: [JSON], field: String
  ) throws(BrumeError) -> FieldValue {
    var values: [FieldValue] = []
    for element in elements { values.append(try FieldValue(untagged: element, field: field)) }
    var types = Set(values.map(\.type))
    // 2.0 is often written 2.
    if types == [.int64, .double] {
      values = values.map { value in
        if case .int64(let number) = value { .double(Double(number)) } else { value }
      }
      types = [.double]
    }
    guard types.count <= 1, types.first??.isList != true, types.first != .some(nil) else {
      throw BrumeError(
        .badRequest, "field '\(field)' must be a list whose elements all have one scalar type")
    }
    return .list(values, of: types.first ?? nil)
  }

  private static func mismatch(
    _ field: String, _ type: FieldType, _ form: String, _ json: JSON?
  ) -> BrumeError {
    mismatch(field, "type \(type.wireName)", form, json)
  }

  private static func mismatch(
    _ field: String, _ type: FieldType, _ form: String, found: String
  ) -> BrumeError {
    mismatch(field, "type \(type.wireName)", form, found: found)
  }

  static func mismatch(
    _ field: String, _ wanted: String, _ form: String, _ json: JSON?
  ) -> BrumeError {
    mismatch(field, wanted, form, found: json?.kind)
  }

  private static func mismatch(
    _ field: String, _ wanted: String, _ form: String, found: String?
  ) -> BrumeError {
    let found = found.map { ", not \($0)" } ?? ""
    return BrumeError(
      .badRequest,
      "field '\(field)': Invalid value, expected \(wanted). Send \(form)\(found)")
  }
}

extension Location {
  /// Nil if there are no coordinates.
  init?(_ object: JSONObject) throws(BrumeError) {
    guard let latitude = try object.double("latitude"),
      let longitude = try object.double("longitude")
    else { return nil }
    self.init(
      latitude: latitude, longitude: longitude, altitude: try object.double("altitude"),
      horizontalAccuracy: try object.double("horizontalAccuracy"),
      verticalAccuracy: try object.double("verticalAccuracy"), speed: try object.double("speed"),
      course: try object.double("course"), timestamp: try object.int("timestamp"))
  }
}

extension Reference {
  /// Nil if there is no record name.
  init?(_ object: JSONObject) throws(BrumeError) {
    guard let name = try object.string("recordName") else { return nil }
    self.init(
      recordName: name, zone: try object.zoneID("zoneID"), action: try Self.action(object))
  }

  private static func action(_ object: JSONObject) throws(BrumeError) -> Action {
    // CloudKit: AgileCloudSDK, by which 1Password synced, sends the framework's numbers.
    if case .int(let number)? = object["action"], number == 0 || number == 1 {
      return number == 0 ? Action.none : Action.deleteSelf
    }
    guard let text = try object.string("action") else { return Action.none }
    guard let action = Action(rawValue: text) else {
      throw BrumeError(
        .badRequest,
        "'action' of a reference must be NONE, DELETE_SELF or VALIDATE, not '\(NameRules.shown(text))'"
      )
    }
    return action
  }
}

extension Asset {
  init(_ object: JSONObject) throws(BrumeError) {
    self.init(
      fileChecksum: try object.requiredString("fileChecksum"), size: try object.int("size") ?? 0,
      receipt: try object.string("receipt"), downloadURL: try object.string("downloadURL"))
  }
}
