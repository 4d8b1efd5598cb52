// A row of its own for each writing connection, with the number of the last group that it committed. Whoever
// loses the connection in a commit reads there whether the group is in the store: PostgreSQL itself does
// not say so. On Citus it has a row in each bucket that it has written to.

import BrumeStorage

final class WriterRow {
  private let name: String
  private let acknowledgements: Acknowledgements
  private let acceptsLoss: Bool
  private var number: Int64 = 0
  /// On Citus: where the row of the last group is.
  private var bucket: Int64?
  /// What the row said when a connection was taken last.
  private var found: Int64 = 0

  /// - Parameters:
  ///   - name: of this connection's thread in this process, never used before.
  ///   - acceptsLoss: whether a server that may lose what it has confirmed will do.
  init(name: String, _ acknowledgements: Acknowledgements, acceptsLoss: Bool) {
    self.name = name
    self.acceptsLoss = acceptsLoss
    self.acknowledgements = acknowledgements
  }

  /// Takes a new connection: ends the session on the one before, which the server may not miss yet and which
  /// may still commit, and reads what became of the last group.
  ///
  /// - Throws: `StoreError` with `unavailable` if commits are missing that were acknowledged.
  func take(_ connection: Connection) throws {
    try connection.send(Self.setName, [.text(name)])
    try connection.send(Self.endOthers)
    _ = try connection.exchange()
    try acknowledgements.check(on: connection)
    if !connection.isOnCitus { try connection.send(Self.add, [.text(name)]) }
    try find(on: connection)
  }

  /// What became of the last group, as any connection can ask.
  func find(on connection: Connection) throws(ServerError) {
    // On Citus there is no row before the first group.
    guard bucket != nil || !connection.isOnCitus else { return }
    try connection.send(Self.find, values)
    found = try connection.exchange().last?.first?.integer(0) ?? 0
  }

  /// Notes the next group, behind its locks: from its answer on, the row is locked until the transaction has ended.
  ///
  /// - Parameter locks: of the group. On Citus the row is with one of them, so that a commit on one worker is enough.
  func question(_ locks: [Locks.Lock], onCitus: Bool) -> Question {
    number += 1
    bucket = onCitus ? locks.last?.bucket ?? Locks.server.bucket : nil
    return Question(Self.note, values + [.integer(number)]) { [acceptsLoss] rows in
      guard let row = rows.first else {
        throw StoreError(.corrupt, "the row of a writing connection is gone")
      }
      if !onCitus, !acceptsLoss, !row.isTrue(1) { throw Durability.isSetOff }
    }
  }

  /// The row's key.
  private var values: [SQLValue] { (bucket.map { [.integer($0)] } ?? []) + [.text(name)] }

  /// The commit of the last group was answered.
  func committed() { acknowledgements.note(name, number, in: bucket) }

  /// After its answer was lost and a new connection was taken: whether the last group is in the store.
  var isCommitted: Bool { found == number }

  /// What the names of sessions that write begin with; the process's follows, and a number.
  static let application = "brume "
  private static let setName = SQL(
    "SELECT set_config('application_name', '\(application)' || $1, false)")
  private static let endOthers = SQL(
    """
    SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE application_name = current_setting('application_name') AND pid <> pg_backend_pid()
      AND usename = current_user
    """)
  private static let add = SQL(
    "INSERT INTO writers (name, last_commit) VALUES ($1, 0) ON CONFLICT (name) DO NOTHING")
  // What a session cannot keep for itself is looked at each time: a server may be set otherwise while it runs.
  private static let note = SQL(
    """
    UPDATE writers SET last_commit = $2, made = now() WHERE name = $1
    RETURNING last_commit, current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on'
    """,
    onCitus: """
      INSERT INTO commits (bucket, writer, last_commit, made) VALUES ($1, $2, $3, now())
      ON CONFLICT (bucket, writer) DO UPDATE SET last_commit = excluded.last_commit, made = excluded.made
      RETURNING last_commit
      """,
    rows: .ofBucket)
  // It waits for the end of a session that has noted a group. On Citus that may have been the first with this row, which an
  // update would not find.
  private static let find = SQL(
    "UPDATE writers SET last_commit = last_commit WHERE name = $1 RETURNING last_commit",
    onCitus: """
      INSERT INTO commits (bucket, writer, last_commit, made) VALUES ($1, $2, 0, now())
      ON CONFLICT (bucket, writer) DO UPDATE SET last_commit = commits.last_commit
      RETURNING last_commit
      """)
}
