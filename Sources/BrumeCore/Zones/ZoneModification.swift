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
  /// How many new names its zones may have, as soon as somebody had to know.
  private var newNames: Int?

  init(caller: Caller, origin: Origin, limits: Limits, tokens: ChangeTokens) {
    self.caller = caller
    self.origin = origin
    self.limits = limits
    self.tokens = tokens
  }

  /// - Throws: `UnfinishedWrite` for a deletion that fails when something has gone already.
  mutating func carryOut(
    _ operation: ZoneOperation, by writer: inout ZoneWriter, _ transaction: any WriteTransaction
  ) throws -> ZoneResult {
    try ZoneResult.item(caller.named(operation.zone, in: .private, limits: limits)) {
      let key = try caller.zoneKey(operation.zone, in: .private, limits: limits)
      try checkRoom(for: operation.kind, key, transaction)
      return try carryOut(operation.kind, key, &writer, transaction)
    }
  }

  /// Counts the database's zones once a request.
  private mutating func checkRoom(
    for kind: ZoneOperation.Kind, _ key: ZoneKey, _ transaction: any ReadTransaction
  ) throws {
    let old = try key.isDefault ? nil : transaction.zones.find(key)
    let isThere = key.isDefault || old?.isLive ?? false
    guard isThere == (kind == .delete) else { return }
    let left = try room ?? limits.zonesPerDatabase - transaction.zones.all(in: key.database).count
    if kind == .create, left <= 0 {
      throw BrumeError(
        .limitExceeded,
        "zone '\(key.name)' cannot be created: the database has \(limits.zonesPerDatabase) zones, "
          + "the maximum; delete one first")
    }
    if kind == .create, old == nil { try checkName(of: key, transaction) }
    room = kind == .create ? left - 1 : left + 1
  }

  /// A deleted zone stays known, so that no change token skips its deletion: whoever makes and deletes zones in a loop
  /// has to use their names again.
  private mutating func checkName(of key: ZoneKey, _ transaction: any ReadTransaction) throws {
    let most = limits.zoneNamesPerDatabase
    let left = try newNames ?? most - transaction.zones.count(in: key.database, limit: most)
    newNames = max(0, left - 1)
    guard left > 0 else {
      throw BrumeError(
        .limitExceeded,
        "zone '\(key.name)' cannot be created: the database has had zones of \(most) names, the maximum, and "
          + "remembers those that were deleted; use the name of one of them again")
    }
  }

  private func carryOut(
    _ kind: ZoneOperation.Kind, _ key: ZoneKey, _ writer: inout ZoneWriter,
    _ transaction: any WriteTransaction
  ) throws -> ZoneState {
    switch kind {
    case .create:
      return try state(of: writer.create(key), transaction)
    case .delete:
      if key.isDefault {
        throw BrumeError(.badRequest, "the default zone cannot be deleted; delete its records")
      }
      let live = try transaction.zones.live(key)
      try UnfinishedWrite.whole(in: key) { _ = try writer.delete(live, as: .deleted) }
      return .deleted(key.id)
    }
  }

  /// A zone that is there, as its owner sees it.
  func state(of zone: Zone, _ transaction: any ReadTransaction) throws -> ZoneState {
    try tokens.state(
      of: ZoneView(zone: zone, shares: nil), in: .private, for: caller, transaction)
  }
}
