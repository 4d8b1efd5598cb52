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
    let present = Set(zones.map { ZonePlace($0.zone.key) })
    for old in known where !present.contains(ZonePlace(old)) { page.gone(old) }
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
  private(set) var states: [ZoneState] = []
  private(set) var moreComing = false
  /// By zone, in the order of the token; nil for one that is gone.
  private var kept: [ChangeToken.SharedPosition?]
  private var places: [ZonePlace: Int] = [:]
  private let size: Int

  init(known: [ChangeToken.SharedPosition], size: Int) {
    kept = known
    for (place, position) in known.enumerated() { places[ZonePlace(position)] = place }
    self.size = size
  }

  var positions: [ChangeToken.SharedPosition] { kept.compactMap { $0 } }

  func hasChanged(_ zone: Zone) -> Bool {
    guard let place = places[ZonePlace(zone.key)], let old = kept[place] else { return true }
    return old.incarnation != zone.incarnation || old.sequence != zone.lastSequence
  }

  /// The caller lost the zone: it was deleted, or is no longer shared with them (case SHR-19).
  mutating func gone(_ old: ChangeToken.SharedPosition) {
    guard hasRoom() else { return }
    if let place = places.removeValue(forKey: ZonePlace(old)) { kept[place] = nil }
    let zone = ZoneID(name: old.zone, ownerName: old.owner)
    states.append(ZoneState(zone: zone, isAtomic: true, deletion: .deleted))
  }

  mutating func changed(_ zone: Zone, _ state: ZoneState) {
    guard hasRoom() else { return }
    let position = ChangeToken.SharedPosition(
      owner: zone.key.database.ownerName, zone: zone.key.name, incarnation: zone.incarnation,
      sequence: zone.lastSequence)
    if let place = places[ZonePlace(zone.key)] {
      kept[place] = position
    } else {
      places[ZonePlace(zone.key)] = kept.count
      kept.append(position)
    }
    states.append(state)
  }

  private mutating func hasRoom() -> Bool {
    if states.count < size { return true }
    moreComing = true
    return false
  }
}

/// Whose zone, and which.
private struct ZonePlace: Hashable {
  let owner: String
  let name: String

  init(_ key: ZoneKey) { (owner, name) = (key.database.ownerName, key.name) }
  init(_ position: ChangeToken.SharedPosition) { (owner, name) = (position.owner, position.zone) }
}
