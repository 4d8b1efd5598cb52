// A row of its own for each writing connection, with the number of the last group that it committed. Whoever
// loses the connection in a commit reads there whether the group is in the store: PostgreSQL itself does
// not tell.

import BrumeStorage

final class WriterRow {
  private let name: String
  private var number: Int64 = 0
  /// The number of the last group whose commit was answered.
  private(set) var acknowledged: Int64 = 0

  /// - Parameter name: of this connection's thread in this process, never used before.
  init(name: String) { self.name = name }

  /// Makes the row, if it is not there.
  func make(on connection: Connection) throws(ServerError) {
    try connection.send(Self.add, [.text(name)])
    _ = try connection.exchange()
  }

  /// Notes the next group. The first statement of its transaction: from its answer on, the row is locked until
  /// the transaction has ended.
  var question: Question {
    number += 1
    return Question(Self.note, [.text(name), .integer(number)]) { rows in
      guard rows.count == 1 else {
        throw StoreError(.corrupt, "the row of a writing connection is gone")
      }
    }
  }

  func committed() { acknowledged = number }

  /// On a new connection: whether the last group is in the store. Waits for its transaction to end.
  ///
  /// - Throws: `StoreError` with `unavailable` if even what was acknowledged is not: the server was replaced
  ///   by one that had not received it.
  func isCommitted(on connection: Connection) throws -> Bool {
    try connection.send(Self.find, [.text(name)])
    let last = try connection.exchange().first?.first?.integer(0)
    guard let last, last >= acknowledged else {
      throw StoreError(
        .unavailable,
        "the database has lost commits that were acknowledged, as when a standby took over that was not "
          + "synchronous")
    }
    return last == number
  }

  private static let add = SQL(
    "INSERT INTO writers (name, last_commit) VALUES ($1, 0) ON CONFLICT (name) DO NOTHING")
  private static let note = SQL(
    "UPDATE writers SET last_commit = $2 WHERE name = $1 RETURNING last_commit")
  private static let find = SQL(
    "UPDATE writers SET last_commit = last_commit WHERE name = $1 RETURNING last_commit")
}
