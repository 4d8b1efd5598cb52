// Time for whoever waits. The composition layer's clock, or a test's own.

package import BrumeModel

/// The time, and waiting for one.
package struct PushClock: Sendable {
  /// Milliseconds since 1970.
  package let now: @Sendable () -> Milliseconds
  /// Returns at that time, at once if it is past. Not a length of time: one would be measured from
  /// when the sleep begins, which may be later than when it was worked out.
  package let sleep: @Sendable (_ until: Milliseconds) async throws -> Void

  package init(
    now: @escaping @Sendable () -> Milliseconds,
    sleepUntil sleep: @escaping @Sendable (Milliseconds) async throws -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }
}
