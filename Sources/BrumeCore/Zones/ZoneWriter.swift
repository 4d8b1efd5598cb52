// The writer makes and ends zones, with what hangs on them. One serves all zones of a request.

import BrumeModel
import BrumeStorage

struct ZoneWriter {
  private let transaction: any WriteTransaction
  private let origin: Origin
  /// How many rows may still go at once.
  private var room = Self.room
  /// Deleted zones whose rows are still there: for `ZoneEmptying`.
  private(set) var left: [ZoneKey] = []
  /// Subscriptions of owners that watch one zone each, by that zone, as soon as one went.
  private var watching: [SubscriptionScope: [String: [StoredSubscription]]] = [:]

  init(_ transaction: any WriteTransaction, _ origin: Origin) {
    self.transaction = transaction
    self.origin = origin
  }

  /// The zone, made if it is not there. A zone that is there stays as it is (case ZON-02).
  mutating func create(_ key: ZoneKey) throws -> Zone {
    let old = try transaction.zones.find(key)
    if let old, old.isLive { return old }
    if key.isDefault { return try transaction.zones.live(key) }
    if old != nil, try !transaction.removeLast(of: key) {
      // Whoever began to take them away may have given up.
      if !left.contains(key) { left.append(key) }
      throw BrumeError(
        .tryAgainLater,
        "zone '\(key.name)' was deleted just now, and its records are still going; try again",
        retryAfter: 1)
    }
    let sequence = try transaction.sequences.next(in: key.database)
    let zone = Zone(key: key, incarnation: sequence, lastSequence: sequence)
    try transaction.zones.put(zone)
    try transaction.log.append(.zoneCreated(key), in: key.database, origin: origin)
    return zone
  }

  /// Deletes a zone with its records, its shares' members, what devices said of their saves there, and the
  /// subscriptions on it (cases ZON-04, SUB-19). Many records are in `left` afterwards.
  @discardableResult
  mutating func delete(_ zone: Zone, as deletion: Zone.Deletion) throws -> Zone {
    let (key, database) = (zone.key, zone.key.database)
    let memberships = try transaction.shares.memberships(in: key)
    for membership in memberships {
      try transaction.shares.remove(membership)
      try transaction.log.append(.membership(membership.user, key), in: database, origin: origin)
    }
    let users = memberships.map(\.user) + [database.owner].compactMap { $0 }
    try ClientData.forget(Set(users), in: key, transaction)
    if try !transaction.removeAll(in: key, ifWithin: &room) { left.append(key) }
    var gone = zone
    gone.lastSequence = try transaction.sequences.next(in: database)
    gone.deletion = deletion
    gone.hasShares = false
    try transaction.zones.put(gone)
    try transaction.log.append(.zoneDeleted(key), in: database, origin: origin)
    try removeSubscriptions(on: key)
    return gone
  }

  /// Removes the owner's subscriptions that watch this zone alone.
  private mutating func removeSubscriptions(on key: ZoneKey) throws {
    guard let owner = key.database.owner else { return }
    let scope = SubscriptionScope(
      in: key.database.containerEnvironment, scope: .private, user: owner)
    for stored in try subscriptions(in: scope)[key.name] ?? [] {
      try transaction.subscriptions.remove(stored.subscription.id, in: scope)
      try transaction.log.append(
        .subscription(scope, id: stored.subscription.id), in: key.database, origin: origin)
    }
  }

  private mutating func subscriptions(
    in scope: SubscriptionScope
  ) throws -> [String: [StoredSubscription]] {
    if let known = watching[scope] { return known }
    var found: [String: [StoredSubscription]] = [:]
    for stored in try transaction.subscriptions.all(in: scope) {
      if let zone = stored.subscription.zoneName { found[zone, default: []].append(stored) }
    }
    watching[scope] = found
    return found
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
