// changes/database: which zones changed or went since a token. The private database has one
// sequence; the shared one is a view over many, so its token holds a position in each zone.

import BrumeModel
import BrumeStorage

/// One page of the zones that changed.
struct DatabaseChanges: Sendable {
  let token: ChangeToken?
  let size: Int
  let caller: Caller
  let tokens: ChangeTokens

  /// One more than the page, and one for the default zone, which is left out.
  var readLimit: Int { size + 2 }

  func ofPrivate(_ transaction: any ReadTransaction) throws -> DatabaseChangesPage {
    let database = try caller.databaseKey(.private)
    let newest = try transaction.sequences.last(in: database)
    let after = token?.sequence ?? 0
    guard token.map({ $0.subject == .database && after <= newest }) ?? true else {
      throw TokenRules.expired
    }
    let found = try transaction.zones.changed(in: database, after: after, limit: readLimit)
      .filter { !$0.key.isDefault }
    let page = Array(found.prefix(size))
    let moreComing = found.count > page.count
    let states = try page.map { zone in
      zone.isLive
        ? try tokens.state(
          of: ZoneView(zone: zone, shares: nil), in: .private, for: caller, transaction)
        : ZoneState(zone: zone.key.id, isAtomic: true, deletion: zone.deletion)
    }
    let position = moreComing ? page.last?.lastSequence ?? after : newest
    return DatabaseChangesPage(
      zones: states, token: try tokens.token(.database, at: position, in: .private, for: caller),
      moreComing: moreComing)
  }

  func ofShared(_ transaction: any ReadTransaction) throws -> DatabaseChangesPage {
    var known: [ChangeToken.SharedPosition] = []
    if let token {
      guard case .shared(let positions) = token.subject else { throw TokenRules.expired }
      known = positions
    }
    let zones = try ZoneView.all(in: .shared, of: caller, from: transaction)
    var page = SharedPage(known: known, size: size)
    for old in known where !zones.contains(where: { old.isOf($0.zone.key) }) { page.gone(old) }
    for view in zones {
      guard page.hasChanged(view.zone) else { continue }
      try page.changed(view.zone, tokens.state(of: view, in: .shared, for: caller, transaction))
    }
    return DatabaseChangesPage(
      zones: page.states,
      token: try tokens.token(.shared(page.positions), at: 0, in: .shared, for: caller),
      moreComing: page.moreComing)
  }
}

/// A page of the shared database's changes, and the positions after it.
private struct SharedPage {
  private(set) var positions: [ChangeToken.SharedPosition]
  private(set) var states: [ZoneState] = []
  private(set) var moreComing = false
  private let size: Int

  init(known: [ChangeToken.SharedPosition], size: Int) {
    positions = known
    self.size = size
  }

  func hasChanged(_ zone: Zone) -> Bool {
    guard let old = positions.first(where: { $0.isOf(zone.key) }) else { return true }
    return old.incarnation != zone.incarnation || old.sequence != zone.lastSequence
  }

  /// The caller lost the zone: it was deleted, or is no longer shared with him (case SHR-19).
  mutating func gone(_ old: ChangeToken.SharedPosition) {
    guard hasRoom() else { return }
    positions.removeAll { $0 == old }
    let zone = ZoneID(name: old.zone, ownerName: old.owner)
    states.append(ZoneState(zone: zone, isAtomic: true, deletion: .deleted))
  }

  mutating func changed(_ zone: Zone, _ state: ZoneState) {
    guard hasRoom() else { return }
    positions.removeAll { $0.isOf(zone.key) }
    positions.append(
      .init(
        owner: zone.key.database.ownerName, zone: zone.key.name, incarnation: zone.incarnation,
        sequence: zone.lastSequence))
    states.append(state)
  }

  private mutating func hasRoom() -> Bool {
    if states.count < size { return true }
    moreComing = true
    return false
  }
}

extension ChangeToken.SharedPosition {
  fileprivate func isOf(_ key: ZoneKey) -> Bool {
    owner == key.database.ownerName && zone == key.name
  }
}
