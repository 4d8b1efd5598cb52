// `assets/upload`, the answer of an upload, `assets/rereference`, and our own IDs of assets: bodies and
// replies.

package import BrumeModel

// MARK: Tokens

extension AssetUploadRequest: WireRequest {
  package init(json: JSON) throws(BrumeError) {
    let object = try json.asObject("the body")
    let tokens = try object.required("tokens", try object.array("tokens"))
    self.init(
      zone: try object.zoneID("zoneID"),
      files: try eachElement(of: tokens, in: "tokens") { token throws(BrumeError) in
        File(
          recordType: try token.requiredString("recordType"),
          fieldName: try token.requiredString("fieldName"),
          recordName: try token.string("recordName"))
      })
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.zoneMember(zone)
    writer.array("tokens", files) { writer, file in
      writer.beginObject()
      writer.member("recordName", file.recordName)
      writer.member("recordType", file.recordType)
      writer.member("fieldName", file.fieldName)
      writer.endObject()
    }
    writer.endObject()
  }
}

extension Wire {
  /// The reply of `assets/upload`. The tickets must be whole addresses here.
  package static func uploadTickets(_ tickets: [AssetUploadTicket]) -> [UInt8] {
    bytes(capacity: 64 + tickets.count * 400) { writer in
      writer.beginObject()
      writer.array("tokens", tickets) { writer, ticket in
        writer.beginObject()
        writer.member("recordName", ticket.recordName)
        writer.member("fieldName", ticket.fieldName)
        writer.member("url", ticket.ticket)
        writer.endObject()
      }
      writer.endObject()
    }
  }

  /// Reads the reply of `assets/upload`.
  package static func uploadTickets(_ json: JSON) throws(BrumeError) -> [AssetUploadTicket] {
    let object = try json.asObject("the reply")
    let tokens = try object.required("tokens", try object.array("tokens"))
    return try eachElement(of: tokens, in: "tokens") { token throws(BrumeError) in
      if let error = error(in: token) { throw error }
      return AssetUploadTicket(
        recordName: try token.requiredString("recordName"),
        fieldName: try token.requiredString("fieldName"),
        ticket: try token.requiredString("url"))
    }
  }

  /// The answer of an upload: what a save takes as the field's value.
  package static func singleFile(_ asset: Asset) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.name("singleFile")
      writer.fieldValue(.asset(asset), RecordOptions())
      writer.endObject()
    }
  }

  /// Reads the reply of an upload: the asset with its receipt.
  package static func singleFile(_ json: JSON) throws(BrumeError) -> Asset {
    let object = try json.asObject("the reply")
    return try Asset(try object.required("singleFile", try object.object("singleFile")))
  }
}

// MARK: Rereferencing

extension AssetRereferenceRequest: WireRequest {
  package init(json: JSON) throws(BrumeError) {
    let object = try json.asObject("the body")
    let assets = try object.required("assets", try object.array("assets"))
    self.init(
      zone: try object.zoneID("zoneID"), targetZone: try object.zoneID("targetZoneID"),
      assets: try eachElement(of: assets, in: "assets") { asset throws(BrumeError) in
        AssetField(
          recordName: try asset.requiredString("recordName"),
          fieldName: try asset.requiredString("fieldName"))
      })
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.zoneMember(zone)
    if let targetZone {
      writer.name("targetZoneID")
      writer.zoneID(targetZone)
    }
    writer.array("assets", assets) { writer, asset in
      writer.beginObject()
      writer.member("recordName", asset.recordName)
      writer.member("fieldName", asset.fieldName)
      writer.endObject()
    }
    writer.endObject()
  }
}

extension Wire {
  /// The reply of `assets/rereference`: values for fields, by index.
  package static func assetResults(_ results: [AssetResult]) -> [UInt8] {
    fieldResults(results) { writer, asset in writer.fieldValue(.asset(asset), RecordOptions()) }
  }

  /// Reads the reply of `assets/rereference` and `assets/import`.
  package static func assetResults(_ json: JSON) throws(BrumeError) -> [AssetResult] {
    try fieldResults(json) { asset throws(BrumeError) in try Asset(asset) }
  }

  /// What became of each field of a request, by index; a failure names the field.
  private static func fieldResults<Value>(
    _ results: [Result<Value, ItemFailure<AssetField>>],
    _ write: (inout JSONWriter, Value) -> Void
  ) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.array("assets", results) { writer, result in
        switch result {
        case .success(let value): write(&writer, value)
        case .failure(let failure):
          writer.beginObject()
          writer.member("recordName", failure.id.recordName)
          writer.member("fieldName", failure.id.fieldName)
          writer.errorMembers(failure.error)
          writer.endObject()
        }
      }
      writer.endObject()
    }
  }

  private static func fieldResults<Value>(
    _ json: JSON, _ read: (JSONObject) throws(BrumeError) -> Value
  ) throws(BrumeError) -> [Result<Value, ItemFailure<AssetField>>] {
    let object = try json.asObject("the reply")
    let assets = try object.required("assets", try object.array("assets"))
    return try eachElement(of: assets, in: "assets") { asset throws(BrumeError) in
      guard let error = error(in: asset) else { return .success(try read(asset)) }
      let field = AssetField(
        recordName: try asset.string("recordName") ?? "",
        fieldName: try asset.string("fieldName") ?? "")
      return .failure(ItemFailure(field, error))
    }
  }
}

// MARK: Exporting and importing

extension AssetImportRequest: WireRequest {
  package init(json: JSON) throws(BrumeError) {
    let object = try json.asObject("the body")
    let assets = try object.required("assets", try object.array("assets"))
    self.init(
      zone: try object.zoneID("zoneID"),
      assets: try eachElement(of: assets, in: "assets") { asset throws(BrumeError) in
        Item(
          field: AssetField(
            recordName: try asset.requiredString("recordName"),
            fieldName: try asset.requiredString("fieldName")),
          exported: try asset.requiredString("exported"))
      })
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.zoneMember(zone)
    writer.array("assets", assets) { writer, asset in
      writer.beginObject()
      writer.member("recordName", asset.field.recordName)
      writer.member("fieldName", asset.field.fieldName)
      writer.member("exported", asset.exported)
      writer.endObject()
    }
    writer.endObject()
  }
}

extension Wire {
  /// The reply of `/_brume/assets/export`: IDs, by index.
  package static func assetExports(_ results: [AssetExportResult]) -> [UInt8] {
    fieldResults(results) { writer, text in
      writer.beginObject()
      writer.member("exported", text)
      writer.endObject()
    }
  }

  /// Reads the reply of `assets/export`.
  package static func assetExports(_ json: JSON) throws(BrumeError) -> [AssetExportResult] {
    try fieldResults(json) { asset throws(BrumeError) in try asset.requiredString("exported") }
  }
}
