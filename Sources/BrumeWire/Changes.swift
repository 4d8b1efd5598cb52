// `changes/zone`, its deprecated form `records/changes`, and `changes/database`: bodies and replies.

package import BrumeModel

// MARK: Zone changes

extension Wire {
  /// The body of `changes/zone`.
  package static func zoneChangesRequests(_ requests: [ZoneChangesRequest]) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.array("zones", requests) { writer, request in
        writer.beginObject()
        writer.zoneMember(request.zone)
        writer.member("syncToken", request.token)
        writer.member("resultsLimit", request.limit.map { Int64($0) })
        writer.member("desiredKeys", request.desiredKeys)
        writer.member("desiredRecordTypes", request.desiredTypes?.sorted())
        writer.member("reverse", request.reverse)
        if let withDeletions = request.withDeletions {
          writer.name("brume")
          writer.beginObject()
          writer.member("withDeletions", withDeletions)
          writer.endObject()
        }
        writer.endObject()
      }
      writer.endObject()
    }
  }

  /// Keys of the body are defaults for all its zones.
  package static func zoneChangesRequests(_ json: JSON) throws(BrumeError) -> [ZoneChangesRequest] {
    let object = try json.asObject("the body")
    let defaults = try ZoneChangesRequest(object, zone: ZoneID(name: ZoneID.defaultName))
    let zones = try object.required("zones", try object.array("zones"))
    return try eachElement(of: zones, in: "zones") { zone throws(BrumeError) in
      let id = try zone.required("zoneID", try zone.zoneID("zoneID"))
      var request = try ZoneChangesRequest(zone, zone: id)
      request.limit = request.limit ?? defaults.limit
      request.desiredKeys = request.desiredKeys ?? defaults.desiredKeys
      request.desiredTypes = request.desiredTypes ?? defaults.desiredTypes
      request.reverse = request.reverse ?? defaults.reverse
      request.numbersAsStrings = request.numbersAsStrings ?? defaults.numbersAsStrings
      return request
    }
  }

  /// The body of `records/changes`: one zone, and what is asked of it beside its name.
  ///
  /// - Throws: `badRequest` if no zone is named, or a member is none.
  package static func recordChangesRequest(_ json: JSON) throws(BrumeError) -> ZoneChangesRequest {
    let object = try json.asObject("the body")
    guard let zone = try object.zoneID("zoneID") else {
      throw BrumeError(
        .badRequest, "'zoneID' is missing; name a custom zone, others have no changes")
    }
    return try ZoneChangesRequest(object, zone: zone)
  }

  /// The reply of `changes/zone`.
  ///
  /// - Parameter requests: what was asked for, in the same order; their desired keys come before
  ///   those of `options`.
  package static func zoneChangesInPieces(
    _ results: [ZoneChangesResult], for requests: [ZoneChangesRequest], _ options: RecordOptions
  ) -> [[UInt8]] {
    pieces { $0.zoneChanges(results, for: requests, options) }
  }

  /// The reply of `records/changes`. Only this form says that it walked backwards.
  package static func recordChangesInPieces(
    _ page: ZoneChangesPage, for request: ZoneChangesRequest, _ options: RecordOptions
  ) -> [[UInt8]] {
    pieces { $0.zoneChanges(page, options.wished(by: request), saysReverse: true) }
  }

  /// Reads the reply of `changes/zone`.
  package static func zoneChanges(_ json: JSON) throws(BrumeError) -> [ZoneChangesResult] {
    let object = try json.asObject("the reply")
    let zones = try object.required("zones", try object.array("zones"))
    return try eachElement(of: zones, in: "zones") { zone throws(BrumeError) in
      let id = try zone.required("zoneID", try zone.zoneID("zoneID"))
      if let error = error(in: zone) { return .failure(ItemFailure(id, error)) }
      let records = try zone.array("records") ?? []
      return .success(
        ZoneChangesPage(
          zone: id,
          changes: try eachElement(of: records, in: "records") { record throws(BrumeError) in
            try zoneChange(record)
          },
          token: try zone.requiredString("syncToken"),
          moreComing: try zone.bool("moreComing") ?? false,
          clientData: try zone.extras()?.base64("clientData")))
    }
  }

  private static func zoneChange(_ record: JSONObject) throws(BrumeError) -> ZoneChange {
    guard try record.bool("deleted") ?? false else {
      return .changed(try StoredRecord(received: record))
    }
    // The type of what was deleted is ours: Apple's tombstones do not have it.
    let type = try record.extras()?.string("recordType") ?? ""
    return .deleted(name: try record.requiredString("recordName"), type: type, sequence: 0)
  }
}

