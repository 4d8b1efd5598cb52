// Spans that have ended and are not sent yet. The queue has a bound: a collector that does not answer costs
// spans, which are counted, and neither memory nor anybody's time.

import DequeModule
import Synchronization

final class SpanQueue: Sendable {
  private struct State {
    var spans: Deque<EndedSpan> = []
    var dropped: Int64 = 0
    var isFinished = false
  }
  /// Something is there to be sent.
  let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation
  private let capacity: Int
  private let state = Mutex(State())

  init(capacity: Int) {
    self.capacity = capacity
    (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func add(_ span: EndedSpan) {
    let isNews = state.withLock { state in
      guard state.spans.count < capacity else {
        state.dropped += 1
        return false
      }
      state.spans.append(span)
      return state.spans.count == 1
    }
    if isNews { signal.yield() }
  }

  /// The oldest, in the order in which they ended.
  func take(upTo count: Int) -> [EndedSpan] {
    state.withLock { state in
      let taken = Array(state.spans.prefix(count))
      state.spans.removeFirst(taken.count)
      return taken
    }
  }

  /// Nothing more is to be waited for.
  func finish() {
    state.withLock { $0.isFinished = true }
    signal.finish()
  }

  var isFinished: Bool { state.withLock { $0.isFinished } }

  /// Spans that could not be sent.
  func drop(_ count: Int) { state.withLock { $0.dropped += Int64(count) } }

  /// Spans that nobody gets to see, since the start.
  var dropped: Int64 { state.withLock { $0.dropped } }
}
