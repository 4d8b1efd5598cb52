// To which trace a request belongs, for what happens because of it after its answer. As many requests are
// remembered as there is room for; the oldest are forgotten, and what they still cause is not measured.

import DequeModule
import Synchronization

final class TracesOfRequests: Sendable {
  private struct State {
    var traces: [String: TraceParent] = [:]
    var order: Deque<String> = []
  }
  private let capacity: Int
  private let state = Mutex(State())

  init(capacity: Int) { self.capacity = max(1, capacity) }

  func note(_ trace: TraceParent?, of requestID: String) {
    guard let trace else { return }
    state.withLock { state in
      if state.traces.updateValue(trace, forKey: requestID) != nil { return }
      state.order.append(requestID)
      if state.order.count > capacity, let oldest = state.order.popFirst() {
        state.traces[oldest] = nil
      }
    }
  }

  func trace(of requestID: String) -> TraceParent? { state.withLock { $0.traces[requestID] } }
}
