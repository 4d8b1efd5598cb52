// A PostgreSQL store that is read from its first row to its last: by a move, which has the store alone, or by a
// backup, in one transaction beside the servers.

import BrumeModel
import BrumeStorage

final class PostgresExport: StoreExport {
  let engineName = "PostgreSQL"
  let bucketCount: Int
  private let connection: Connection
  /// Whether all is read in one transaction, and not in one for each table.
  private let isSnapshot: Bool
  /// Of the table that is being read.
  private var cursor: String?

  /// - Parameter isSnapshot: whether one transaction, begun now, lasts as long as the connection.
  init(_ connection: Connection, bucketCount: Int, isSnapshot: Bool = false) throws(ServerError) {
    self.connection = connection
    self.bucketCount = bucketCount
    self.isSnapshot = isSnapshot
    // Here large results are sorted, and nobody waits.
    connection.waitForAnyAnswer()
    try connection.simple(Self.settings)
    if isSnapshot { try connection.simple(Self.begin) }
  }

  func rows(of table: MovedTable) throws -> any MovedRows {
    try translatingErrors {
      try endReading()
      let begin = isSnapshot ? "" : "\(Self.begin); "
      try connection.simple(
        "\(begin)DECLARE \(table.cursor) NO SCROLL CURSOR FOR "
          + table.postgresSelect(onCitus: connection.isOnCitus))
      cursor = table.cursor
      return PostgresMovedRows(table, connection)
    }
  }

  func endReading() throws(ServerError) {
    guard let cursor else { return }
    try connection.simple(isSnapshot ? "CLOSE \(cursor)" : "ROLLBACK")
    self.cursor = nil
  }

  func outline() throws -> StoreOutline {
    try reading {
      StoreOutline(
        identity: try ask(Self.identity).first?.text(0) ?? "",
        sequenceFloor: try ask(Places.findFloor).first?.integer(0) ?? 0,
        lastDelivery: try ask(Self.lastDelivery).first?.integer(0) ?? 0, cursors: try cursors())
    }
  }

  func logPlaces() throws -> [LogPlace] {
    try reading {
      try ask(Self.log).map { row in
        try LogPlace(
          bucket: row.integer(0), position: row.integer(1),
          in: (row.text(2), row.text(3), row.text(4)), time: row.integer(5))
      }
    }
  }

  private func cursors() throws -> [Bucket: [UInt8]] {
    try ask(Self.cursors).map { (Bucket(Int($0.integer(0))), $0.bytes(1)) }
      .reduce(into: [:]) { $0[$1.0] = $1.1 }
  }

  func reading<Value>(_ body: () throws -> Value) throws -> Value {
    try translatingErrors {
      try endReading()
      return try body()
    }
  }

  func ask(_ sql: SQL) throws -> Rows {
    try connection.send(sql)
    guard let rows = try connection.exchange().first else { throw StoreError.closed }
    return rows
  }
}

// MARK: Statements

extension PostgresExport {
  private static let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
  private static let settings = """
    SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0;
    RESET enable_seqscan; RESET enable_hashjoin; RESET enable_mergejoin; RESET plan_cache_mode;
    SET work_mem = '64MB'
    """
  /// Each group of writes counts its writer's row up.
  private static let identity = SQL(
    """
    SELECT concat_ws(' ', 'postgres', \(Migrations.store)::oid, count(*), min(name),
      sum(last_commit)) FROM writers
    """,
    onCitus: """
      SELECT concat_ws(' ', 'postgres', \(Migrations.store)::oid, count(*), min(writer), sum(last_commit))
      FROM commits
      """)
  private static let lastDelivery = SQL("SELECT max(last) FROM mail")
  private static let cursors = SQL(
    "SELECT bucket, value FROM settings WHERE bucket >= 0 AND name LIKE 'notifier-cursor%'")
  private static let log = SQL(
    """
    SELECT log.bucket, position, databases.container, databases.environment, owner, time FROM log
      JOIN databases ON databases.bucket = log.bucket AND databases.id = log.database
    ORDER BY log.bucket, position
    """)
}
