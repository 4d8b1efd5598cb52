// What callers ask about assets and what they get back, as values.

/// `assets/upload`: an address for each file that records are going to hold.
package struct AssetUploadRequest: Equatable, Sendable {
  /// A field that is going to hold a file.
  package struct File: Equatable, Sendable {
    package var recordType: String
    package var fieldName: String
    /// Nil: the server makes one.
    package var recordName: String?
    package init(recordType: String, fieldName: String, recordName: String? = nil) {
      self.recordType = recordType
      self.fieldName = fieldName
      self.recordName = recordName
    }
  }
  /// Nil: the default zone.
  package var zone: ZoneID?
  package var files: [File]
  package init(zone: ZoneID? = nil, files: [File]) {
    self.zone = zone
    self.files = files
  }
}

/// What lets one file be uploaded.
package struct AssetUploadTicket: Equatable, Sendable {
  package var recordName: String
  package var fieldName: String
  /// On the server the ticket; on the wire and in clients the whole address.
  package var ticket: String
  package init(recordName: String, fieldName: String, ticket: String) {
    self.recordName = recordName
    self.fieldName = fieldName
    self.ticket = ticket
  }
}

/// A field that holds an asset.
package struct AssetField: Equatable, Sendable {
  package var recordName: String
  package var fieldName: String
  package init(recordName: String, fieldName: String) {
    self.recordName = recordName
    self.fieldName = fieldName
  }
}

/// `assets/rereference`: files that records hold, for other records.
package struct AssetRereferenceRequest: Equatable, Sendable {
  /// The zone of the records that hold the files; nil: the default zone.
  package var zone: ZoneID?
  /// Where the receipts are good; nil: in the same zone.
  package var targetZone: ZoneID?
  package var assets: [AssetField]
  package init(zone: ZoneID? = nil, targetZone: ZoneID? = nil, assets: [AssetField]) {
    self.zone = zone
    self.targetZone = targetZone
    self.assets = assets
  }
}

/// `/_brume/assets/import`: files that `/_brume/assets/export` gave IDs to, for fields of records.
package struct AssetImportRequest: Equatable, Sendable {
  /// One file and its new place.
  package struct Item: Equatable, Sendable {
    /// Where the file is going to be saved.
    package var field: AssetField
    /// The ID, as the server made it.
    package var exported: String
    package init(field: AssetField, exported: String) {
      self.field = field
      self.exported = exported
    }
  }
  /// The zone of the fields; nil: the default zone.
  package var zone: ZoneID?
  package var assets: [Item]
  package init(zone: ZoneID? = nil, assets: [Item]) {
    self.zone = zone
    self.assets = assets
  }
}

/// The ID of the file that a field holds.
package typealias AssetExportResult = Result<String, ItemFailure<AssetField>>
/// An asset with a receipt for its field, or why there is none.
package typealias AssetResult = Result<Asset, ItemFailure<AssetField>>
