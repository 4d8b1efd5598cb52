// Receipts for files that the store has already, which a save takes as it takes the receipt of an upload.
// Each counts as one of its user's uploads until a save uses it, so that asking for them has a bound.

import BrumeModel
import BrumeStorage

struct AssetReceipts: Sendable {
  /// A file, and the only record and field that it may be saved in; nil for any of the zone.
  struct Copy {
    var asset: Asset
    var field: AssetField?
  }
  private let store: any Store
  private let limits: Limits
  private let host: Host
  private let seal: Seal

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    host = parts.host
    seal = parts.seal
  }

  /// The assets with receipts for a zone, in order. Their files are kept from here on, until a save holds
  /// them or does not come.
  ///
  /// - Throws: `quotaExceeded` where the user has too many uploads that no save has used.
  func make(_ copies: [Copy], in zone: ZoneKey, for caller: Caller) async throws -> [Asset] {
    guard !copies.isEmpty else { return [] }
    let user = try caller.requireUser()
    let now = host.now()
    let uploads = copies.map {
      AssetUpload(id: host.objectName(), checksum: $0.asset.fileChecksum, began: now)
    }
    try await store.write(for: caller, in: .server.asked(by: user)) { [limits] transaction in
      for upload in uploads { try transaction.assets.put(upload) }
      try PendingUploads.change(of: user, now: now, limits, in: transaction.settings) { pending in
        for upload in uploads { try pending.reserveCopy(upload.id, began: now, limits) }
      }
    }
    return zip(copies, uploads).map { copy, upload in
      let ticket = AssetTicket(
        user: user, zone: zone, record: copy.field?.recordName, field: copy.field?.fieldName,
        expires: now + limits.assetReceiptLifetime)
      var asset = copy.asset
      asset.receipt = seal.text(AssetReceipt(id: upload.id, ticket: ticket))
      return asset
    }
  }
}
