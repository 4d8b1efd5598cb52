// One request's creations and deletions of zones, in their transaction.

import BrumeModel
import BrumeStorage

struct ZoneModification: Sendable {
  let caller: Caller
  let origin: Origin
  let limits: Limits
  let tokens: ChangeTokens
  /// How many zones more the database may have, as soon as somebody had to know.
  private var room: Int?

  init(caller: Caller, origin: Origin, limits: Limits, tokens: ChangeTokens) {
    self.caller = caller
    self.origin = origin
    self.limits = limits
    self.tokens = tokens
  }

  mutating func carryOut(
    _ operation: ZoneOperation, _ transaction: any WriteTransaction
  ) throws -> ZoneResult {
    try ZoneResult.item(operation.zone) {
      let key = try caller.zoneKey(operation.zone, in: .private, limits: limits)
      try checkRoom(for: operation.kind, key, transaction)
      return try carryOut(operation.kind, key, transaction)
    }
  }

  /// Counts the database's zones once a request.
  private mutating func checkRoom(
    for kind: ZoneOperation.Kind, _ key: ZoneKey, _ transaction: any ReadTransaction
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
    _ kind: ZoneOperation.Kind, _ key: ZoneKey, _ transaction: any WriteTransaction
  ) throws -> ZoneState {
    switch kind {
    case .create:
      let zone = try transaction.create(key, origin)
      return try tokens.state(
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
