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
  private let leaving: ZoneLeaving
  private let emptying: ZoneEmptying

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    host = parts.host
    tokens = ChangeTokens(parts)
    leaving = ZoneLeaving(parts)
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
    try limits.checkCount(zones.count, of: "zones")
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
  /// - Parameter operationID: the caller's name for the request. A repetition is answered from what the first try did, and
  ///   deletes no zone that was made since (case ZON-20).
  /// - Throws: `badDatabase` for the public database and for saving in the shared one, `limitExceeded` for
  ///   too many.
  package func modify(
    _ operations: [ZoneOperation], operationID: String? = nil, in scope: DatabaseScope,
    as caller: Caller
  ) async throws -> [ZoneResult] {
    try caller.requireAccess(to: scope)
    try limits.checkCount(operations.count, of: "zones")
    switch scope {
    case .private: break
    case .shared: return try await leaving.leave(operations, operationID: operationID, as: caller)
    case .public:
      throw BrumeError(
        .badDatabase,
        "the public database has only the default zone; save zones in the private database")
    }
    let database = try caller.databaseKey(.private)
    let change = ZoneModification(
      caller: caller, origin: caller.origin(at: host.now()), limits: limits, tokens: tokens)
    let memory = ZoneOperationMemory(operationID, of: operations, in: scope, as: caller, limits)
    let (results, left) = try await carryOut(operations, change, memory, in: database)
    if left.isEmpty { return results }
    guard await emptying.finishOrHandOver(left) else { return results }
    // Nothing keeps a zone from being made again any more.
    if !results.contains(where: \.isToBeTriedAgain) { return results }
    return try await carryOut(operations, change, memory, after: results, in: database).results
  }

  /// - Parameter earlier: what a first try has answered. What it refused for now is carried out, and nothing else.
  private func carryOut(
    _ operations: [ZoneOperation], _ change: ZoneModification, _ memory: ZoneOperationMemory?,
    after earlier: [ZoneResult]? = nil, in database: DatabaseKey
  ) async throws -> (results: [ZoneResult], left: [ZoneKey]) {
    do {
      return try await store.write(
        for: change.caller, in: .database(database), reading: memory?.reads ?? ReadPlan.none
      ) { transaction in
        let earlier = try earlier ?? memory?.recall(in: transaction, change)
        if let earlier, !earlier.contains(where: \.isToBeTriedAgain) { return (earlier, []) }
        var change = change
        var writer = ZoneWriter(transaction, change.origin)
        let results = try operations.indices.map { index in
          if let done = earlier?[index], !done.isToBeTriedAgain { return done }
          return try change.carryOut(operations[index], by: &writer, transaction)
        }
        try memory?.keep(results, in: transaction, now: change.origin.time)
        return (results, writer.left)
      }
    } catch let unfinished as UnfinishedWrite {
      throw unfinished.error
    }
  }
}

extension ZoneResult {
  /// Whether the same may be carried out when it is asked again.
  var isToBeTriedAgain: Bool {
    if case .failure(let failure) = self { failure.error.code == .tryAgainLater } else { false }
  }
}
