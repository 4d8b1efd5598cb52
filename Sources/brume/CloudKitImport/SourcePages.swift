// What an import asks a source for: zones, pages of records, records by name.

import BrumeModel
import BrumeWire

/// A zone of the source.
struct SourceZone {
  let name: String
  let owner: String?
  var isDefault: Bool { name == ZoneID.defaultName }
  fileprivate var json: JSON {
    var zone: JSON = ["zoneName": .string(name)]
    if let owner, !isDefault {
      zone = ["zoneName": .string(name), "ownerRecordName": .string(owner)]
    }
    return zone
  }
}

/// Records, and what cannot be read as one.
struct SourcePage {
  var records: [Record] = []
  var unreadable: [RefusedRecord] = []
  /// Where the next page begins; nil on the last.
  var next: String?

  /// - Throws: a record's error that passes.
  init(_ items: [JSON], in zone: SourceZone) throws {
    for item in items where item["deleted"]?.bool != true {
      if item["serverErrorCode"] != nil {
        let error = Wire.error(item)
        if error.isPassing { throw error }
        // It was deleted since it was listed.
        if error.code != .notFound { refuse(item, error.reason, zone) }
        continue
      }
      do throws(BrumeError) {
        var record = try Record(json: item)
        record.zone = ZoneID(name: zone.name)
        records.append(record)
      } catch {
        refuse(item, error.reason, zone)
      }
    }
  }

  private mutating func refuse(_ item: JSON, _ reason: String, _ zone: SourceZone) {
    unreadable.append(
      RefusedRecord(
        name: item["recordName"]?.string ?? "", type: item["recordType"]?.string ?? "", zone: zone,
        reason: "it cannot be read: \(reason)"))
  }
}

extension SourceServer {
  func zones() async throws -> [SourceZone] {
    try await call("zones/list") { json in
      try (json["zones"]?.array ?? []).compactMap { item in
        if item["serverErrorCode"] != nil { throw Wire.error(item) }
        return item["zoneID"]?["zoneName"]?.string.map {
          SourceZone(name: $0, owner: item["zoneID"]?["ownerRecordName"]?.string)
        }
      }
    }
  }

  /// A page of all records of a type.
  func query(_ type: String, in zone: SourceZone, from marker: String?) async throws -> SourcePage {
    var body = JSONObject()
    body["query"] = ["recordType": .string(type)]
    body["zoneID"] = zone.json
    body["continuationMarker"] = marker.map { .string($0) }
    let hint =
      ". If it is about an index: all records of a type are asked for, so its recordName needs a "
      + "QUERYABLE index at the source, which CloudKit's console gives it"
    return try await call("records/query", .object(body), hint: hint) { json in
      var page = try SourcePage(json["records"]?.array ?? [], in: zone)
      page.next = try Self.next(json["continuationMarker"]?.string, after: marker)
      return page
    }
  }

  /// A page of what a custom zone holds, of all types.
  func changes(in zone: SourceZone, from token: String?) async throws -> SourcePage {
    var wanted = JSONObject()
    wanted["zoneID"] = zone.json
    wanted["syncToken"] = token.map { .string($0) }
    return try await call("changes/zone", ["zones": [.object(wanted)]]) { json in
      guard let part = json["zones"]?.array?.first else {
        throw BrumeError(.badRequest, "the answer has nothing of zone '\(zone.name)'")
      }
      if part["serverErrorCode"] != nil { throw Wire.error(part) }
      var page = try SourcePage(part["records"]?.array ?? [], in: zone)
      if part["moreComing"]?.bool == true {
        page.next = try Self.next(part["syncToken"]?.string, after: token)
      }
      return page
    }
  }

  /// Those of the records that are still there, with fresh addresses of their files.
  func lookup(_ names: [String], in zone: SourceZone) async throws -> SourcePage {
    var body = JSONObject()
    body["records"] = .array(names.map { ["recordName": .string($0)] })
    body["zoneID"] = zone.json
    return try await call("records/lookup", .object(body)) { json in
      try SourcePage(json["records"]?.array ?? [], in: zone)
    }
  }

  /// A source that stays at one place would be read for ever.
  private static func next(_ next: String?, after last: String?) throws -> String? {
    if let next, next == last {
      throw BrumeError(.badRequest, "two pages end at the same place")
    }
    return next
  }
}
