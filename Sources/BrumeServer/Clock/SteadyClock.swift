// Time that nobody sets, for what only counts it.

import BrumeModel
import Dispatch

/// Clocks that show no time of day.
enum SteadyClock {
  private static let start = ContinuousClock.now

  /// Milliseconds since somebody first asked. It goes on while the machine sleeps.
  static let milliseconds: @Sendable () -> Int64 = { start.duration(to: .now).milliseconds }

  /// Only rises, and stands still while the machine sleeps, as the work does that is measured by it.
  static let nanoseconds: @Sendable () -> Int64 = {
    Int64(clamping: DispatchTime.now().uptimeNanoseconds)
  }
}
