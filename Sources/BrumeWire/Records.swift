// The bodies and replies of `records/modify` and `records/lookup`.

package import BrumeModel

// MARK: Requests

extension ModifyRecordsRequest: WireRequest {
  package init(json: JSON) throws(BrumeError) {
    let object = try json.asObject("the body")
    let operations = try object.required("operations", try object.array("operations"))
    _ = try object.numbersAsStrings()
    self.init(
      zone: try object.zoneID("zoneID"),
      operations: try eachElement(of: operations, in: "operations") {
        operation throws(BrumeError) in try RecordOperation(operation)
      },
      atomic: try object.bool("atomic"), desiredKeys: try object.desiredKeys(),
      operationID: try object.extras()?.string("operationID"),
      clientData: try object.extras()?.base64("clientData"))
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.zoneMember(zone)
    writer.member("atomic", atomic)
    writer.array("operations", operations) { $1.write(to: &$0) }
    writer.member("desiredKeys", desiredKeys)
    if operationID != nil || clientData != nil {
      writer.name("brume")
      writer.beginObject()
      writer.member("operationID", operationID)
      writer.member("clientData", clientData.map { Base64.text($0) })
      writer.endObject()
    }
    writer.endObject()
  }
}

extension RecordOperation {
  /// Looks for what a server would refuse the whole request for, as it reads it.
  ///
  /// - Throws: `badRequest`, which names the field.
  package func checkForm() throws(BrumeError) {
    let bytes = Wire.bytes { write(to: &$0) }
    let json: JSON
    do throws(BrumeError) { json = try JSON(body: bytes) } catch {
      throw error.located(placeOfNoJSON)
    }
    _ = try RecordOperation(try json.asObject("an operation"))
  }

  /// What has a text that no request may have.
  private var placeOfNoJSON: String {
    let name = record.fields.keys.sorted().first { name in
      var alone = RecordDraft()
      alone.fields[name] = record.fields[name]
      return (try? JSON(body: Wire.bytes { alone.write(to: &$0) })) == nil
    }
    return name.map { "field '\(NameRules.shown($0))'" } ?? "a name"
  }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("operationType", kind.rawValue)
    writer.name("record")
    record.write(to: &writer)
    writer.endObject()
  }

  fileprivate init(_ object: JSONObject) throws(BrumeError) {
    let type = try object.requiredString("operationType")
    guard let kind = Kind(rawValue: type) else {
      let kinds = Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw BrumeError(
        .badRequest, "'operationType' must be one of \(kinds), not '\(NameRules.shown(type))'")
    }
    self.init(kind, try RecordDraft(try object.required("record", try object.object("record"))))
    desiredKeys = try object.desiredKeys()
    numbersAsStrings = try object.numbersAsStrings()
  }
}

extension LookupRecordsRequest: WireRequest {
  package init(json: JSON) throws(BrumeError) {
    let object = try json.asObject("the body")
    let records = try object.required("records", try object.oneOrMore("records"))
    _ = try object.numbersAsStrings()
    self.init(
      zone: try object.zoneID("zoneID"),
      items: try eachElement(of: records, in: "records") { record throws(BrumeError) in
        Item(
          name: try record.requiredString("recordName"), zone: try record.zoneID("zoneID"),
          desiredKeys: try record.desiredKeys())
      },
      desiredKeys: try object.desiredKeys())
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.zoneMember(zone)
    writer.array("records", items) { writer, item in
      writer.beginObject()
      writer.member("recordName", item.name)
      writer.zoneMember(item.zone)
      writer.member("desiredKeys", item.desiredKeys)
      writer.endObject()
    }
    writer.member("desiredKeys", desiredKeys)
    writer.endObject()
  }
}

// MARK: Replies

extension JSONWriter {
  mutating func records(
    _ results: [RecordResult], syncToken: String?, options: (Int) -> RecordOptions
  ) {
    beginObject()
    array("records", results.enumerated()) { writer, item in
      writer.recordResult(item.element, options(item.offset))
    }
    member("syncToken", syncToken)
    endObject()
  }

  mutating func recordResult(_ result: RecordResult, _ options: RecordOptions) {
    switch result {
    case .success(.saved(let record)): storedRecord(record, options)
    case .success(.deleted(let name, let zone)): tombstone(name: name, zone: zone)
    case .failure(let failure): recordFailure(failure, to: options.reader)
    }
  }

  mutating func recordFailure(_ failure: ItemFailure<RecordID>, to reader: UserID?) {
    beginObject()
    member("recordName", failure.id.name)
    name("zoneID")
    zoneID(failure.id.zone)
    errorMembers(failure.error, to: reader)
    endObject()
  }
}

extension Wire {
  /// The reply of `records/modify`: what an operation wants comes before what the request wants.
  ///
  /// - Parameter syncToken: with `getCurrentSyncToken`, the zone's token.
  package static func recordsInPieces(
    _ results: [RecordResult], for request: ModifyRecordsRequest, _ options: RecordOptions,
    syncToken: String? = nil
  ) -> [[UInt8]] {
    let wishes: (Int) -> RecordOptions = { index in
      guard index < request.operations.count else { return options }
      let operation = request.operations[index]
      var own = options.desiring(operation.desiredKeys)
      own.numbersAsStrings = operation.numbersAsStrings ?? own.numbersAsStrings
      return own
    }
    return pieces { $0.records(results, syncToken: syncToken, options: wishes) }
  }

  /// The reply of `records/lookup`: an item's desired keys come before those of the request.
  package static func recordsInPieces(
    _ results: [RecordResult], for request: LookupRecordsRequest, _ options: RecordOptions,
    syncToken: String? = nil
  ) -> [[UInt8]] {
    let ofRequest = options.desiring(request.desiredKeys)
    let wishes: (Int) -> RecordOptions = { index in
      ofRequest.desiring(index < request.items.count ? request.items[index].desiredKeys : nil)
    }
    return pieces { $0.records(results, syncToken: syncToken, options: wishes) }
  }

  /// Reads the reply of `records/modify` and `records/lookup`.
  package static func recordResults(_ json: JSON) throws(BrumeError) -> [RecordResult] {
    let object = try json.asObject("the reply")
    let records = try object.required("records", try object.array("records"))
    return try eachElement(of: records, in: "records") { record throws(BrumeError) in
      try recordResult(record)
    }
  }

  static func recordResult(_ object: JSONObject) throws(BrumeError) -> RecordResult {
    let isDeleted = try object.bool("deleted") ?? false
    guard let error = error(in: object) else {
      if !isDeleted { return .success(.saved(StoredRecord(received: try Record(object)))) }
      let id = try RecordID(object)
      return .success(.deleted(name: id.name, zone: id.zone))
    }
    return .failure(ItemFailure(try RecordID(object), error))
  }
}

extension RecordID {
  init(_ object: JSONObject) throws(BrumeError) {
    self.init(
      name: try object.string("recordName") ?? "",
      zone: try object.zoneID("zoneID") ?? ZoneID(name: ZoneID.defaultName))
  }
}
