// assets/rereference: a file that one record holds, for another record, without uploading it again.

package import BrumeModel
import BrumeStorage

/// Files that records hold already, for other records.
package struct AssetRereferences: Sendable {
  private let store: any Store
  private let limits: Limits
  private let held: HeldAssets
  private let receipts: AssetReceipts

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    held = HeldAssets(parts)
    receipts = AssetReceipts(parts)
  }

  /// For each record and field the asset with a new receipt, in order. The receipts are for any
  /// record of the target zone.
  ///
  /// - Throws: `limitExceeded` for too many fields, `zoneNotFound`, `quotaExceeded` for too many files that
  ///   no save has used. A field that holds no file fails alone.
  package func make(
    _ request: AssetRereferenceRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> [AssetResult] {
    _ = try caller.requireUser()
    try limits.checkCount(request.assets.count, of: "assets")
    let target = try caller.zoneKey(
      request.targetZone ?? request.zone, in: scope, limits: limits)
    try await store.read { _ = try ZoneView(of: target, in: scope, for: caller, from: $0) }
    let found = try await held.find(request.assets, in: request.zone, of: scope, as: caller)
    let copies = found.compactMap { try? $0.get() }.map { AssetReceipts.Copy(asset: $0) }
    var made = try await receipts.make(copies, in: target, for: caller)[...]
    return found.map { result in result.map { _ in made.removeFirst() } }
  }
}
