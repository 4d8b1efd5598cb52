// Zone IDs, and the bodies and replies of `zones/*`.

package import BrumeModel

extension JSONWriter {
  mutating func zoneID(_ zone: ZoneID, withType: Bool = true) {
    beginObject()
    member("zoneName", zone.name)
    member("ownerRecordName", zone.ownerName)
    if withType {
      let isDefault = zone.name == ZoneID.defaultName
      member("zoneType", isDefault ? "DEFAULT_ZONE" : "REGULAR_CUSTOM_ZONE")
    }
    endObject()
  }

  /// `"zoneID": {…}` in requests; nothing for nil.
  mutating func zoneMember(_ zone: ZoneID?) {
    guard let zone else { return }
    name("zoneID")
    zoneID(zone, withType: false)
  }
}

extension ZoneID {
  /// CloudKit: MistKit's OpenAPI writes `ownerName` where Apple documents `ownerRecordName`.
  init(_ object: JSONObject) throws(BrumeError) {
    self.init(
      name: try Self.bounded(object.string("zoneName"), "zoneName") ?? ZoneID.defaultName,
      ownerName: try Self.bounded(
        object.string("ownerRecordName", or: "ownerName"), "ownerRecordName"))
  }

  /// Each item of an answer may repeat it, so what no zone can be called does not get that far.
  private static func bounded(_ name: String?, _ member: String) throws(BrumeError) -> String? {
    guard let name, name.utf8.count > JSONBounds.nameBytes else { return name }
    throw BrumeError(
      .badRequest,
      "'\(member)' has \(name.utf8.count) bytes; the maximum is 255; give the zone a shorter name")
  }

  /// Reads a zone ID; a bare text is a zone of the caller's.
  init(json: JSON) throws(BrumeError) {
    switch json {
    case .string(let name): self.init(name: try Self.bounded(name, "zoneID") ?? name)
    case .object(let object): try self.init(object)
    default: throw BrumeError(.badRequest, "a zone ID must be an object, not \(json.kind)")
    }
  }
}

extension JSONObject {
  /// A zone ID; nil if absent.
  ///
  /// - Throws: `badRequest` for what is none.
  package func zoneID(_ key: String) throws(BrumeError) -> ZoneID? {
    guard let value = self[key] else { return nil }
    return try ZoneID(json: value)
  }
}

// MARK: Requests

extension Wire {
  /// The body of `zones/lookup`.
  package static func zoneLookup(_ zones: [ZoneID]) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.array("zones", zones) { $0.zoneID($1, withType: false) }
      writer.endObject()
    }
  }

  /// Reads the body of `zones/lookup`.
  package static func zoneLookup(_ json: JSON) throws(BrumeError) -> [ZoneID] {
    let object = try json.asObject("the body")
    let zones = try object.required("zones", try object.oneOrMore("zones"))
    return try eachElement(of: zones, in: "zones") { zone throws(BrumeError) in
      if let id = try zone.zoneID("zoneID") { return id }
      return try ZoneID(zone)
    }
  }
}

extension ZoneOperation: WireOperation {
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("operationType", kind.rawValue)
    writer.name("zone")
    writer.beginObject()
    writer.zoneMember(zone)
    writer.endObject()
    writer.endObject()
  }

  package init(_ operation: JSONObject) throws(BrumeError) {
    let type = try operation.requiredString("operationType")
    guard let kind = Kind(rawValue: type) else {
      throw BrumeError(.badRequest, "'operationType' of a zone must be create or delete")
    }
    let zone = try operation.required("zone", try operation.object("zone"))
    self.init(kind, try zone.required("zoneID", try zone.zoneID("zoneID")))
  }
}

// MARK: Replies

extension JSONWriter {
  mutating func zoneState(_ state: ZoneState) {
    beginObject()
    name("zoneID")
    zoneID(state.zone)
    member("syncToken", state.token)
    member("atomic", state.isAtomic)
    member("deleted", state.deletion != nil)
    if state.deletion != nil || state.share != nil || state.isNew {
      name("brume")
      beginObject()
      member("deletion", state.deletion?.rawValue)
      member("share", state.share)
      if state.isNew { member("isNew", true) }
      endObject()
    }
    endObject()
  }

  mutating func zoneResult(_ result: ZoneResult) {
    switch result {
    case .success(let state): zoneState(state)
    case .failure(let failure): zoneFailure(failure)
    }
  }

  mutating func zoneFailure(_ failure: ItemFailure<ZoneID>) {
    beginObject()
    name("zoneID")
    zoneID(failure.id)
    errorMembers(failure.error)
    endObject()
  }
}

extension Wire {
  /// The reply of `zones/lookup` and `zones/modify`.
  package static func zones(_ results: [ZoneResult]) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.array("zones", results) { $0.zoneResult($1) }
      writer.endObject()
    }
  }

  /// The reply of `zones/list`.
  package static func zones(_ states: [ZoneState]) -> [UInt8] {
    zones(states.map { ZoneResult.success($0) })
  }

  /// Reads the reply of all `zones/…`.
  package static func zoneResults(_ json: JSON) throws(BrumeError) -> [ZoneResult] {
    let object = try json.asObject("the reply")
    let zones = try object.required("zones", try object.array("zones"))
    return try eachElement(of: zones, in: "zones") { zone throws(BrumeError) in
      try zoneResult(zone)
    }
  }

  static func zoneResult(_ object: JSONObject) throws(BrumeError) -> ZoneResult {
    let zone = try object.required("zoneID", try object.zoneID("zoneID"))
    if let error = error(in: object) { return .failure(ItemFailure(zone, error)) }
    let extras = try object.extras()
    var state = ZoneState(
      zone: zone, token: try object.string("syncToken"),
      isAtomic: try object.bool("atomic") ?? (zone.name != ZoneID.defaultName),
      share: try extras?.string("share"))
    state.isNew = try extras?.bool("isNew") ?? false
    if try object.bool("deleted") ?? false {
      let reason = try extras?.string("deletion").flatMap { Zone.Deletion(rawValue: $0) }
      state.deletion = reason ?? .deleted
    }
    return .success(state)
  }
}
