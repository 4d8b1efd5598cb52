// Time that nobody sets, for what only counts it.

/// A clock that goes on while the machine sleeps, and shows no time of day.
enum SteadyClock {
  private static let start = ContinuousClock.now

  /// Milliseconds since somebody first asked.
  static let milliseconds: @Sendable () -> Int64 = {
    let (seconds, attoseconds) = start.duration(to: .now).components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }
}
