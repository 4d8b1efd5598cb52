// IDs of assets, which an app hands on and another record is saved with: the server copies the file. An ID
// is a sealed text, good for one user on one device and for some days; whether the file may still be read
// is asked when the ID is used.

package import BrumeModel
import BrumeStorage

/// IDs of files that records hold, and what a save takes for them.
package struct AssetExports: Sendable {
  private let store: any Store
  private let limits: Limits
  private let host: Host
  private let seal: Seal
  private let held: HeldAssets
  private let receipts: AssetReceipts

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    host = parts.host
    seal = parts.seal
    held = HeldAssets(parts)
    receipts = AssetReceipts(parts)
  }

  // MARK: Making

  /// The ID of each field's file, in order.
  ///
  /// - Throws: `badRequest` if the request names no device, `limitExceeded` for too many fields. A field that
  ///   holds no file fails alone.
  package func make(
    _ request: AssetRereferenceRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> [AssetExportResult] {
    let (user, device) = try Self.holder(caller)
    try limits.checkCount(request.assets.count, of: "assets")
    let zone = try caller.zoneKey(request.zone, in: scope, limits: limits)
    let found = try await held.find(request.assets, in: request.zone, of: scope, as: caller)
    let expires = host.now() + limits.exportedAssetLifetime
    return zip(request.assets, found).map { field, result in
      result.map { asset in
        seal.text(
          ExportedAsset(
            user: user, device: device, scope: scope, zone: zone, field: field,
            checksum: asset.fileChecksum, expires: expires))
      }
    }
  }

  /// Whom an ID is for.
  private static func holder(_ caller: Caller) throws(BrumeError) -> (UserID, DeviceID) {
    let user = try caller.requireUser()
    guard let device = caller.device else {
      throw BrumeError(
        .badRequest,
        "IDs of assets are good on one device; say which this is with the header X-Brume-Device")
    }
    return (user, device)
  }

  // MARK: Using

  /// For each ID the asset with a receipt for its field, in order.
  ///
  /// - Throws: `badRequest` if the request names no device, `limitExceeded` for too many IDs, `zoneNotFound`,
  ///   `quotaExceeded` for too many files that no save has used. An ID that is good for nothing fails alone.
  package func take(
    _ request: AssetImportRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> [AssetResult] {
    let (user, device) = try Self.holder(caller)
    try limits.checkCount(request.assets.count, of: "assets")
    let target = try caller.zoneKey(request.zone, in: scope, limits: limits)
    try await store.read { _ = try ZoneView(of: target, in: scope, for: caller, from: $0) }
    let now = host.now()
    var found: [AssetResult] = []
    for item in request.assets {
      found.append(
        try await Self.result(of: item.field) {
          try check(item.field, of: target)
          return try await source(item.exported, of: user, device, as: caller, now: now)
        })
    }
    let copies = zip(request.assets, found).compactMap { item, result in
      (try? result.get()).map { AssetReceipts.Copy(asset: $0, field: item.field) }
    }
    var made = try await receipts.make(copies, in: target, for: caller)[...]
    return found.map { result in result.map { _ in made.removeFirst() } }
  }

  /// What a file cannot be taken for fails alone.
  private static func result(
    of field: AssetField, _ find: () async throws -> Asset
  ) async throws -> AssetResult {
    do {
      return .success(try await find())
    } catch let error as BrumeError {
      return .failure(ItemFailure(field, error))
    }
  }

  private func check(_ field: AssetField, of zone: ZoneKey) throws(BrumeError) {
    if !RecordKey(zone: zone, name: field.recordName).mayBeUser {
      try NameRules.recordName(field.recordName, limits: limits)
    }
    try NameRules.fieldName(field.fieldName, ofShare: false, limits: limits)
  }

  /// The file that an ID names, if its record still holds it and the caller may still read that.
  private func source(
    _ text: String, of user: UserID, _ device: DeviceID, as caller: Caller, now: Milliseconds
  ) async throws -> Asset {
    guard let exported = seal.exportedAsset(text) else {
      throw BrumeError(
        .assetNotAvailable, "the ID of the asset is not one of this server's; make a new one")
    }
    if let obstacle = exported.obstacle(for: user, device, of: caller, now: now) {
      throw BrumeError(.assetNotAvailable, "\(obstacle); make a new one on this device")
    }
    do {
      let found = try await held.find(
        [exported.field], in: exported.zone.id, of: exported.scope, as: caller)
      if let asset = try found.first?.get(), asset.fileChecksum == exported.checksum {
        return asset
      }
    } catch is ItemFailure<AssetField> {
    } catch let error as BrumeError where error.code == .zoneNotFound {}
    throw BrumeError(
      .notFound,
      "the record that the ID of the asset was made of does not hold the file any more; upload the "
        + "file, or make an ID of another record")
  }
}
