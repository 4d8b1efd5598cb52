// zones/list and zones/lookup: zones as a caller sees them.

package import BrumeModel
import BrumeStorage

extension Engine {
  /// All zones of a database, the default zone first (case ZON-08). In the shared database the zones
  /// of others that the caller takes part in.
  package func listZones(
    in scope: DatabaseScope, as caller: Caller
  ) async throws -> [ZoneState] {
    try caller.requireAccess(to: scope)
    _ = try caller.requireUser()
    return try await store.read { transaction in
      try transaction.zoneViews(in: scope, of: caller).map { view in
        try self.state(of: view, in: scope, for: caller, transaction)
      }
    }
  }

  /// Zones by name. The answer has one result per name, in order (cases ZON-06, ZON-07).
  package func lookupZones(
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
    let limits = limits
    return try await store.read { transaction in
      try zones.map { zone in
        try ZoneResult.item(zone) {
          let key = try caller.zoneKey(zone, in: scope, limits: limits)
          let view = try transaction.zoneView(key, in: scope, for: caller)
          return try self.state(of: view, in: scope, for: caller, transaction)
        }
      }
    }
  }

  /// A zone as its reader sees it. Zones with a change feed carry a token of now (case ZON-18).
  func state(
    of view: ZoneView, in scope: DatabaseScope, for caller: Caller,
    _ transaction: any ReadTransaction
  ) throws -> ZoneState {
    let key = view.zone.key
    var state = ZoneState(zone: key.id, isAtomic: view.zone.isAtomic)
    guard !key.isDefault else { return state }
    state.token = try token(.zone(view), at: view.zone.lastSequence, in: scope, for: caller)
    let share = RecordKey(zone: key, name: Record.zoneShareName)
    if view.zone.hasShares, view.shares?.permissions[share.name] != nil || view.shares == nil,
      try transaction.record(share) != nil
    {
      state.share = share.name
    }
    return state
  }
}

extension ChangeToken.Subject {
  /// The part of a zone that a reader sees.
  static func zone(_ view: ZoneView) -> ChangeToken.Subject {
    .zone(
      owner: view.zone.key.database.ownerName, name: view.zone.key.name,
      incarnation: view.zone.incarnation, view: view.digest)
  }
}

extension ReadTransaction {
  /// The zones that exist for a caller, in a stable order.
  func zoneViews(in scope: DatabaseScope, of caller: Caller) throws -> [ZoneView] {
    guard scope == .shared else {
      let database = try caller.databaseKey(scope)
      let first = try liveZone(ZoneKey(database: database, name: ZoneID.defaultName))
      let others = try zones(in: database).filter { !$0.key.isDefault }
      return ([first] + others).map { ZoneView(zone: $0, shares: nil) }
    }
    let user = try caller.requireUser()
    let memberships = try memberships(
      of: user, container: caller.container, environment: caller.environment)
    let byZone = Dictionary(grouping: memberships, by: \.share.zone)
    var seen: Set<ZoneKey> = []
    return try memberships.compactMap { membership in
      let key = membership.share.zone
      guard seen.insert(key).inserted, let zone = try zone(key), zone.isLive else { return nil }
      let shares = try shareScope(of: user, in: key, among: byZone[key] ?? [])
      return shares.isEmpty ? nil : ZoneView(zone: zone, shares: shares)
    }
  }
}

extension Result {
  /// The result for one item of a batch: rule failures become the item's, all others are thrown.
  static func item<ID>(
    _ id: ID, _ body: () throws -> Success
  ) throws -> Self where Failure == ItemFailure<ID> {
    do {
      return .success(try body())
    } catch let error as BrumeError {
      return .failure(ItemFailure(id, error))
    }
  }
}

extension Limits {
  /// Refuses a request with too many items.
  func checkCount(_ count: Int) throws(BrumeError) {
    if count > operationsPerRequest {
      throw BrumeError(
        .limitExceeded,
        "the request has \(count) items; the maximum is \(operationsPerRequest). Split it")
    }
  }
}
