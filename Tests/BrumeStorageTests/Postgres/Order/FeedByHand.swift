// Feeds as one would write them at first, with SQL of the tests alone: they lose order, and the trial must see it.

import BrumeStorage

@testable import BrumePostgres

struct FeedByHand: OrderedFeed {
  enum Reading: CaseIterable {
    /// Positions are from a sequence, and whoever reads goes on after the last position.
    case byGlobalSequence
    /// In the order of transaction numbers, as far as all transactions have ended.
    case byHorizon
  }
  struct Cursor { var transaction: Int64 = 0, position: Int64 = 0 }

  let reading: Reading
  let start = Cursor()
  private let writers: [HeldConnection]
  private let readers: [HeldConnection]

  init(_ reading: Reading, url: String, keys: Range<Int> = 0..<5) throws {
    self.reading = reading
    let connect = {
      let connection = try Connection.forTest(url)
      // A test may be slower than a server.
      try connection.simple("SET idle_in_transaction_session_timeout = 0")
      return HeldConnection(connection)
    }
    let connection = try connect()
    try connection.value.simple(Self.tables)
    for key in keys { try connection.value.simple("INSERT INTO keys VALUES (\(key), 0)") }
    writers = try (0..<OrderTrial.writers).map { _ in try connect() }
    readers = try (0..<OrderTrial.readers).map { _ in try connect() }
  }

  /// Each writer takes another time before it has its key and before it commits, as transactions do that have
  /// more to do.
  func save(_ key: Int, as writer: Int) async throws {
    let connection = writers[writer]
    try await EngineThread.run {
      let connection = connection.value
      try connection.send(Self.begin)
      try connection.send(Self.number)
      try connection.send(Self.sleep, [.integer(Int64(writer * 3 % 4))])
      try connection.send(Self.save, [.integer(Int64(key))])
      try connection.send(Self.sleep, [.integer(Int64(writer % 4))])
      try connection.send(Self.commit)
      _ = try connection.exchange()
    }
  }

  /// The same in steps, for a test that says whose comes first: a transaction that has its number,
  func begin(as writer: Int) throws { try run([(Self.begin, []), (Self.number, [])], writer) }
  /// a save in it,
  func put(_ key: Int, as writer: Int) throws { try run([(Self.save, [.integer(key)])], writer) }
  /// and its commit.
  func commit(as writer: Int) throws { try run([(Self.commit, [])], writer) }

  private func run(_ commands: [Connection.Command], _ writer: Int) throws {
    let connection = writers[writer].value
    for command in commands { try connection.send(command.sql, command.values) }
    _ = try connection.exchange()
  }

  func lines(after cursor: inout Cursor, as reader: Int) async throws -> [FollowedFeed.Line] {
    let (connection, before, reading) = (readers[reader], cursor, reading)
    let rows = try await EngineThread.run {
      let connection = connection.value
      switch reading {
      case .byGlobalSequence: try connection.send(Self.bySequence, [.integer(before.position)])
      case .byHorizon:
        let values: [SQLValue] = [.integer(before.transaction), .integer(before.position)]
        try connection.send(Self.byHorizon, values)
      }
      return try connection.exchange()[0].map { row in (0..<4).map { row.integer($0) } }
    }
    if let last = rows.last { cursor = Cursor(transaction: last[0], position: last[1]) }
    return rows.map { FollowedFeed.Line(position: $0[1], key: Int($0[2]), version: $0[3]) }
  }

  private static let tables = """
    CREATE TABLE keys (key bigint PRIMARY KEY, version bigint NOT NULL);
    CREATE TABLE feed (
      position bigserial PRIMARY KEY, transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
      key bigint NOT NULL, version bigint NOT NULL)
    """
  private static let begin = SQL("BEGIN")
  private static let commit = SQL("COMMIT")
  private static let number = SQL("SELECT pg_current_xact_id()::text")
  private static let sleep = SQL("SELECT pg_sleep($1::bigint / 1000.0)::text")
  private static let save = SQL(
    """
    WITH next AS (UPDATE keys SET version = version + 1 WHERE key = $1::bigint RETURNING key, version)
    INSERT INTO feed (key, version) SELECT key, version FROM next
    """)
  private static let bySequence = SQL(
    """
    SELECT 0::bigint, position, key, version FROM feed WHERE position > $1::bigint ORDER BY position
    """)
  private static let byHorizon = SQL(
    """
    SELECT transaction::text::bigint, position, key, version FROM feed
    WHERE transaction < pg_snapshot_xmin(pg_current_snapshot())
      AND (transaction::text::bigint, position) > ($1::bigint, $2::bigint)
    ORDER BY transaction, position
    """)
}

/// A connection that one task at a time uses.
private final class HeldConnection: @unchecked Sendable {
  // Sendable because the trial's tasks each have one of their own.
  let value: Connection
  init(_ value: Connection) { self.value = value }
}
