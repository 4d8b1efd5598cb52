// Tasks that wait for their turn. Who goes on is decided by a value, such as `LaneShares`; what waits here is only its tasks.

import Synchronization

/// Tasks that wait as `Shares` says, which knows each by a number.
package final class WaitingTasks<Shares: Sendable>: Sendable {
  private typealias Waiter = CheckedContinuation<Void, any Error>
  private struct State {
    var shares: Shares
    var waiters: [Int: Waiter] = [:]
    var lastID = 0
  }
  private let state: Mutex<State>

  package init(_ shares: Shares) { state = Mutex(State(shares: shares)) }

  /// How many wait.
  package var count: Int { state.withLock { $0.waiters.count } }

  /// Asks for a turn without waiting for it.
  package func entersAtOnce(_ ask: (inout Shares) -> Bool) -> Bool {
    state.withLock { ask(&$0.shares) }
  }

  /// Waits until it is the task's turn.
  ///
  /// - Parameters:
  ///   - ask: takes the task's number; whether it enters now. What it throws refuses the task.
  ///   - withdraw: the task with this number waits no more.
  /// - Throws: what `ask` throws; `CancellationError`, at once, if the task is cancelled while it waits.
  package func enter(
    _ ask: (inout Shares, Int) throws -> Bool,
    withdrawing withdraw: @escaping @Sendable (inout Shares, Int) -> Void
  ) async throws {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { enter(id, $0, ask) }
    } onCancel: {
      giveUp(id, withdraw)
    }
  }

  /// A task has had its turn.
  ///
  /// - Parameter leave: answers who goes on now.
  package func leave(_ leave: (inout Shares) -> [Int]) {
    let entering = state.withLock { state in
      leave(&state.shares).compactMap { state.waiters.removeValue(forKey: $0) }
    }
    for waiter in entering { waiter.resume() }
  }

  private func enter(_ id: Int, _ waiter: Waiter, _ ask: (inout Shares, Int) throws -> Bool) {
    let answer = state.withLock { state -> Result<Void, any Error>? in
      // Whoever is cancelled from here on is found by `giveUp`.
      if Task.isCancelled { return .failure(CancellationError()) }
      do {
        if try ask(&state.shares, id) { return .success(()) }
      } catch { return .failure(error) }
      state.waiters[id] = waiter
      return nil
    }
    if let answer { waiter.resume(with: answer) }
  }

  private func giveUp(_ id: Int, _ withdraw: (inout Shares, Int) -> Void) {
    let waiter = state.withLock { state -> Waiter? in
      guard let waiter = state.waiters.removeValue(forKey: id) else { return nil }
      withdraw(&state.shares, id)
      return waiter
    }
    waiter?.resume(throwing: CancellationError())
  }
}
