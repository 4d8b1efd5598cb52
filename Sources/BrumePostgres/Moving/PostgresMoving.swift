// A database while its store is moved to another engine, or filled from one. No server uses it meanwhile: this
// holds the lock of the store alone.

import BrumeModel
package import BrumeStorage

package final class PostgresMoving: StoreImport {
  package let engineName = "PostgreSQL"
  package let bucketCount: Int
  private let connection: Connection
  private let session: Session
  private let places: Places
  private var writer: MovedRowWriter?
  private var isReading = false

  /// - Parameters:
  ///   - url: as for `PostgresStore`.
  ///   - buckets: into how many buckets a new store is divided.
  ///   - acceptsLoss: whether a server that may lose what it has confirmed is accepted, for tests.
  /// - Throws: `StoreError`: the server cannot be reached or will not do, or a server uses the store.
  package init(url: String, buckets: Int = 256, acceptsLoss: Bool = false) throws {
    do {
      connection = try Connection(ConnectionSettings(url))
      let opened = try Opening(connection, buckets: buckets, acceptsLoss: acceptsLoss)
      guard try StoreLock.own(connection) else {
        throw StoreError(
          .inUse, "a server uses the database, or another migration; stop all of them first")
      }
      bucketCount = opened.bucketCount
      // Here large results are sorted, and nobody waits.
      try connection.simple(Self.settings)
    } catch let error as ServerError {
      throw error.storeError
    }
    session = Session(connection)
    places = Places(session, PlaceNumbers(), bucketCount: bucketCount)
  }

  // MARK: Reading

  package func rows(of table: MovedTable) throws -> any MovedRows {
    try translatingErrors {
      try endReading()
      try connection.simple(
        """
        BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
        DECLARE \(table.cursor) NO SCROLL CURSOR FOR \(table.postgresSelect)
        """)
      isReading = true
      return PostgresMovedRows(table, connection)
    }
  }

  private func endReading() throws {
    if isReading { try connection.simple("ROLLBACK") }
    isReading = false
  }

  package func outline() throws -> StoreOutline {
    try reading {
      StoreOutline(
        identity: try ask(Self.identity).first?.text(0) ?? "",
        sequenceFloor: try ask(Places.findFloor).first?.integer(0) ?? 0,
        lastDelivery: try ask(Self.lastDelivery).first?.integer(0) ?? 0, cursors: try cursors(),
        log: try ask(Self.log).map { row in
          try LogPlace(
            bucket: row.integer(0), position: row.integer(1),
            in: (row.text(2), row.text(3), row.text(4)), time: row.integer(5))
        })
    }
  }

  private func cursors() throws -> [Bucket: [UInt8]] {
    try ask(Self.cursors).map { (Bucket(Int($0.integer(0))), $0.bytes(1)) }
      .reduce(into: [:]) { $0[$1.0] = $1.1 }
  }

  package func note() throws -> String? {
    try reading {
      try ask(Self.findNote).first.map { String(decoding: $0.bytes(0), as: UTF8.self) }
    }
  }

  /// - Throws: `StoreError` if a move into the store was not finished: a server would find a part of it.
  static func requireFinished(_ connection: Connection) throws {
    try connection.send(findNote)
    guard try connection.exchange().first?.count == 0 else {
      throw StoreError(
        .inUse,
        "the database holds an unfinished migration; finish it with 'brume migrate', or empty it")
    }
  }

  private func reading<Value>(_ body: () throws -> Value) throws -> Value {
    try translatingErrors {
      try endReading()
      return try body()
    }
  }

  private func ask(_ sql: SQL) throws -> Rows {
    try connection.send(sql)
    guard let rows = try connection.exchange().first else { throw StoreError.closed }
    return rows
  }

  // MARK: Writing

  package func prepare(_ source: StoreOutline, note: String) throws {
    try transaction {
      set(Self.noteName, Array(note.utf8))
      session.run(Self.setMail, [.integer(MovedRowWriter.lastDelivery(source))])
      // Databases that a row names before its own row are made with it.
      session.run(Self.setFloor, [.integer(source.sequenceFloor)])
    }
    try resume(source)
  }

  package func resume(_ source: StoreOutline) throws {
    let last = try reading { try ask(Self.lastPosition).first?.integer(0) }
    writer = MovedRowWriter(session, places, source, lastDelivery: last ?? 0)
  }

  package func put(_ rows: [MovedRow], note: String) throws {
    guard let writer else { throw StoreError.closed }
    try transaction {
      for row in rows { try writer.put(row) }
      set(Self.noteName, Array(note.utf8))
    }
  }

  package func finish(_ ending: MoveEnding) throws {
    try transaction {
      for (bucket, cursor) in ending.cursors {
        set(SettingKey.notifierCursor(bucket).text, cursor, bucket: Int64(bucket.number))
      }
      set(SettingKey.copiedBack.text, Array(ending.reason.utf8))
      for statement in Self.counts { session.run(statement) }
      session.remove([.integer(Self.noBucket), .text(Self.noteName)], from: Self.settingsTable)
    }
    try translatingErrors { try connection.simple(Self.analyze) }
  }

  private func set(_ name: String, _ value: [UInt8], bucket: Int64 = noBucket) {
    session.put([.integer(bucket), .text(name), .bytes(value)], in: Self.settingsTable)
  }

  private func transaction(_ body: () throws -> Void) throws {
    try translatingErrors {
      try endReading()
      session.begin(Self.begin)
      do {
        try body()
        session.accept()
        try session.commit()
      } catch {
        session.discard()
        places.forget()
        try? session.end()
        throw error
      }
      places.committed()
    }
  }
}

