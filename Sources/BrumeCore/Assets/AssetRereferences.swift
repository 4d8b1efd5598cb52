// assets/rereference: a file that one record holds, for another record, without uploading it again.

package import BrumeModel
import BrumeStorage

/// Files that records hold already, for other records.
package struct AssetRereferences: Sendable {
  private let store: any Store
  private let limits: Limits
  private let host: Host
  private let seal: Seal
  private let held: HeldAssets

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    host = parts.host
    seal = parts.seal
    held = HeldAssets(parts)
  }

  /// For each record and field the asset with a new receipt, in order. The receipts are for any
  /// record of the target zone.
  package func make(
    _ request: AssetRereferenceRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> [AssetResult] {
    let user = try caller.requireUser()
    try limits.checkCount(request.assets.count, of: "assets")
    let target = try caller.zoneKey(
      request.targetZone ?? request.zone, in: scope, limits: limits)
    _ = try await store.read { try ZoneView(of: target, in: scope, for: caller, from: $0) }
    let found = try await held.find(request.assets, in: request.zone, of: scope, as: caller)
    let now = host.now()
    let uploads = found.map { $0.map { (asset: $0, id: host.objectName()) } }
    try await store.write(in: .server) { transaction in
      for case .success(let upload) in uploads {
        try transaction.assets.put(
          AssetUpload(id: upload.id, checksum: upload.asset.fileChecksum, began: now))
      }
    }
    let ticket = AssetTicket(
      user: user, zone: target, record: nil, field: nil, expires: now + limits.assetReceiptLifetime)
    return uploads.map { upload in
      upload.map { upload in
        var asset = upload.asset
        asset.receipt = seal.text(AssetReceipt(id: upload.id, ticket: ticket))
        return asset
      }
    }
  }
}
