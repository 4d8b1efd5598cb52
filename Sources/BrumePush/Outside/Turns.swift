// Tasks that wait for their turn, by name. Which of them goes on is decided by BrumeDelivery's `LaneShares`.

import BrumeDelivery
import Synchronization

/// Gives each name so many turns at a time.
final class Turns: Sendable {
  private typealias Waiter = CheckedContinuation<Void, any Error>
  private struct State {
    var shares: LaneShares<Int>
    var waiters: [Int: Waiter] = [:]
    var lastID = 0
  }
  private let state: Mutex<State>

  /// - Parameter perName: turns of one name at once.
  init(perName: Int) { state = Mutex(State(shares: LaneShares(perLane: perName))) }

  /// How many wait.
  var waiting: Int { state.withLock { $0.waiters.count } }

  /// Runs `body` when it is the name's turn.
  ///
  /// - Throws: what `body` throws; `CancellationError`, at once, if the task is cancelled while it waits.
  func take<Value>(_ name: String, _ body: () async throws -> Value) async throws -> Value {
    try await enter(name)
    defer { leave(name) }
    try Task.checkCancellation()
    return try await body()
  }

  private func enter(_ name: String) async throws {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { enter(name, id, $0) }
    } onCancel: {
      withdraw(name, id)
    }
  }

  private func enter(_ name: String, _ id: Int, _ waiter: Waiter) {
    let answer = state.withLock { state -> Result<Void, any Error>? in
      // Whoever is cancelled from here on is found by `withdraw`.
      if Task.isCancelled { return .failure(CancellationError()) }
      if state.shares.add(id, to: name) { return .success(()) }
      state.waiters[id] = waiter
      return nil
    }
    if let answer { waiter.resume(with: answer) }
  }

  private func leave(_ name: String) {
    let next = state.withLock { state in
      state.shares.ended(in: name).flatMap { state.waiters.removeValue(forKey: $0) }
    }
    next?.resume()
  }

  private func withdraw(_ name: String, _ id: Int) {
    let waiter = state.withLock { state -> Waiter? in
      guard let waiter = state.waiters.removeValue(forKey: id) else { return nil }
      state.shares.withdraw(from: name) { $0 == id }
      return waiter
    }
    waiter?.resume(throwing: CancellationError())
  }
}
