// Time that never goes back, made from a clock that may be set: pauses begun before it was set back end
// when they would have ended. One set forward ends them early, which does no harm.

import BrumeModel

struct SteadyTime: Sendable {
  /// Ours: what is less is another thread that looked at the clock before.
  private static let jitter: Milliseconds = 1000
  private var latest = Milliseconds.min + SteadyTime.jitter
  /// How far the clock was set back in all.
  private var lost: Milliseconds = 0

  /// The clock shows this now.
  mutating func advanced(to clock: Milliseconds) -> Milliseconds {
    if clock + lost < latest - Self.jitter { lost = latest - clock }
    latest = max(latest, clock + lost)
    return latest
  }

  func steady(_ clock: Milliseconds) -> Milliseconds { clock + lost }

  /// What the clock will show then.
  func clock(_ steady: Milliseconds) -> Milliseconds { steady - lost }
}
