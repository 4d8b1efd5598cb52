// What of a zone one caller sees: all of it, or the part that shares open to them.

import BrumeModel
import BrumeStorage

/// A zone for one caller.
struct ZoneView {
  let zone: Zone
  /// Nil for the owner and for the public database: no share limits the view.
  let shares: ShareScope?

  /// A number that is another one when the caller may see another part of the zone.
  func digest() throws -> UInt64 { try shares?.digest() ?? 0 }
}

extension ZoneView {
  /// The zone as `caller` sees it. A zone of which they see nothing does not exist for them.
  ///
  /// - Throws: `zoneNotFound`, `userDeletedZone`, `authenticationRequired`.
  init(
    of key: ZoneKey, in scope: DatabaseScope, for caller: Caller,
    from transaction: any ReadTransaction
  ) throws {
    var joined = JoinedShares()
    try self.init(of: key, in: scope, for: caller, among: &joined, from: transaction)
  }

  /// The same for a request that may name several zones.
  ///
  /// - Parameter left: what the request deletes, if it does nothing else there. Whoever leaves his shares needs to see
  ///   nothing of the zone.
  init(
    of key: ZoneKey, in scope: DatabaseScope, for caller: Caller, among joined: inout JoinedShares,
    leaving left: [String] = [], from transaction: any ReadTransaction
  ) throws {
    guard scope == .shared else {
      self.init(zone: try transaction.zones.live(key), shares: nil)
      return
    }
    let user = try caller.requireUser()
    let memberships = try joined.memberships(of: user, in: key, from: transaction)
    let shares = ShareScope(of: user, in: key, among: memberships, from: transaction)
    let leaves = !left.isEmpty && Set(left).isSubset(of: memberships.map(\.share.name))
    if !leaves, try shares.isEmpty() { throw Zone.notShared(key.name) }
    self.init(zone: try transaction.zones.live(key), shares: shares)
  }

  /// The zones that exist for a caller, in a stable order.
  static func all(
    in scope: DatabaseScope, of caller: Caller, from transaction: any ReadTransaction
  ) throws -> [ZoneView] {
    guard scope == .shared else {
      let database = try caller.databaseKey(scope)
      let first = try transaction.zones.live(
        ZoneKey(database: database, name: ZoneID.defaultName))
      let others = try transaction.zones.all(in: database).filter { !$0.key.isDefault }
      return ([first] + others).map { ZoneView(zone: $0, shares: nil) }
    }
    let user = try caller.requireUser()
    let memberships = try transaction.shares.memberships(of: user, in: caller.containerEnvironment)
    let byZone = Dictionary(grouping: memberships, by: \.share.zone)
    var seen: Set<ZoneKey> = []
    return try memberships.compactMap { membership in
      let key = membership.share.zone
      guard seen.insert(key).inserted, let zone = try transaction.zones.find(key), zone.isLive
      else { return nil }
      let shares = ShareScope(of: user, in: key, among: byZone[key] ?? [], from: transaction)
      return try shares.isEmpty() ? nil : ZoneView(zone: zone, shares: shares)
    }
  }
}
