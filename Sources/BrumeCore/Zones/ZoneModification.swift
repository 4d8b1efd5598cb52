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
    let isThere = try key.isDefault || transaction.zones.find(key)?.isLive ?? false
    guard isThere == (kind == .delete) else { return }
    let left = try room ?? limits.zonesPerDatabase - transaction.zones.all(in: key.database).count
    if kind == .create, left <= 0 {
      throw BrumeError(
        .limitExceeded,
        "zone '\(key.name)' cannot be created: the database has \(limits.zonesPerDatabase) zones, "
          + "the maximum; delete one first")
    }
    room = kind == .create ? left - 1 : left + 1
  }

  private func carryOut(
    _ kind: ZoneOperation.Kind, _ key: ZoneKey, _ writer: inout ZoneWriter,
    _ transaction: any WriteTransaction
  ) throws -> ZoneState {
    switch kind {
    case .create:
      let zone = try writer.create(key)
      return try tokens.state(
        of: ZoneView(zone: zone, shares: nil), in: .private, for: caller, transaction)
    case .delete:
      if key.isDefault {
        throw BrumeError(.badRequest, "the default zone cannot be deleted; delete its records")
      }
      let zone = try writer.delete(transaction.zones.live(key), as: .deleted)
      return ZoneState(zone: key.id, isAtomic: zone.isAtomic, deletion: .deleted)
    }
  }
}
