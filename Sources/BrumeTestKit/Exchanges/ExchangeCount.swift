// How many messages a body would exchange with an engine on the other side of a network: one for the lock
// and all that the plan names, one for each question that it does not name, one for all writes with the
// commit.

import BrumeModel
package import BrumeStorage
import Synchronization

/// Counts the exchanges of one call.
package final class ExchangeCount: Sendable {
  private struct State {
    let planned: Set<ReadPlan.Read>
    var answered: Set<ReadPlan.Read>
    var unplanned: [String] = []
    var writes = false
    var exchanges: Int
    var pageBytes = 0
  }
  private let state: Mutex<State>

  init(_ plan: ReadPlan, isWrite: Bool) {
    let reads = plan.reads
    state = Mutex(
      State(planned: reads, answered: reads, exchanges: isWrite || !reads.isEmpty ? 1 : 0))
  }

  /// - Parameter read: nil for a question that no plan can name.
  func asks(_ read: ReadPlan.Read? = nil) {
    state.withLock { state in
      if let read, !state.answered.insert(read).inserted { return }
      state.unplanned.append(read.map { "\($0)" } ?? "a question that no plan names")
      state.exchanges += 1
    }
  }

  func brings(_ page: [StoredChange]) {
    state.withLock { $0.pageBytes = max($0.pageBytes, page.byteCount) }
  }

  /// - Parameter read: the question whose answer is known from now on.
  func writes(_ read: ReadPlan.Read? = nil) {
    state.withLock { state in
      state.writes = true
      if let read { state.answered.insert(read) }
    }
  }

  /// Those of the whole body, and what it asked for beside its plan.
  var total: Exchanges {
    state.withLock {
      Exchanges(
        count: $0.exchanges + ($0.writes ? 1 : 0), planned: $0.planned, unplanned: $0.unplanned,
        pageBytes: $0.pageBytes)
    }
  }
}

/// What one call of a store cost.
package struct Exchanges: Sendable {
  package let count: Int
  /// What was read before the body began.
  package let planned: Set<ReadPlan.Read>
  /// Questions that the plan should have named.
  package let unplanned: [String]
  /// Of the largest page of a zone's changes.
  package let pageBytes: Int
}
