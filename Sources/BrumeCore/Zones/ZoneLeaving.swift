// Deleting zones in the shared database: their owner keeps them, and the caller's part in their shares ends.

import BrumeModel
import BrumeStorage

struct ZoneLeaving: Sendable {
  private let store: any Store
  private let limits: Limits
  private let host: Host
  private let records: Records

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    host = parts.host
    records = Records(parts)
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
    if let memory, let known = try await store.read({ try memory.recallLeft(in: $0, now: now) }) {
      return known
    }
    var results: [ZoneResult] = []
    for operation in operations { results.append(try await leave(operation.zone, as: caller)) }
    if let memory { try await keep(results, memory, as: caller) }
    return results
  }

  /// In the caller's own database: the shares are in those of others.
  private func keep(
    _ results: [ZoneResult], _ memory: ZoneOperationMemory, as caller: Caller
  ) async throws {
    let now = host.now()
    try await store.write(for: caller, in: .database(try caller.databaseKey(.private))) {
      try memory.keep(results, in: $0, now: now)
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
