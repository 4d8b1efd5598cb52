// Whose lookups run, and whose wait. The names under one domain are answered by the name servers that its owner chose: when
// they answer nothing, each lookup keeps a thread for many seconds, and with them all the lookups of everybody else would
// wait. And one user may name many such domains.

import BrumeDelivery
package import BrumeModel
import Synchronization

/// Gives the names of one domain turns, a few at a time, or what one user asks for.
package final class NameTurns: Sendable {
  /// Ours: lookups at once of the names under one domain, and for one user.
  package static let perDomain = 4

  private let turns = Mutex(LaneShares<CheckedContinuation<Void, Never>>(perLane: perDomain))

  package init() {}

  /// Looks a name up when it is its domain's turn.
  ///
  /// - Throws: what `lookUp` throws; `CancellationError`.
  package func take<Value>(
    _ name: String, _ lookUp: () async throws -> Value
  ) async throws -> Value {
    try await take(lane: Self.domain(of: name), lookUp)
  }

  /// Looks a name up when it is the turn of whoever it is for.
  ///
  /// - Throws: as the other.
  package func take<Value>(
    for user: UserID, _ lookUp: () async throws -> Value
  ) async throws -> Value {
    try await take(lane: user.name, lookUp)
  }

  private func take<Value>(
    lane: String, _ lookUp: () async throws -> Value
  ) async throws -> Value {
    await withCheckedContinuation { continuation in
      let isFree = turns.withLock { $0.add(continuation, to: lane) }
      if isFree { continuation.resume() }
    }
    defer { turns.withLock { $0.ended(in: lane) }?.resume() }
    try Task.checkCancellation()
    return try await lookUp()
  }

  /// The last two labels: where whole countries share such, their names take turns together.
  static func domain(of name: String) -> String {
    name.split(separator: ".").suffix(2).joined(separator: ".").lowercased()
  }
}
