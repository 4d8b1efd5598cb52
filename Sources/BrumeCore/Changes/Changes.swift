// changes/database and changes/zone: which zones changed since a token, and what in them.

package import BrumeModel
import BrumeStorage

/// What changed since a token: which zones, and what in them.
package struct Changes: Sendable {
  private let store: any Store
  private let limits: Limits
  private let tokens: ChangeTokens

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    tokens = ChangeTokens(parts)
  }

  /// One page of the zones that changed, each once. The default zone has no feed and is not among
  /// them (cases ZON-17, CHG-24).
  ///
  /// - Parameter limit: zones of a page; nil, or more than the server's limit: as many as it answers at once.
  /// - Throws: `badDatabase` for the public database, `changeTokenExpired`.
  package func ofDatabase(
    since token: String?, limit: Int?, in scope: DatabaseScope, as caller: Caller
  ) async throws -> DatabaseChangesPage {
    try refuseChangesOfPublic(scope, caller)
    let opened = try token.map { text throws(BrumeError) in
      try tokens.opened(text, in: scope, for: caller)
    }
    let page = DatabaseChanges(
      token: opened, size: limits.page(limit), caller: caller, tokens: tokens)
    return try await store.read(page.reads) { transaction in
      scope == .private ? try page.ofPrivate(transaction) : try page.ofShared(transaction)
    }
  }

  /// One page of each zone's changes. The answer has one result per zone, in order; a zone that fails
  /// does not keep the others back (case CHG-22).
  ///
  /// - Throws: `badDatabase` for the public database, `limitExceeded` for too many zones.
  package func ofZones(
    _ requests: [ZoneChangesRequest], in scope: DatabaseScope, as caller: Caller
  ) async throws -> [ZoneChangesResult] {
    try refuseChangesOfPublic(scope, caller)
    try limits.checkCount(requests.count, of: "zones")
    let changes = ZoneChanges(scope: scope, caller: caller, limits: limits, tokens: tokens)
    let joined = try await store.joinedZones(of: caller, in: scope)
    return try await store.read(changes.reads(of: requests, among: joined)) { transaction in
      var budget = AnswerBudget(changes.limits)
      var joined = JoinedShares()
      return try requests.map { request in
        try ZoneChangesResult.item(caller.named(request.zone, in: scope, limits: limits)) {
          try changes.page(request, transaction, among: &joined, &budget)
        }
      }
    }
  }

  private func refuseChangesOfPublic(_ scope: DatabaseScope, _ caller: Caller) throws(BrumeError) {
    if scope == .public {
      throw BrumeError(
        .badDatabase,
        "the public database has no change feeds; query it instead")
    }
    try caller.requireAccess(to: scope)
  }
}
