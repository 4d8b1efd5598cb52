// Deleting zones in the shared database: their owner keeps them, and the caller's part in their shares ends.

import BrumeModel
import BrumeStorage

struct ZoneLeaving: Sendable {
  private let store: any Store
  private let limits: Limits
  private let host: Host
  private let records: Records
  private let refusals: StoreRefusals

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    host = parts.host
    records = Records(parts)
    refusals = parts.refusals
  }

  /// Deleting somebody else's zone is leaving it: the caller's part in its shares ends, and nothing
  /// else changes (case SHR-17).
  ///
  /// - Throws: `badDatabase` for saving a zone.
  func leave(
    _ operations: [ZoneOperation], operationID: String?, as caller: Caller
  ) async throws -> [ZoneResult] {
    guard operations.allSatisfy({ $0.kind == .delete }) else {
      throw BrumeError(
        .badDatabase,
        "zones come to the shared database by accepting shares; save zones in their owner's "
          + "private database")
    }
    let memory = ZoneOperationMemory(operationID, of: operations, in: .shared, as: caller, limits)
    let now = host.now()
    var earlier: [ZoneResult]?
    if let memory { earlier = try await store.read { try memory.recallLeft(in: $0, now: now) } }
    if let earlier, !earlier.contains(where: \.isToBeTriedAgain) { return earlier }
    let results = try await leave(operations, after: earlier, as: caller)
    if let memory { try await keep(results, memory, as: caller) }
    return results
  }

  /// Each zone's owner has a database of his own: what is refused as a whole in another than the first fails alone, because
  /// the first is left.
  ///
  /// - Parameter earlier: what a first try has answered. What it refused for now is carried out, and nothing else.
  private func leave(
    _ operations: [ZoneOperation], after earlier: [ZoneResult]?, as caller: Caller
  ) async throws -> [ZoneResult] {
    var results: [ZoneResult] = []
    for (index, operation) in operations.enumerated() {
      if let done = earlier?[index], !done.isToBeTriedAgain {
        results.append(done)
        continue
      }
      do {
        results.append(try await leave(operation.zone, as: caller))
      } catch let error where index > 0 {
        guard let refusal = refusals.answer(to: error, for: caller) else { throw error }
        let id = caller.named(operation.zone, in: .shared, limits: limits)
        results.append(.failure(ItemFailure(id, refusal)))
      }
    }
    return results
  }

  /// In the caller's own database: the shares are in those of others, so no transaction has both. Where the server ends in
  /// between, a repetition is a first try: `zoneNotFound` for what was left, which clients take for done (case ZON-05).
  /// So is one of an outcome that the store refused; its sender is answered that he has left.
  private func keep(
    _ results: [ZoneResult], _ memory: ZoneOperationMemory, as caller: Caller
  ) async throws {
    let now = host.now()
    do {
      try await store.write(for: caller, in: .database(try caller.databaseKey(.private))) {
        try memory.keep(results, in: $0, now: now)
      }
    } catch {
      if refusals.answer(to: error, for: caller) == nil { throw error }
    }
  }

  private func leave(_ zone: ZoneID, as caller: Caller) async throws -> ZoneResult {
    let limits = limits
    let user = try caller.requireUser()
    // Shares of which he may see nothing are left too, so their permissions are not asked for.
    let found = try await store.read { transaction in
      try Result<(zone: ZoneID, shares: [String]), ItemFailure<ZoneID>>.item(
        caller.named(zone, in: .shared, limits: limits)
      ) {
        let key = try caller.zoneKey(zone, in: .shared, limits: limits)
        var joined = JoinedShares()
        let memberships = try joined.memberships(of: user, in: key, from: transaction)
        if memberships.isEmpty { throw Zone.notShared(key.name) }
        return (try transaction.zones.live(key).key.id, memberships.map(\.share.name).sorted())
      }
    }
    guard case .success(let (left, shares)) = found else { return found.map { .deleted($0.zone) } }
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
    return .success(.deleted(left))
  }
}

extension Limits {
  /// As many as a request may name, and as it may write if each is as large as may be: beside what is counted of its fields
  /// a record has names and stamps.
  fileprivate var sharesLeftAtOnce: Int {
    max(1, min(operationsPerRequest, answerBytes / (2 * recordBytes)))
  }
}
