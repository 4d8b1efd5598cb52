// What a page of changes is going to read.

import BrumeModel
import BrumeStorage

extension DatabaseChanges {
  var reads: ReadPlan {
    ReadPlan {
      guard let database = try? caller.databaseKey(.private), let user = caller.user else {
        return []
      }
      return [
        .lastSequence(database),
        .zonesChanged(database, after: token?.sequence ?? 0, limit: readLimit),
        .memberships(user, caller.containerEnvironment),
      ]
    }
  }
}

extension ZoneChanges {
  /// Ours: pages that are read before it is known what of them the answer has room for. A request may be about 200 zones, or
  /// 200 places of one; the others are read in their turn.
  private static let plannedPages = 16

  /// The first batch of each zone: nearly always it is the page.
  ///
  /// - Parameter joined: in the shared database, zones of which the caller may see something.
  func reads(of requests: [ZoneChangesRequest], among joined: Set<ZoneKey>) -> ReadPlan {
    ReadPlan {
      var reads: Set<ReadPlan.Read> = []
      var pages: Set<ReadPlan.Read> = []
      for request in requests {
        guard let zone = try? caller.zoneKey(request.zone, in: scope, limits: limits) else {
          continue
        }
        let token = request.token.flatMap { try? tokens.opened($0, in: scope, for: caller) }
        reads.formUnion(zone.readsOfView(in: scope, for: caller))
        if scope == .shared, !joined.contains(zone) { continue }
        if pages.count < Self.plannedPages {
          pages.insert(
            .changes(zone, after: token?.sequence ?? 0, limit: limits.page(request.limit) + 1))
        }
        if token != nil { reads.insert(.setting(.forgottenDeletions(zone))) }
        if let user = caller.user { reads.insert(.setting(.clientData(zone, user: user))) }
        if scope == .shared {
          reads.insert(.record(RecordKey(zone: zone, name: Record.zoneShareName)))
        }
      }
      return reads.union(pages)
    }
  }
}
