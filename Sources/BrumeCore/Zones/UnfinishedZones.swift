// Deleted zones whose rows a request removes, so that no other one does the same, and those whose rows a request left,
// because nobody waited for it any more.

import BrumeModel
import Synchronization

final class UnfinishedZones: Sendable {
  /// Ours: what does not fit is found when all deleted zones are looked at.
  private static let most = 10_000
  private let zones = Mutex<Set<ZoneKey>>([])
  private let underWay = Mutex<Set<ZoneKey>>([])

  /// Those of some zones that no other request is at; until `end` they are the caller's.
  func begin(_ some: [ZoneKey]) -> [ZoneKey] {
    underWay.withLock { underWay in some.filter { underWay.insert($0).inserted } }
  }

  func end(_ some: [ZoneKey]) { underWay.withLock { $0.subtract(some) } }

  func add(_ some: [ZoneKey]) {
    zones.withLock { zones in
      for zone in some where zones.count < Self.most { zones.insert(zone) }
    }
  }

  func take() -> [ZoneKey] {
    zones.withLock { zones in
      defer { zones = [] }
      return Array(zones)
    }
  }
}
