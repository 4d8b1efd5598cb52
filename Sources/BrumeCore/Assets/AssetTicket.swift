// What the server hands out around an asset and later believes: the ticket that an upload address
// carries, the receipt of an upload, the token of a download address, the ID of an asset. All are sealed texts, so none
// of them is a row in the store before a byte has arrived.

import BrumeModel

/// What may be uploaded by the holder of an upload address, and where it may be saved.
struct AssetTicket: Equatable, Sendable {
  var user: UserID
  var zone: ZoneKey
  /// Nil together with the field: any record of the zone, which is what a rereference gives.
  var record: String?
  var field: String?
  var expires: Milliseconds
}

/// The proof of an upload.
struct AssetReceipt: Equatable, Sendable {
  /// The upload's ID.
  var id: String
  var ticket: AssetTicket

  func hasExpired(now: Milliseconds) -> Bool { now >= ticket.expires }

  /// Why a save cannot use it, whenever it comes, and what to do; nil when it can.
  func obstacle(for user: UserID, record: RecordKey, field: String) -> String? {
    if ticket.user != user {
      return "the receipt belongs to another user; upload the file as this one"
    }
    guard ticket.zone == record.zone else {
      return "the receipt is for another zone; ask assets/upload with this record's 'zoneID'"
    }
    if let name = ticket.record, name != record.name {
      return "the receipt is for record '\(name)'; save under this name, or ask assets/upload with "
        + "the 'recordName' of the record to save"
    }
    if let name = ticket.field, name != field {
      return "the receipt is for field '\(name)'; ask assets/upload with this 'fieldName'"
    }
    return nil
  }
}

/// What a download address opens.
struct DownloadToken: Equatable, Sendable {
  var checksum: String
  var expires: Milliseconds
}

/// What the ID of an asset names, and for whom.
struct ExportedAsset: Equatable, Sendable {
  var user: UserID
  var device: DeviceID
  var scope: DatabaseScope
  var zone: ZoneKey
  var field: AssetField
  var checksum: String
  var expires: Milliseconds

  /// Why the ID cannot be used; nil when it can.
  func obstacle(for user: UserID, _ device: DeviceID, of caller: Caller, now: Milliseconds)
    -> String?
  {
    guard self.user == user, self.device == device else {
      return "the ID of the asset was made on another device or for another user"
    }
    guard zone.database.containerEnvironment == caller.containerEnvironment else {
      return "the ID of the asset is of another container or environment"
    }
    return now < expires ? nil : "the ID of the asset has expired"
  }
}

// MARK: As bytes

extension AssetTicket {
  fileprivate func add(to packer: inout Packer) {
    packer.add(user.name)
    packer.add(zone.database.containerEnvironment)
    packer.add(zone.database.owner?.name ?? "")
    packer.add(zone.name)
    packer.add(record ?? "")
    packer.add(field ?? "")
    packer.add(expires)
  }

  fileprivate init?(_ unpacker: inout Unpacker) {
    guard let user = unpacker.text(), let containerEnvironment = unpacker.containerEnvironment(),
      let owner = unpacker.text(),
      let zone = unpacker.text(), let record = unpacker.text(), let field = unpacker.text(),
      let expires = unpacker.number()
    else { return nil }
    let database = DatabaseKey(in: containerEnvironment, owner: owner.isEmpty ? nil : UserID(owner))
    self.init(
      user: UserID(user), zone: ZoneKey(database: database, name: zone),
      record: record.isEmpty ? nil : record, field: field.isEmpty ? nil : field, expires: expires)
  }
}

extension Seal {
  func text(_ ticket: AssetTicket) -> String {
    var packer = Packer()
    ticket.add(to: &packer)
    return text(packer.bytes, for: .assetTicket)
  }

  func assetTicket(_ text: String) -> AssetTicket? {
    guard let bytes = payload(of: text, for: .assetTicket) else { return nil }
    var unpacker = Unpacker(bytes)
    return AssetTicket(&unpacker)
  }

  func text(_ receipt: AssetReceipt) -> String {
    var packer = Packer()
    packer.add(receipt.id)
    receipt.ticket.add(to: &packer)
    return text(packer.bytes, for: .assetReceipt)
  }

  func assetReceipt(_ text: String) -> AssetReceipt? {
    guard let bytes = payload(of: text, for: .assetReceipt) else { return nil }
    var unpacker = Unpacker(bytes)
    guard let id = unpacker.text(), let ticket = AssetTicket(&unpacker) else { return nil }
    return AssetReceipt(id: id, ticket: ticket)
  }

  func text(_ token: DownloadToken) -> String {
    var packer = Packer()
    packer.add(token.checksum)
    packer.add(token.expires)
    return text(packer.bytes, for: .downloadToken)
  }

  func downloadToken(_ text: String) -> DownloadToken? {
    guard let bytes = payload(of: text, for: .downloadToken) else { return nil }
    var unpacker = Unpacker(bytes)
    guard let checksum = unpacker.text(), let expires = unpacker.number() else { return nil }
    return DownloadToken(checksum: checksum, expires: expires)
  }
}

extension Seal {
  func text(_ asset: ExportedAsset) -> String {
    var packer = Packer()
    packer.add(asset.user.name)
    packer.add(asset.device.name)
    packer.add(asset.scope.rawValue)
    packer.add(asset.zone.database.containerEnvironment)
    packer.add(asset.zone.database.owner?.name ?? "")
    packer.add(asset.zone.name)
    packer.add(asset.field.recordName)
    packer.add(asset.field.fieldName)
    packer.add(asset.checksum)
    packer.add(asset.expires)
    return text(packer.bytes, for: .exportedAsset)
  }

  func exportedAsset(_ text: String) -> ExportedAsset? {
    guard let bytes = payload(of: text, for: .exportedAsset) else { return nil }
    var unpacker = Unpacker(bytes)
    guard let user = unpacker.text(), let device = unpacker.text(),
      let scope = unpacker.text().flatMap({ DatabaseScope(rawValue: $0) }),
      let containerEnvironment = unpacker.containerEnvironment(), let owner = unpacker.text(),
      let zone = unpacker.text(), let record = unpacker.text(), let field = unpacker.text(),
      let checksum = unpacker.text(), let expires = unpacker.number()
    else { return nil }
    let database = DatabaseKey(in: containerEnvironment, owner: owner.isEmpty ? nil : UserID(owner))
    return ExportedAsset(
      user: UserID(user), device: DeviceID(device), scope: scope,
      zone: ZoneKey(database: database, name: zone),
      field: AssetField(recordName: record, fieldName: field), checksum: checksum, expires: expires)
  }
}
