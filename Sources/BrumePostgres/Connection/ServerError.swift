// What PostgreSQL says is wrong, by its five-letter codes ("Appendix A. PostgreSQL Error Codes").

import BrumeStorage

struct ServerError: Error, CustomStringConvertible {
  /// Nil: the connection is gone, and nobody knows what the server did last.
  let code: String?
  let message: String

  var description: String { code.map { "\(message) (SQLSTATE \($0))" } ?? message }

  /// The connection can no longer be used.
  var isConnectionLost: Bool {
    guard let code else { return true }
    // Ended by an administrator, by a crash of another session, by the end of the server; a server that
    // became read-only is another one than was asked for.
    return code.hasPrefix("08") || ["57P01", "57P02", "57P03", "25006"].contains(code)
  }

  /// The transaction met another one and may succeed when it runs again: serialisation, deadlock, a row
  /// that another one added first, and a comparison that failed (`PostgresSettings`).
  var isConflict: Bool { ["40001", "40P01", "23505", "55P03", "22012"].contains(code) }

  /// As a request's sender gets it. All of them leave nothing behind, but for a connection lost during
  /// a commit, which the writer resolves.
  var storeError: StoreError {
    switch code {
    case "53100", "53200", "53300", "53400", "57014":
      StoreError(.noRoom, "PostgreSQL has no room for this now: \(description)")
    case let code? where code.hasPrefix("XX"): StoreError(.corrupt, description)
    default: StoreError(.unreachable, "PostgreSQL: \(description)")
    }
  }
}
