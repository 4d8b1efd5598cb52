// zones/list, zones/lookup and zones/modify: zones as a caller sees them, creating and deleting them
// (cases ZON-01 to ZON-11, ZON-15, ZON-16).

package import BrumeModel
import BrumeStorage

/// The zones of a database.
package struct Zones: Sendable {
  private let store: any Store
  private let limits: Limits
  private let host: Host
  private let tokens: ChangeTokens
  private let records: Records
  private let emptying: ZoneEmptying

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    host = parts.host
    tokens = ChangeTokens(parts)
    records = Records(parts)
    emptying = ZoneEmptying(parts)
  }

  /// All zones of a database, the default zone first (case ZON-08). In the shared database the zones
  /// of others that the caller takes part in.
  ///
  /// - Throws: as `Caller.requireAccess`; `authenticationRequired` without a user.
  package func list(
    in scope: DatabaseScope, as caller: Caller
  ) async throws -> [ZoneState] {
    try caller.requireAccess(to: scope)
    _ = try caller.requireUser()
    let tokens = tokens
    return try await store.read { transaction in
      try ZoneView.all(in: scope, of: caller, from: transaction).map { view in
        try tokens.state(of: view, in: scope, for: caller, transaction)
      }
    }
  }

  /// Zones by name. The answer has one result per name, in order (cases ZON-06, ZON-07).
  ///
  /// - Throws: `badRequest` without a name, `limitExceeded` for too many.
  package func lookup(
    _ zones: [ZoneID], in scope: DatabaseScope, as caller: Caller
  ) async throws -> [ZoneResult] {
    try caller.requireAccess(to: scope)
    _ = try caller.requireUser()
    if zones.isEmpty {
      throw BrumeError(
        .badRequest,
        "the request names no zone; list at least one in 'zones'")
    }
    try limits.checkCount(zones.count)
    let (limits, tokens) = (limits, tokens)
    return try await store.read { transaction in
      var joined = JoinedShares()
      return try zones.map { zone in
        try ZoneResult.item(caller.named(zone, in: scope, limits: limits)) {
          let key = try caller.zoneKey(zone, in: scope, limits: limits)
          let view = try ZoneView(
            of: key, in: scope, for: caller, among: &joined, from: transaction)
          return try tokens.state(of: view, in: scope, for: caller, transaction)
        }
      }
    }
  }

  /// Creates and deletes zones of the private database. The answer has one result per operation, in
  /// order.
  ///
  /// - Throws: `badDatabase` for the public database and for saving in the shared one, `limitExceeded` for
  ///   too many.
  package func modify(
    _ operations: [ZoneOperation], in scope: DatabaseScope, as caller: Caller
  ) async throws -> [ZoneResult] {
    try caller.requireAccess(to: scope)
    try limits.checkCount(operations.count)
    switch scope {
    case .private: break
    case .shared: return try await leaveZones(operations, as: caller)
    case .public:
      throw BrumeError(
        .badDatabase,
        "the public database has only the default zone; save zones in the private database")
    }
    let database = try caller.databaseKey(.private)
    let change = ZoneModification(
      caller: caller, origin: caller.origin(at: host.now()), limits: limits, tokens: tokens)
    var (results, left) = try await carryOut(operations, change, in: database)
    if left.isEmpty { return results }
    guard await emptying.finishOrHandOver(left) else { return results }
    // Nothing keeps a zone from being made again any more.
    let refused = results.indices.filter { results[$0].isToBeTriedAgain }
    if refused.isEmpty { return results }
    let second = try await carryOut(refused.map { operations[$0] }, change, in: database)
    for (index, result) in zip(refused, second.results) { results[index] = result }
    return results
  }

  private func carryOut(
    _ operations: [ZoneOperation], _ change: ZoneModification, in database: DatabaseKey
  ) async throws -> (results: [ZoneResult], left: [ZoneKey]) {
    do {
      return try await store.write(for: change.caller, in: .database(database)) { transaction in
        var change = change
        var writer = ZoneWriter(transaction, change.origin)
        let results = try operations.map { try change.carryOut($0, by: &writer, transaction) }
        return (results, writer.left)
      }
    } catch let unfinished as UnfinishedWrite {
      throw unfinished.error
    }
  }

  /// Deleting somebody else's zone is leaving it: the caller's part in its shares ends, and nothing
  /// else changes (case SHR-17).
  private func leaveZones(
    _ operations: [ZoneOperation], as caller: Caller
  ) async throws -> [ZoneResult] {
    guard operations.allSatisfy({ $0.kind == .delete }) else {
      throw BrumeError(
        .badDatabase,
        "zones come to the shared database by accepting shares; save zones in their owner's "
          + "private database")
    }
    var results: [ZoneResult] = []
    for operation in operations { results.append(try await leave(operation.zone, as: caller)) }
    return results
  }

  private func leave(_ zone: ZoneID, as caller: Caller) async throws -> ZoneResult {
    let limits = limits
    let user = try caller.requireUser()
    // Shares of which he may see nothing are left too, so their permissions are not asked for.
    let found = try await store.read { transaction in
      try Result<(zone: Zone, shares: [String]), ItemFailure<ZoneID>>.item(
        caller.named(zone, in: .shared, limits: limits)
      ) {
        let key = try caller.zoneKey(zone, in: .shared, limits: limits)
        var joined = JoinedShares()
        let memberships = try joined.memberships(of: user, in: key, from: transaction)
        if memberships.isEmpty { throw Zone.notShared(key.name) }
        return (try transaction.zones.live(key), memberships.map(\.share.name).sorted())
      }
    }
    guard case .success(let (owned, shares)) = found else { return found.map { $0.zone.left } }
    for some in shares.pieces(of: limits.sharesLeftAtOnce) {
      let answers = try await records.modify(
        ModifyRecordsRequest(
          zone: zone,
          operations: some.map { RecordOperation(.forceDelete, RecordDraft(name: $0)) },
          atomic: true),
        in: .shared, as: caller)
      for case .failure(let failure) in answers {
        return .failure(ItemFailure(zone, failure.error))
      }
    }
    return .success(owned.left)
  }
}

extension Zone {
  /// The zone for somebody who does not see it any more.
  fileprivate var left: ZoneState {
    ZoneState(zone: key.id, isAtomic: isAtomic, deletion: .deleted)
  }
}

extension Limits {
  /// As many as a request may name, and as it may write if each is as large as may be: beside what is counted of its fields
  /// a record has names and stamps.
  fileprivate var sharesLeftAtOnce: Int {
    max(1, min(operationsPerRequest, answerBytes / (2 * recordBytes)))
  }
}

extension ZoneResult {
  fileprivate var isToBeTriedAgain: Bool {
    if case .failure(let failure) = self { failure.error.code == .tryAgainLater } else { false }
  }
}
