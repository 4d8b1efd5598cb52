// zones/modify: creating and deleting zones, and the operator's two ways of making them go (cases
// ZON-01 to ZON-05, ZON-09 to ZON-16).

package import BrumeModel
import BrumeStorage

extension Engine {
  /// Creates and deletes zones of the private database. The answer has one result per operation, in
  /// order.
  package func modifyZones(
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
    let (limits, now) = (limits, host.now())
    return try await store.write(in: .database(database)) { transaction in
      var room: Int?
      return try operations.map { operation in
        try ZoneResult.item(operation.zone) {
          let key = try caller.zoneKey(operation.zone, in: .private, limits: limits)
          try self.checkRoom(for: operation.kind, key, &room, transaction)
          return try self.carryOut(operation.kind, key, caller, now, transaction)
        }
      }
    }
  }

  /// Counts the database's zones once a request.
  private func checkRoom(
    for kind: ZoneOperation.Kind, _ key: ZoneKey, _ room: inout Int?,
    _ transaction: any ReadTransaction
  ) throws {
    let isThere = try key.isDefault || transaction.zone(key)?.isLive ?? false
    guard isThere == (kind == .delete) else { return }
    let left = try room ?? limits.zonesPerDatabase - transaction.zones(in: key.database).count
    if kind == .create, left <= 0 {
      throw BrumeError(
        .limitExceeded,
        "zone '\(key.name)' cannot be created: the database has \(limits.zonesPerDatabase) zones, "
          + "the maximum; delete one first")
    }
    room = kind == .create ? left - 1 : left + 1
  }

  private func carryOut(
    _ kind: ZoneOperation.Kind, _ key: ZoneKey, _ caller: Caller, _ now: Milliseconds,
    _ transaction: any WriteTransaction
  ) throws -> ZoneState {
    let origin = caller.origin(at: now)
    switch kind {
    case .create:
      let zone = try transaction.create(key, origin)
      return try state(
        of: ZoneView(zone: zone, shares: nil), in: .private, for: caller, transaction)
    case .delete:
      if key.isDefault {
        throw BrumeError(.badRequest, "the default zone cannot be deleted; delete its records")
      }
      let zone = try transaction.delete(try transaction.liveZone(key), as: .deleted, origin)
      return ZoneState(zone: key.id, isAtomic: zone.isAtomic, deletion: .deleted)
    }
  }
}

// MARK: The shared database

extension Engine {
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
    let found = try await store.read { transaction in
      try Result<ZoneView, ItemFailure<ZoneID>>.item(zone) {
        try transaction.zoneView(
          try caller.zoneKey(zone, in: .shared, limits: limits), in: .shared, for: caller)
      }
    }
    guard case .success(let view) = found else { return found.map(\.left) }
    let shares = view.shares?.permissions.keys.sorted() ?? []
    let answers = try await modifyRecords(
      ModifyRecordsRequest(
        zone: zone,
        operations: shares.map { RecordOperation(.forceDelete, RecordDraft(name: $0)) },
        atomic: true),
      in: .shared, as: caller)
    for case .failure(let failure) in answers {
      return .failure(ItemFailure(zone, failure.error))
    }
    return .success(view.left)
  }
}

extension ZoneView {
  /// The zone for somebody who does not see it any more.
  fileprivate var left: ZoneState {
    ZoneState(zone: zone.key.id, isAtomic: zone.isAtomic, deletion: .deleted)
  }
}

// MARK: The operator's calls

extension Engine {
  /// What happens when a user removes the app's data in the settings (case ZON-12).
  package func purgeZone(
    _ name: String, of owner: UserID, container: ContainerID, environment: Environment
  ) async throws {
    let database = DatabaseKey(container: container, environment: environment, owner: owner)
    let key = ZoneKey(database: database, name: name)
    let origin = Origin(user: nil, device: nil, requestID: host.uuid(), time: host.now())
    try await store.write(in: .database(database)) { transaction in
      let zone = try transaction.liveZone(key)
      if key.isDefault {
        try transaction.removeContents(of: key)
      } else {
        try transaction.delete(zone, as: .purged, origin)
      }
    }
  }

  /// What happens when a user resets end-to-end encrypted data: every custom zone goes (case ZON-14).
  package func resetEncryptedData(
    of owner: UserID, container: ContainerID, environment: Environment
  ) async throws {
    let database = DatabaseKey(container: container, environment: environment, owner: owner)
    let origin = Origin(user: nil, device: nil, requestID: host.uuid(), time: host.now())
    try await store.write(in: .database(database)) { transaction in
      for zone in try transaction.zones(in: database) where !zone.key.isDefault {
        try transaction.delete(zone, as: .encryptedDataReset, origin)
      }
    }
  }
}

extension WriteTransaction {
  /// The zone, made if it is not there. A zone that is there stays as it is (case ZON-02).
  func create(_ key: ZoneKey, _ origin: Origin) throws -> Zone {
    if let zone = try zone(key), zone.isLive { return zone }
    if key.isDefault { return try liveZone(key) }
    let sequence = try nextSequence(in: key.database)
    let zone = Zone(key: key, incarnation: sequence, lastSequence: sequence)
    try put(zone)
    try append(.zoneCreated(key), in: key.database, origin: origin)
    return zone
  }

  /// Deletes a zone with its records, its shares' members and the subscriptions on it (cases ZON-04,
  /// SUB-19).
  @discardableResult
  func delete(_ zone: Zone, as deletion: Zone.Deletion, _ origin: Origin) throws -> Zone {
    let (key, database) = (zone.key, zone.key.database)
    for membership in try memberships(in: key) {
      try remove(membership)
      try append(.membership(membership.user, key), in: database, origin: origin)
    }
    try removeContents(of: key)
    var gone = zone
    gone.lastSequence = try nextSequence(in: database)
    gone.deletion = deletion
    gone.hasShares = false
    try put(gone)
    try append(.zoneDeleted(key), in: database, origin: origin)
    try removeSubscriptions(on: key, origin)
    return gone
  }

  /// Removes the owner's subscriptions that watch this zone alone.
  private func removeSubscriptions(on key: ZoneKey, _ origin: Origin) throws {
    guard let owner = key.database.owner else { return }
    let scope = SubscriptionScope(
      container: key.database.container, environment: key.database.environment, scope: .private,
      user: owner)
    for stored in try subscriptions(in: scope) where stored.subscription.zoneName == key.name {
      try removeSubscription(stored.subscription.id, in: scope)
      try append(
        .subscription(scope, id: stored.subscription.id), in: key.database, origin: origin)
    }
  }
}

extension Subscription {
  /// The one zone that it watches; nil when it watches a whole database.
  fileprivate var zoneName: String? {
    switch kind {
    case .query(_, let zone, _, _): zone?.name
    case .zone(let zone, _): zone.name
    case .database: nil
    }
  }
}
