// Turns by name, for which tasks wait.

import BrumeDelivery

/// Gives each name so many turns at a time.
final class Turns: Sendable {
  private let tasks: WaitingTasks<LaneShares<Int>>

  /// - Parameter perName: turns of one name at once.
  init(perName: Int) { tasks = WaitingTasks(LaneShares(perLane: perName)) }

  /// How many wait.
  var waiting: Int { tasks.count }

  /// Runs `body` when it is the name's turn.
  ///
  /// - Throws: what `body` throws; `CancellationError`, at once, if the task is cancelled while it waits.
  func take<Value>(_ name: String, _ body: () async throws -> Value) async throws -> Value {
    try await tasks.enter({ $0.add($1, to: name) }) { shares, id in
      shares.withdraw(from: name) { $0 == id }
    }
    defer { tasks.leave { $0.ended(in: name).map { [$0] } ?? [] } }
    try Task.checkCancellation()
    return try await body()
  }
}
