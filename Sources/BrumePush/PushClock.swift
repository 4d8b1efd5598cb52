// Time for whoever waits. The composition layer's clock, or a test's own.

package import BrumeCore
package import BrumeModel

package struct PushClock: Sendable {
  package let now: @Sendable () -> Milliseconds
  package let sleep: @Sendable (Milliseconds) async throws -> Void

  package init(
    now: @escaping @Sendable () -> Milliseconds,
    sleep: @escaping @Sendable (Milliseconds) async throws -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }

  /// Sleeps in real time.
  package init(_ host: Host) {
    self.init(now: host.now) { try await Task.sleep(for: .milliseconds($0)) }
  }
}

extension Duration {
  var milliseconds: Milliseconds {
    let (seconds, attoseconds) = components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }
}
