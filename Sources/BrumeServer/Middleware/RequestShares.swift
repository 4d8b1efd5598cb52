// Requests that are worked on at once: each caller has a share, and so have all of one address, so that nobody's many
// requests keep another's waiting. Who may go next is decided by `FairShares.swift`.

import BrumeCore
import BrumeDelivery
package import BrumeModel

/// Lets requests wait for their turn. One for each server.
package final class RequestShares: Sendable {
  private let tasks: WaitingTasks<FairShares>

  package init(_ limits: Limits) {
    tasks = WaitingTasks(
      FairShares(
        most: limits.requestsAtOnce, mostOfOne: limits.requestsAtOncePerCaller,
        mostWaiting: limits.requestsWaitingPerCaller,
        mostOfAddress: AddressShare.requestsAtOnce(limits),
        mostWaitingOfAddress: AddressShare.requestsWaiting(limits)))
  }

  /// Runs `body` when it is this caller's turn.
  ///
  /// - Throws: `THROTTLED` if too many requests of the caller, or of their address, wait; `CancellationError` if the request
  ///   ends while it waits.
  package func run<Value: Sendable>(
    for caller: String, at address: String, _ body: () async throws -> Value
  ) async throws -> Value {
    try await enter(caller, address)
    defer { tasks.leave { $0.leave(caller, at: address) } }
    return try await body()
  }

  private func enter(_ caller: String, _ address: String) async throws {
    try Task.checkCancellation()
    if tasks.entersAtOnce({ $0.entersAtOnce(caller, at: address) }) { return }
    try await tasks.enter({ shares, id in
      switch shares.enter(caller, at: address, id: id) {
      case .enters: return true
      case .waits: return false
      case .refused: throw Self.refusal
      }
    }) { $0.withdraw(caller, id: $1) }
  }

  private static var refusal: BrumeError {
    BrumeError(
      .throttled,
      "too many requests of this caller, or of all at this address, are under way; send fewer at once",
      retryAfter: 1)
  }
}
