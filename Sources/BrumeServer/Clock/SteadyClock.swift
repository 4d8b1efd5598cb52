// Time that nobody sets, for what only counts it.

import BrumeModel

/// A clock that goes on while the machine sleeps, and shows no time of day.
enum SteadyClock {
  private static let start = ContinuousClock.now

  /// Milliseconds since somebody first asked.
  static let milliseconds: @Sendable () -> Int64 = { start.duration(to: .now).milliseconds }
}
