// Signals listeners that the log grew. Hints only: they may be merged, and a listener that needs
// certainty reads the log (docs/internals/notifications.md).

import Synchronization

package final class CommitSignals: Sendable {
  private struct State {
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var nextID = 0
    var isFinished = false
  }
  private let state = Mutex(State())
  /// Ours: entries that nobody's subscription follows are signalled once for this many.
  package static let unfollowedEntries: Int64 = 500

  package init() {}

  /// A stream of hints from now on. A slow listener finds one waiting hint, never a queue.
  package func stream() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state -> Int? in
      if state.isFinished { return nil }
      state.nextID += 1
      state.listeners[state.nextID] = continuation
      return state.nextID
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
    }
    return stream
  }

  package func signal() {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield() }
  }

  package func finish() {
    let listeners = state.withLock { state in
      state.isFinished = true
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }
}
