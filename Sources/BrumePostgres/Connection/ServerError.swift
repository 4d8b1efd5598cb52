// What PostgreSQL says is wrong, by its five-letter codes ("Appendix A. PostgreSQL Error Codes").

import BrumeStorage

struct ServerError: Error, CustomStringConvertible {
  /// Nil: the connection is gone, and nobody knows what the server did last.
  let code: String?
  let message: String

  var description: String { code.map { "\(message) (SQLSTATE \($0))" } ?? message }

  /// With the next step, if one is known.
  var sentence: String { nextStep.map { "\(self); \($0)" } ?? description }

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

  /// The server has no connection left. Of an attempt to connect libpq has no code, only the server's words.
  var isOutOfConnections: Bool {
    code == "53300" || code == nil && Self.noConnection.contains { message.contains($0) }
  }
  private static let noConnection = [
    "too many clients", "too many connections", "connection slots are reserved",
  ]

  /// What an operator does about a connection that is refused; nil: the server's own words are all there is.
  var nextStep: String? {
    guard code == nil else { return nil }
    return Self.nextSteps.first { message.contains($0.words) }?.step
  }
  /// Of an attempt to connect libpq has no code either.
  private static let nextSteps: [(words: String, step: String)] = [
    ("no password supplied", "put the password into PGPASSWORD or ~/.pgpass"),
    ("password authentication failed", "the password is that of PGPASSWORD, ~/.pgpass or the URL"),
    ("session is read-only", "connect to the primary, or list all hosts in the URL"),
    ("no pg_hba.conf entry", "let the role in with a line of PostgreSQL's pg_hba.conf"),
  ]

  /// As a request's sender gets it. All of them leave nothing behind, but for a connection lost during
  /// a commit, which the writer resolves.
  var storeError: StoreError {
    if let advice { return StoreError(.noRoom, "\(advice): \(description)") }
    if code?.hasPrefix("XX") == true { return StoreError(.corrupt, description) }
    return StoreError(.unreachable, "PostgreSQL: \(sentence)")
  }

  /// As whoever wants a connection gets it.
  var ofConnecting: StoreError {
    StoreError(.unreachable, "\(advice ?? "PostgreSQL cannot be reached"): \(sentence)")
  }

  /// What is used up, and what an operator does about it; nil: nothing is.
  var advice: String? {
    if isOutOfConnections {
      return
        "PostgreSQL has no connection free; raise its max_connections (or the limit of the role or database): "
        + "a server keeps up to 14"
    }
    return switch code {
    case "53100":
      "PostgreSQL's disk is full; make room on it, and saves go on by themselves"
    case "53200": "PostgreSQL has no memory for this now; give its machine more, or lower work_mem"
    case "53400": "a limit of PostgreSQL's configuration is reached; raise it"
    case "57014": "a statement took longer than PostgreSQL may; look at the load of its machine"
    default: nil
    }
  }
}
