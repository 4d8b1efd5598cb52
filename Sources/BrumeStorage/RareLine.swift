// Which lines of a log are written about something that lasts and that many notice: the first, then ever fewer.

/// Lines about one thing that lasts.
package struct RareLine: Sendable {
  /// Ours: milliseconds between the first line and the second, and between two at most. In between they double.
  private static let pauses: (first: Int64, longest: Int64) = (60_000, 3_600_000)

  private var pause = Self.pauses.first
  private var next: Int64?

  /// The thing has begun.
  package init() {}

  /// Whether a line is written now; then the next one has more time.
  ///
  /// - Parameter now: in milliseconds, by a clock that never goes back.
  package mutating func isDue(at now: Int64) -> Bool {
    if let next, now < next { return false }
    next = now + pause
    pause = min(2 * pause, Self.pauses.longest)
    return true
  }
}
