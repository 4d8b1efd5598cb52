// Time, identity and chance, as everything in a server gets them.

package import BrumeModel
import Synchronization

/// Time, identity and chance. The composition layer supplies the real ones, tests their own.
package struct Host: Sendable {
  /// The time, in milliseconds since 1970.
  package let now: @Sendable () -> Milliseconds
  /// An upper-case UUID.
  package let uuid: @Sendable () -> String
  /// Cryptographically random bytes.
  package let randomBytes: @Sendable (Int) -> [UInt8]
  private let latest: LatestTime

  package init(
    now: @escaping @Sendable () -> Milliseconds,
    uuid: @escaping @Sendable () -> String,
    randomBytes: @escaping @Sendable (Int) -> [UInt8]
  ) {
    let latest = LatestTime()
    self.now = { latest.shown(now()) }
    self.uuid = uuid
    self.randomBytes = randomBytes
    self.latest = latest
  }

  /// Whether this host has shown a later time than this to anybody: then the clock was set back since.
  package func hasShown(laterThan time: Milliseconds) -> Bool { latest.value > time }
}

/// The latest time that a clock has shown to anybody.
private final class LatestTime: Sendable {
  private let latest = Atomic(Milliseconds.min)

  var value: Milliseconds { latest.load(ordering: .acquiring) }

  func shown(_ time: Milliseconds) -> Milliseconds {
    // Nearly always somebody has seen this millisecond already, and nothing is written.
    if value < time { latest.max(time, ordering: .acquiringAndReleasing) }
    return time
  }
}
