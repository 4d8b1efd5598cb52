// How a caller sees a zone.

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
    // Others see only a part of it.
    state.isNew = view.shares == nil && view.zone.lastSequence == view.zone.incarnation
    state.token = try token(.zone(view), at: view.zone.lastSequence, in: scope, for: caller)
    let share = RecordKey(zone: key, name: Record.zoneShareName)
    if view.zone.hasShares,
      try view.shares.map({ try $0.permission(of: share.name) != nil }) ?? true,
      try transaction.records.find(share) != nil
    {
      state.share = share.name
    }
    return state
  }
}

extension ChangeToken.Subject {
  /// The part of a zone that a reader sees.
  static func zone(_ view: ZoneView) throws -> ChangeToken.Subject {
    .zone(
      owner: view.zone.key.database.ownerName, name: view.zone.key.name,
      incarnation: view.zone.incarnation, view: try view.digest())
  }
}
