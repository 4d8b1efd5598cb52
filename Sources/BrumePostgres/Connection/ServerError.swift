// What PostgreSQL says is wrong, by its five-letter codes ("Appendix A. PostgreSQL Error Codes").

import BrumeStorage

struct ServerError: Error, CustomStringConvertible {
  /// Nil: the connection is gone, or there was none, and nobody knows what the server did last.
  let code: String?
  let message: String
  /// Whether nothing but locks and what was planned had been asked for.
  var isOfPreparing = false

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

  /// There are as many connections as there may be.
  var isNoneFree: Bool { code == "53300" }

  /// Two transactions waited for each other, and the server ended this one.
  var isDeadlock: Bool { code == "40P01" }

  /// The statement is about what workers of Citus do not have: a table that is not divided, or a sequence.
  var isOfCoordinator: Bool { code == Self.noSuchTable.code }

  /// The database has no tables, or those of an earlier version.
  var lacksTables: Bool { ["42P01", "42703"].contains(code) }

  /// What workers say about a table that only the coordinator has.
  static let noSuchTable = ServerError(code: "42P01", message: "only the coordinator can do this")

  /// As a request's sender gets it. All of them leave nothing behind, but for a connection lost during
  /// a commit, which the writer resolves.
  var storeError: StoreError {
    if code == Self.canceled { return StoreError(.tooSlow, "\(Self.tooSlow): \(description)") }
    if let advice { return StoreError(.noRoom, "\(advice): \(description)") }
    if code?.hasPrefix("XX") == true || code == Self.isNull {
      return StoreError(.corrupt, description)
    }
    return StoreError(.unreachable, "PostgreSQL: \(sentence)")
  }

  /// As whoever wants a connection gets it.
  var ofConnecting: StoreError {
    let refused = isFinal && code != nil
    let what =
      advice ?? (refused ? "PostgreSQL refuses the connection" : "PostgreSQL cannot be reached")
    return StoreError(.unreachable, "\(what): \(sentence)")
  }

  private static let canceled = "57014"
  /// Also where a row would have taken the place of another one (`kept` of `Table`).
  private static let isNull = "23502"
  private static let tooSlow =
    "a statement took longer than PostgreSQL may; narrow the query, or look at the load of its machine"

  /// What is used up, and what an operator does about it; nil: nothing is.
  var advice: String? {
    switch code {
    case "53300":
      "PostgreSQL has no connection free; raise its max_connections (or the limit of the role or database): "
        + "a server keeps up to 14"
    case "53100":
      "PostgreSQL's disk is full; make room on it, and saves go on by themselves"
    case "53200": "PostgreSQL has no memory for this now; give its machine more, or lower work_mem"
    case "53400": "a limit of PostgreSQL's configuration is reached; raise it"
    case Self.canceled: Self.tooSlow
    default: nil
    }
  }
}

// MARK: Refusals

extension ServerError {
  /// Whether each attempt to connect gets this answer, until an operator does something.
  var isFinal: Bool {
    guard let code else { return Self.steps.first(where: isMeant)?.isFinal == true }
    return Self.stepOfCode[code] != nil
  }

  /// What an operator does about a connection that is refused; nil: the server's own words are all there is.
  var nextStep: String? {
    guard let code else { return Self.steps.first(where: isMeant)?.step }
    return Self.stepOfCode[code]
  }

  private static let stepOfCode = [
    "28P01": "the password is that of PGPASSWORD, ~/.pgpass or the URL",
    "28000":
      "make the role (CREATE ROLE … LOGIN), and let it in with a line of PostgreSQL's pg_hba.conf",
    "3D000": "make it (CREATE DATABASE … OWNER …), or correct its name in the URL",
    "42501": "give the role what it lacks (to connect: GRANT CONNECT ON DATABASE … TO …)",
  ]

  private typealias Step = (words: String, step: String, isFinal: Bool)
  /// What libpq itself says has no code, and one language.
  private static let steps: [Step] = [
    ("no password supplied", "put the password into PGPASSWORD or ~/.pgpass", true),
    ("root certificate file", "the section 'TLS' of docs/operating/postgresql.md says more", true),
    ("invalid integer value", "correct the URL of the database", true),
    (" value: \"", "correct the URL of the database", true),
    ("session is read-only", "connect to the primary, or list all hosts in the URL", false),
    ("Is the server running", "check that it runs there, and host and port of the URL", false),
    ("could not translate host name", "check the host in the URL", false),
  ]

  private func isMeant(_ step: Step) -> Bool { message.contains(step.words) }
}

/// The server's errors as the port's.
func translatingErrors<Value>(_ body: () throws -> Value) throws -> Value {
  do {
    return try body()
  } catch let error as ServerError {
    throw error.storeError
  }
}
