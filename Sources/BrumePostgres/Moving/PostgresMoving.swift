// A database while its store is moved to another engine, or filled from one. No server uses it meanwhile: this
// holds the lock of the store alone.

import BrumeModel
package import BrumeStorage

/// One database, locked for the move.
package final class PostgresMoving: StoreImport {
  package let engineName = "PostgreSQL"
  package let bucketCount: Int
  private let connection: Connection
  private let session: Session
  private let places: Places
  private let export: PostgresExport
  private var writer: MovedRowWriter?

  /// - Parameters:
  ///   - url: as for `PostgresStore`.
  ///   - isSource: whether it is read only: it has to be there, and nothing is made or changed in it.
  ///   - buckets: into how many buckets a new store is divided.
  ///   - acceptsLoss: whether a server that may lose what it has confirmed is accepted, for tests.
  /// - Throws: `StoreError`: the server cannot be reached or will not do, or a server uses the store.
  package init(
    url: String, isSource: Bool = false, buckets: Int = PostgresStore.bucketsOfNewStore,
    acceptsLoss: Bool = false
  ) throws {
    do {
      connection = try Connection(ConnectionSettings(url))
      // Before its tables are brought to a newer version under the eyes of a server.
      try Self.lock(connection)
      if isSource { try Migrations.requireNewest(on: connection) }
      let opened = try Opening(connection, buckets: buckets, acceptsLoss: acceptsLoss)
      // A store that was made now.
      try Self.lock(connection)
      bucketCount = opened.bucketCount
      export = try PostgresExport(connection, bucketCount: bucketCount)
    } catch let error as ServerError {
      throw error.storeError
    }
    session = Session(connection)
    places = Places(session, PlaceNumbers(), bucketCount: bucketCount)
  }

  /// Nothing as long as there is no store.
  private static func lock(_ connection: Connection) throws {
    guard try StoreLock.own(connection) else {
      throw StoreError(
        .inUse, "a server uses the database, or another migration; stop all of them first")
    }
  }

  // MARK: Reading

  package func rows(of table: MovedTable) throws -> any MovedRows { try export.rows(of: table) }
  package func outline() throws -> StoreOutline { try export.outline() }
  package func logPlaces() throws -> [LogPlace] { try export.logPlaces() }

  package func note() throws -> String? {
    try export.reading {
      try export.ask(Self.findNote).first.map { String(decoding: $0.bytes(0), as: UTF8.self) }
    }
  }

  /// - Throws: `StoreError` if a move into the store was not finished: a server would find a part of it.
  static func requireFinished(_ connection: Connection) throws {
    try connection.send(findNote)
    guard try connection.exchange().first?.count == 0 else {
      throw StoreError(
        .inUse,
        "the database holds an unfinished migration or restore; finish it with the same 'brume migrate' or "
          + "'brume restore', or empty it")
    }
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
    let last = try export.reading { try export.ask(Self.lastPosition).first?.integer(0) }
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
      session.remove(
        [.integer(PostgresSettings.noBucket), .text(Self.noteName)], from: PostgresSettings.table)
    }
    try translatingErrors { try connection.simple(Self.analyze) }
  }

  private func set(_ name: String, _ value: [UInt8], bucket: Int64 = PostgresSettings.noBucket) {
    session.put([.integer(bucket), .text(name), .bytes(value)], in: PostgresSettings.table)
  }

  private func transaction(_ body: () throws -> Void) throws {
    try translatingErrors {
      try export.endReading()
      session.begin(Self.begin)
      do {
        try body()
        session.accept()
        try session.commit()
      } catch {
        session.discard()
        places.failed()
        try? session.end()
        throw error
      }
      places.committed()
    }
  }
}

// MARK: Statements

extension PostgresMoving {
  /// The planner's statistics of all that is new; the database may hold more than this store.
  private static let analyze = """
    DO $$ DECLARE name text; BEGIN
      FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() LOOP
        EXECUTE format('ANALYZE %I', name);
      END LOOP;
    END $$
    """
  private static let begin = SQL("BEGIN")
  private static let noteName = "move"
  static let findNote = SQL(
    "SELECT value FROM settings WHERE bucket = -1 AND name = '\(noteName)'")
  private static let setMail = SQL("UPDATE mail SET last = $1")
  private static let setFloor = SQL("UPDATE store SET sequence_floor = $1")
  private static let lastPosition = SQL(
    """
    SELECT greatest((SELECT max(position) FROM mailbox),
      (SELECT max(position) FROM kept_notifications))
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