/// The server's errors as the port's.
private func translatingErrors<Value>(_ body: () throws -> Value) throws -> Value {
  do {
    return try body()
  } catch let error as ServerError {
    throw error.storeError
  }
}

// MARK: Statements

extension PostgresMoving {
  private static let settings = """
    SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0;
    RESET enable_seqscan; RESET enable_hashjoin; RESET enable_mergejoin; RESET plan_cache_mode;
    SET work_mem = '64MB'
    """
  /// The planner's statistics of all that is new; the database may hold more than this store.
  private static let analyze = """
    DO $$ DECLARE name text; BEGIN
      FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() LOOP
        EXECUTE format('ANALYZE %I', name);
      END LOOP;
    END $$
    """
  private static let begin = SQL("BEGIN")
  private static let noBucket: Int64 = -1
  private static let noteName = "move"
  static let settingsTable = Table(
    "settings", key: [("bucket", .integer), ("name", .text)], columns: [("value", .bytes)])
  private static let findNote = SQL(
    "SELECT value FROM settings WHERE bucket = -1 AND name = '\(noteName)'")
  private static let setMail = SQL("UPDATE mail SET last = $1")
  private static let setFloor = SQL("UPDATE store SET sequence_floor = $1")
  /// Each group of writes counts its writer's row up.
  private static let identity = SQL(
    """
    SELECT concat_ws(' ', 'postgres', to_regclass('store')::oid, count(*), min(name),
      sum(last_commit)) FROM writers
    """)
  private static let lastPosition = SQL(
    """
    SELECT greatest((SELECT max(position) FROM mailbox),
      (SELECT max(position) FROM kept_notifications))
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
  /// What this engine counts beside its rows.
  private static let counts =
    [
      "UPDATE used_signature_count SET used = (SELECT count(*) FROM used_signatures)",
      """
      INSERT INTO inboxes (\(AccountKey.names), kept)
      SELECT \(AccountKey.names), count(*) FROM kept_notifications GROUP BY \(AccountKey.names)
      """,
      """
      UPDATE buckets SET last = found.last
      FROM (SELECT bucket, max(position) AS last FROM log GROUP BY bucket) AS found
      WHERE buckets.bucket = found.bucket
      """,
    ].map { SQL($0) }
    + [
      ("subscriptions", "serial"), ("apns_senders", "serial"), ("push_log", "position"),
      ("audit", "position"),
    ].map {
      SQL(
        """
        SELECT setval(pg_get_serial_sequence('\($0)', '\($1)'), max(\($1))) FROM \($0)
        HAVING max(\($1)) IS NOT NULL
        """)
    }
}
