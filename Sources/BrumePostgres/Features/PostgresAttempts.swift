// Attempts to sign in, by the digest of who is tried at and from where. Whoever changes them holds their lock.

import BrumeModel
import BrumeStorage

final class PostgresAttempts {
  private let session: Session

  init(_ session: Session) { self.session = session }

  /// As `SharedAttempts`.
  func change<Value>(
    _ keys: [AttemptKey], limit: Int,
    _ change: (inout [AttemptKey: FailedAttempts], Milliseconds) -> Value
  ) throws -> Value {
    var found: [AttemptKey: FailedAttempts] = [:]
    var (now, count) = (Milliseconds(0), 0)
    try session.ask([
      Question(Self.find, [.array(.bytes, keys.map { .bytes($0.digest) })]) { rows in
        found = Dictionary(uniqueKeysWithValues: rows.map(\.attempts))
      },
      Question(Self.state, []) { rows in
        (now, count) = (rows.first?.integer(0) ?? 0, Int(rows.first?.integer(1) ?? 0))
      },
    ])
    var failures = found
    let value = change(&failures, now)
    for key in keys where failures[key] != found[key] { put(failures[key], of: key) }
    if failures.count > found.count, count + failures.count - found.count > limit {
      session.run(Self.trim, [.integer(limit / 2)])
    }
    return value
  }

  private func put(_ attempts: FailedAttempts?, of key: AttemptKey) {
    guard let attempts else { return session.remove([.bytes(key.digest)], from: Self.table) }
    session.put(
      [
        .bytes(key.digest), .integer(attempts.count), .integer(attempts.last),
        .integer(attempts.until),
      ], in: Self.table)
  }

  private static let table = Table(
    "failed_attempts", key: [("key", .bytes)],
    columns: [("failures", .integer), ("last", .integer), ("until", .integer)])
  private static let find = SQL(
    "SELECT key, failures, last, until FROM failed_attempts WHERE key = ANY ($1::bytea[])")
  /// The time, and how many there are: a few thousand at most.
  private static let state = SQL(
    """
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
      (SELECT count(*) FROM failed_attempts)
    """)
  /// Leaves so many, the newest.
  private static let trim = SQL(
    """
    DELETE FROM failed_attempts WHERE last <=
      (SELECT last FROM failed_attempts ORDER BY last DESC OFFSET $1 LIMIT 1)
    """)
}

extension Row {
  fileprivate var attempts: (AttemptKey, FailedAttempts) {
    (
      AttemptKey(digest: bytes(0)),
      FailedAttempts(count: Int(integer(1)), last: integer(2), until: integer(3))
    )
  }
}
