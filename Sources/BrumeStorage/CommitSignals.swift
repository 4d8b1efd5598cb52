// Signals to listeners that logs grew. They are hints only: they may be merged, and a listener that needs
// certainty reads the log (docs/internals/storage.md).

package import BrumeModel
import Synchronization

/// Hands hints from commits to any number of listeners. For calls from any thread.
package final class CommitSignals: Sendable {
  private struct State {
    var listeners: [Int: Listener] = [:]
    var nextID = 0
    var isFinished = false
  }
  /// What is kept of a listener. Not its stream: when nobody holds that any more, the listener is gone.
  private struct Listener: Sendable {
    let pending: PendingBuckets
    let signal: AsyncStream<Void>.Continuation
  }
  private let state = Mutex(State())
  /// Ours: entries that nobody's subscription follows may be announced together, so many at a time.
  package static let unwatchedEntries: Int64 = 500

  package init() {}

  /// How many listeners there are whose hints somebody still holds.
  package var listenerCount: Int { state.withLock { $0.listeners.count } }

  /// Hints from now on. A slow listener finds one pending hint with all buckets, never a queue.
  package func hints() -> CommitHints {
    let (stream, signal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let pending = PendingBuckets()
    let id = state.withLock { state -> Int? in
      if state.isFinished { return nil }
      state.nextID += 1
      state.listeners[state.nextID] = Listener(pending: pending, signal: signal)
      return state.nextID
    }
    if let id {
      signal.onTermination = { [weak self] _ in
        self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
      }
    } else {
      signal.finish()
    }
    return CommitHints(pending: pending, stream: stream)
  }

  /// Gives every listener a hint with these buckets. Waits for nobody.
  package func signal(_ buckets: Set<Bucket>) {
    for listener in state.withLock({ Array($0.listeners.values) }) {
      listener.pending.add(buckets)
      listener.signal.yield()
    }
  }

  /// Ends the hints of all listeners, and of those that come later.
  package func finish() {
    let listeners = state.withLock { state in
      state.isFinished = true
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.signal.finish() }
  }
}

/// Buckets whose logs grew since one listener last looked.
private final class PendingBuckets: Sendable {
  private let buckets = Mutex<Set<Bucket>>([])

  func add(_ more: Set<Bucket>) { buckets.withLock { $0.formUnion(more) } }

  func take() -> Set<Bucket> {
    buckets.withLock { buckets in
      defer { buckets = [] }
      return buckets
    }
  }
}

/// Buckets whose logs grew, as one listener gets them: those of all commits since it last looked.
package struct CommitHints: AsyncSequence, Sendable {
  fileprivate let pending: PendingBuckets
  fileprivate let stream: AsyncStream<Void>

  /// Ends with the signals, or with the task that asks.
  package struct Iterator: AsyncIteratorProtocol {
    fileprivate let pending: PendingBuckets
    fileprivate var inner: AsyncStream<Void>.Iterator

    package mutating func next() async -> Set<Bucket>? { await next(isolation: nil) }

    /// Waits for a hint. Answers the buckets of all commits since the last one, perhaps none; nil at the end.
    package mutating func next(isolation actor: isolated (any Actor)?) async -> Set<Bucket>? {
      await inner.next(isolation: actor) == nil ? nil : pending.take()
    }
  }

  package func makeAsyncIterator() -> Iterator {
    Iterator(pending: pending, inner: stream.makeAsyncIterator())
  }
}
