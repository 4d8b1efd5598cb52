// assets/upload: addresses for files that records are going to hold.

package import BrumeModel
import BrumeStorage

/// Addresses for files that records are going to hold.
package struct UploadTickets: Sendable {
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

  /// A ticket for each file, in order. A request without a record name gets one.
  ///
  /// - Throws: too many files, a name that cannot be, a zone that is not there for the caller, or one of
  ///   which they may only read what is shared with them: their uploads would be measured against its owner's quota.
  package func issue(
    _ request: AssetUploadRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> [AssetUploadTicket] {
    let user = try caller.requireUser()
    try limits.checkCount(request.files.count, of: "tokens")
    let zone = try caller.zoneKey(request.zone, in: scope, limits: limits)
    try await store.read {
      guard let shares = try ZoneView(of: zone, in: scope, for: caller, from: $0).shares else {
        return
      }
      let place = Permissions.Context.shared(try shares.best())
      if let error = Permissions.decide(caller.principal, .write, in: place, creator: nil) {
        throw error
      }
    }
    let expires = host.now() + limits.assetUploadLifetime
    return try request.files.map { file in
      let name = file.recordName ?? host.uuid()
      let key = RecordKey(zone: zone, name: name)
      if !key.mayBeUser { try NameRules.recordName(name, limits: limits) }
      try NameRules.recordType(file.recordType, limits: limits)
      try NameRules.fieldName(file.fieldName, ofShare: false, limits: limits)
      let ticket = AssetTicket(
        user: user, zone: zone, record: name, field: file.fieldName, expires: expires)
      return AssetUploadTicket(
        recordName: name, fieldName: file.fieldName, ticket: seal.text(ticket))
    }
  }
}
