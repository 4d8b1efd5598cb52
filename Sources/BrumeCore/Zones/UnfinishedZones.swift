// Deleted zones whose rows a request left, because nobody waited for it any more.

import BrumeModel
import Synchronization

final class UnfinishedZones: Sendable {
  /// Ours: what does not fit is found when all deleted zones are looked at.
  private static let most = 10_000
  private let zones = Mutex<Set<ZoneKey>>([])

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
