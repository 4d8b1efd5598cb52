// Requests that are worked on at once: each caller has a share, and so have all of one address, so that nobody's many
// requests keep another's waiting. Who may go next is decided by `FairShares.swift`.

import BrumeCore
package import BrumeModel
import Synchronization

/// Lets requests wait for their turn. One for each server.
package final class RequestShares: Sendable {
  private typealias Waiter = CheckedContinuation<Void, any Error>
  private struct State {
    var shares: FairShares
    var waiters: [Int: Waiter] = [:]
    var lastID = 0
  }
  private let state: Mutex<State>

  package init(_ limits: Limits) {
    state = Mutex(
      State(
        shares: FairShares(
          most: limits.requestsAtOnce, mostOfOne: limits.requestsAtOncePerCaller,
          mostWaiting: limits.requestsWaitingPerCaller,
          mostOfAddress: AddressShare.requestsAtOnce(limits),
          mostWaitingOfAddress: AddressShare.requestsWaiting(limits))))
  }

  /// Runs `body` when it is this caller's turn.
  ///
  /// - Throws: `THROTTLED` if too many requests of the caller, or of their address, wait; `CancellationError` if the request
  ///   ends while it waits.
  package func run<Value: Sendable>(
    for caller: String, at address: String, _ body: () async throws -> Value
  ) async throws -> Value {
    try await enter(caller, address)
    defer { leave(caller, address) }
    return try await body()
  }

  private func enter(_ caller: String, _ address: String) async throws {
    try Task.checkCancellation()
    let id = state.withLock { state -> Int? in
      if state.shares.entersAtOnce(caller, at: address) { return nil }
      state.lastID += 1
      return state.lastID
    }
    if let id { try await waitToEnter(caller, address, id) }
  }

  private func waitToEnter(_ caller: String, _ address: String, _ id: Int) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { enter(caller, address, id, $0) }
    } onCancel: {
      withdraw(caller, id)
    }
  }

  private func enter(_ caller: String, _ address: String, _ id: Int, _ waiter: Waiter) {
    let answer = state.withLock { state -> Result<Void, any Error>? in
      // Whoever is cancelled from here on is found by `withdraw`.
      if Task.isCancelled { return .failure(CancellationError()) }
      switch state.shares.enter(caller, at: address, id: id) {
      case .enters: return .success(())
      case .refused: return .failure(Self.refusal)
      case .waits:
        state.waiters[id] = waiter
        return nil
      }
    }
    if let answer { waiter.resume(with: answer) }
  }

  private func leave(_ caller: String, _ address: String) {
    let entering = state.withLock { state in
      state.shares.leave(caller, at: address).compactMap { state.waiters.removeValue(forKey: $0) }
    }
    for waiter in entering { waiter.resume() }
  }

  private func withdraw(_ caller: String, _ id: Int) {
    let waiter = state.withLock { state -> Waiter? in
      guard let waiter = state.waiters.removeValue(forKey: id) else { return nil }
      state.shares.withdraw(caller, id: id)
      return waiter
    }
    waiter?.resume(throwing: CancellationError())
  }

  private static var refusal: BrumeError {
    BrumeError(
      .throttled,
      "too many requests of this caller, or of all at this address, are under way; send fewer at once",
      retryAfter: 1)
  }
}
