// A server that ends in good order and starts anew, in the same process. Only who runs it can do that: `serve` says
// so, servers inside other programs do not.

import ServiceLifecycle
import Synchronization

/// The server was asked to start anew.
package struct RestartAsked: Error {}

/// One for each server.
package final class Restart: Sendable {
  private let mayRestart = Mutex(false)
  private let orders: AsyncStream<Void>
  private let order: AsyncStream<Void>.Continuation

  init() { (orders, order) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1)) }

  /// Whoever runs the server starts it anew when it ends with `RestartAsked`.
  package func allow() { mayRestart.withLock { $0 = true } }

  var isAllowed: Bool { mayRestart.withLock { $0 } }

  /// Requests under way are answered before.
  func ask() { if isAllowed { order.yield() } }

  fileprivate func asked() async -> Bool {
    for await _ in orders { return true }
    return false
  }
}

/// Ends the server when it was asked to start anew.
struct RestartWatch: Service {
  let restart: Restart

  func run() async throws {
    if await cancelWhenGracefulShutdown({ await restart.asked() }) { throw RestartAsked() }
  }
}
