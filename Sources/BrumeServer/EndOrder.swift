// The order that a process ends. It counts for all servers that the process runs one after the other: for the one that
// runs now, and when it comes between two of them, for the one that would be next.

package import ServiceLifecycle
import Synchronization

/// Given once, and not taken back.
package final class EndOrder: Sendable {
  private struct State {
    var isGiven = false
    var running: ServiceGroup?
  }
  private let state = Mutex(State())

  package init() {}

  package var isGiven: Bool { state.withLock { $0.isGiven } }

  /// The services that run end in good order, and so do all that are run with this order afterwards.
  package func give() async {
    let running = state.withLock { state in
      state.isGiven = true
      return state.running
    }
    await running?.triggerGracefulShutdown()
  }

  /// Runs services until the order is given.
  ///
  /// - Throws: what a service throws.
  package func run(_ services: ServiceGroup) async throws {
    let isGiven = state.withLock { state in
      state.running = services
      return state.isGiven
    }
    defer { state.withLock { $0.running = nil } }
    if isGiven { await services.triggerGracefulShutdown() }
    try await services.run()
  }
}
