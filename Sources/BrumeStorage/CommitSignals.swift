// Signals to listeners that logs grew. Hints only: they may be merged, and a listener that needs
// certainty reads the log (docs/internals/storage.md).

import Synchronization

package final class CommitSignals: Sendable {
  private struct State {
    var listeners: [Int: CommitHints] = [:]
    var nextID = 0
    var isFinished = false
  }
  private let state = Mutex(State())
  /// Ours: entries that nobody's subscription follows may be announced together, so many at a time.
  package static let unfollowedEntries: Int64 = 500

  package init() {}

  /// Hints from now on. A slow listener finds one pending hint with all buckets, never a queue.
  package func hints() -> CommitHints {
    let hints = CommitHints()
    let id = state.withLock { state -> Int? in
      if state.isFinished { return nil }
      state.nextID += 1
      state.listeners[state.nextID] = hints
      return state.nextID
    }
    guard let id else {
      hints.finish()
      return hints
    }
    hints.onTermination { [weak self] in
      self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
    }
    return hints
  }

  package func signal(_ buckets: Set<Bucket>) {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.add(buckets) }
  }

  package func finish() {
    let listeners = state.withLock { state in
      state.isFinished = true
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }
}

/// Buckets whose logs grew, as one listener gets them: those of all commits since it last looked.
package final class CommitHints: AsyncSequence, Sendable {
  private let pending = Mutex<Set<Bucket>>([])
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  package init() {
    (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  package func add(_ buckets: Set<Bucket>) {
    pending.withLock { $0.formUnion(buckets) }
    continuation.yield()
  }

  package func finish() { continuation.finish() }

  fileprivate func onTermination(_ body: @escaping @Sendable () -> Void) {
    continuation.onTermination = { _ in body() }
  }

  fileprivate func take() -> Set<Bucket> {
    pending.withLock { pending in
      defer { pending = [] }
      return pending
    }
  }

  package struct Iterator: AsyncIteratorProtocol {
    fileprivate let hints: CommitHints
    fileprivate var inner: AsyncStream<Void>.Iterator

    package mutating func next() async -> Set<Bucket>? { await next(isolation: nil) }

    package mutating func next(isolation actor: isolated (any Actor)?) async -> Set<Bucket>? {
      await inner.next(isolation: actor) == nil ? nil : hints.take()
    }
  }

  package func makeAsyncIterator() -> Iterator {
    Iterator(hints: self, inner: stream.makeAsyncIterator())
  }
}
