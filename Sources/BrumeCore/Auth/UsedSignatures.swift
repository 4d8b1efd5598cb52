// Signatures that did something already. A copy of a signed request that modifies is refused as long
// as its date would still be accepted; the memory is bounded and lives as long as the process.

import BrumeModel
import Synchronization

final class UsedSignatures: Sendable {
  private static let maximum = 20_000
  /// When each was used, by the signature's identity.
  private let used = Mutex<[String: Milliseconds]>([:])

  /// Answers false if the signature was used before.
  func use(_ identity: String, now: Milliseconds, life: Milliseconds) -> Bool {
    used.withLock { used in
      if let time = used[identity], now - time <= life { return false }
      if used.count >= Self.maximum {
        used = used.filter { now - $0.value <= life }
        // Full of fresh ones: the oldest half goes, so that the cost of making room is rare.
        if used.count >= Self.maximum {
          let newest = used.sorted { $0.value > $1.value }.prefix(Self.maximum / 2)
          used = Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
        }
      }
      used[identity] = now
      return true
    }
  }
}
