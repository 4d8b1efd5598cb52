// What of a zone one caller sees: all of it, or the part that shares open to him.

package import BrumeModel
package import BrumeStorage

package struct ZoneView: Sendable {
  package let zone: Zone
  /// Nil for the owner and for the public database: no share limits the view.
  package let shares: ShareScope?

  /// A number that is another one when the caller may see another part of the zone.
  package var digest: UInt64 { shares?.digest ?? 0 }
}

extension ReadTransaction {
  /// The zone as `caller` sees it. A zone of which he sees nothing does not exist for him.
  package func zoneView(
    _ key: ZoneKey, in scope: DatabaseScope, for caller: Caller
  ) throws -> ZoneView {
    guard scope == .shared else { return ZoneView(zone: try liveZone(key), shares: nil) }
    let shares = try shareScope(of: try caller.requireUser(), in: key)
    if shares.isEmpty { throw Zone.missing(key.name, nil) }
    return ZoneView(zone: try liveZone(key), shares: shares)
  }
}