extension ZoneChangesRequest {
  fileprivate init(_ object: JSONObject, zone: ZoneID) throws(BrumeError) {
    self.init(
      zone: zone, token: try object.string("syncToken"), limit: try object.limit("resultsLimit"),
      desiredKeys: try object.desiredKeys(),
      desiredTypes: try object.desiredNames("desiredRecordTypes", for: "types").map { Set($0) },
      reverse: try object.bool("reverse"), numbersAsStrings: try object.numbersAsStrings(),
      withDeletions: try object.extras()?.bool("withDeletions"))
  }
}

extension RecordOptions {
  /// What is asked of a zone comes before what is asked of all.
  fileprivate func wished(by request: ZoneChangesRequest?) -> RecordOptions {
    var own = desiring(request?.desiredKeys)
    own.numbersAsStrings = request?.numbersAsStrings ?? own.numbersAsStrings
    return own
  }
}

extension JSONWriter {
  mutating func zoneChanges(
    _ results: [ZoneChangesResult], for requests: [ZoneChangesRequest], _ options: RecordOptions
  ) {
    beginObject()
    array("zones", results.enumerated()) { writer, item in
      let request = item.offset < requests.count ? requests[item.offset] : nil
      switch item.element {
      case .success(let page): writer.zoneChanges(page, options.wished(by: request))
      case .failure(let failure): writer.zoneFailure(failure)
      }
    }
    endObject()
  }

  fileprivate mutating func zoneChanges(
    _ page: ZoneChangesPage, _ options: RecordOptions, saysReverse: Bool = false
  ) {
    beginObject()
    name("zoneID")
    zoneID(page.zone)
    member("syncToken", page.token)
    member("moreComing", page.moreComing)
    if let data = page.clientData {
      name("brume")
      beginObject()
      member("clientData", Base64.text(data))
      endObject()
    }
    array("records", page.changes) { writer, change in
      switch change {
      case .changed(let record): writer.storedRecord(record, options)
      case .deleted(let name, let type, _):
        writer.tombstone(name: name, zone: page.zone, type: type)
      }
    }
    if saysReverse, page.isReverse { member("reverse", true) }
    endObject()
  }
}

// MARK: Database changes

/// A page of a feed that one token describes: `changes/database`, kept notifications.
package struct FeedRequest: WireRequest, Equatable, Sendable {
  /// Nil: from the beginning.
  package var token: String?
  /// The most items of a page; nil: the server chooses.
  package var limit: Int?

  package init(token: String? = nil, limit: Int? = nil) {
    self.token = token
    self.limit = limit
  }

  package init(json: JSON) throws(BrumeError) {
    let object = try json.asObject("the body")
    self.init(
      token: try object.string("syncToken"), limit: try object.limit("resultsLimit"))
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("syncToken", token)
    writer.member("resultsLimit", limit.map { Int64($0) })
    writer.endObject()
  }
}

extension Wire {
  /// The reply of `changes/database`.
  package static func databaseChanges(_ page: DatabaseChangesPage) -> [UInt8] {
    bytes(capacity: 128 + page.zones.count * 200) { writer in
      writer.beginObject()
      writer.array("zones", page.zones) { $0.zoneState($1) }
      writer.member("syncToken", page.token)
      writer.member("moreComing", page.moreComing)
      writer.endObject()
    }
  }

  /// Reads the reply of `changes/database`.
  package static func databaseChanges(_ json: JSON) throws(BrumeError) -> DatabaseChangesPage {
    let object = try json.asObject("the reply")
    let zones = try object.required("zones", try object.array("zones"))
    return DatabaseChangesPage(
      zones: try eachElement(of: zones, in: "zones") { zone throws(BrumeError) in
        switch try zoneResult(zone) {
        case .success(let state): return state
        case .failure(let failure): throw failure.error
        }
      },
      token: try object.requiredString("syncToken"),
      moreComing: try object.bool("moreComing") ?? false)
  }
}
