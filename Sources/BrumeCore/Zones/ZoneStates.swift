// Which zones exist for a caller, and how he sees each.

import BrumeModel
import BrumeStorage

extension ChangeTokens {
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
