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
  /// The first batch of each zone: nearly always it is the page.
  func reads(of requests: [ZoneChangesRequest]) -> ReadPlan {
    ReadPlan {
      var reads: Set<ReadPlan.Read> = []
      for request in requests {
        guard let zone = try? caller.zoneKey(request.zone, in: scope, limits: limits) else {
          continue
        }
        let token = request.token.flatMap { try? tokens.opened($0, in: scope, for: caller) }
        reads.formUnion(zone.readsOfView(in: scope, for: caller))
        reads.insert(
          .changes(zone, after: token?.sequence ?? 0, limit: limits.page(request.limit) + 1))
        if token != nil { reads.insert(.setting(.forgottenDeletions(zone))) }
        if let user = caller.user { reads.insert(.setting(.clientData(zone, user: user))) }
        if scope == .shared {
          reads.insert(.record(RecordKey(zone: zone, name: Record.zoneShareName)))
        }
      }
      return reads
    }
  }
}
