// The zones of a database for operators: how far each has come, and when it changed last.

package import BrumeModel
import BrumeStorage

/// Lists zones page by page.
package struct ZoneLists: Sendable {
  private let store: any Store
  private let limits: Limits
  private let known: KnownSizes

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    known = parts.knownSizes
  }

  /// Zones in the order of owners and names, those after `after`.
  ///
  /// - Parameters:
  ///   - after: `ListPage.after` of the page before; nil: from the start.
  ///   - isSized: also how much each holds, which is counted unless it is known.
  /// - Throws: what the store throws.
  package func page(
    of view: OpenedView, after: String?, limit: Int?, isSized: Bool = false
  ) async throws -> ListPage<ZoneSummary> {
    let (size, known, most) = (limits.listPage(limit), known.all, limits.sizedRecords)
    let (page, counted) = try await store.read { transaction in
      var count = SizeCount(known, atMost: most)
      let views = try transaction.zoneViews(view)
      let ordered = views.map { (place: $0.place, view: $0) }.sorted { $0.place < $1.place }
      let rest = ordered.filter { entry in after.map { ByteText($0) < entry.place } ?? true }
      let items = try rest.prefix(size).map { entry in
        var summary = try transaction.summary(of: entry.view.zone)
        if isSized { summary.size = try count.size(of: entry.view.zone, in: transaction) }
        return summary
      }
      let page = ListPage(items, after: rest.count > size ? rest[size - 1].place.text : nil)
      return (page, count.counted)
    }
    self.known.note(counted, most: limits.sizedZones)
    return page
  }
}

extension ZoneView {
  /// Where the zone is in a list of zones of several owners.
  fileprivate var place: ByteText {
    ByteText("\(zone.key.database.ownerName)/\(zone.key.name)")
  }
}

extension ReadTransaction {
  /// All zones of the view. With an owner, that owner's only.
  fileprivate func zoneViews(_ view: OpenedView) throws -> [ZoneView] {
    if view.scope == .public, view.caller.user == nil {
      let database = try view.caller.databaseKey(.public)
      let zone = try zones.live(ZoneKey(database: database, name: ZoneID.defaultName))
      return [ZoneView(zone: zone, shares: nil)]
    }
    let all = try ZoneView.all(in: view.scope, of: view.caller, from: self)
    guard let owner = view.owner else { return all }
    return all.filter { $0.zone.key.database.owner == owner }
  }

  fileprivate func summary(of zone: Zone) throws -> ZoneSummary {
    let newest = try changes.page(
      in: zone.key, after: 0, through: .max, limit: 1, newestFirst: true)
    var summary = ZoneSummary(
      zone.key.id, isAtomic: zone.isAtomic, sequence: zone.lastSequence,
      hasShares: zone.hasShares)
    if case .changed(let stored)? = newest.first, !stored.isUnreadable {
      summary.changed = try stored.record().modified?.time
    }
    return summary
  }
}
