// A data folder's database while it is moved to another engine, or filled from one. No server has the folder
// meanwhile: this takes the same lock.

import BrumeModel
package import BrumeStorage
import GRDB
package import Logging
import Synchronization

/// One data folder's database, locked for the move.
package final class SQLiteMoving: StoreImport {
  package let engineName = "SQLite"
  package let bucketCount = 1
  private let database: Database
  private let connection: Connection
  private let numbers: DatabaseNumbers
  private let export: SQLiteExport
  private var writer: MovedRowWriter?

  private init(_ database: Database) {
    self.database = database
    connection = Connection(database, DamagedRows())
    numbers = DatabaseNumbers(connection)
    export = SQLiteExport(database, connection)
  }

  /// Runs `body` with the database of a folder. The tables of a new one are made; others have to be of this version.
  ///
  /// - Parameter isNew: whether the folder and the database are made if they are missing.
  /// - Throws: `StoreError` with `inUse` if a server uses the folder, or what `body` threw.
  package static func run<Value>(
    folder: String, isNew: Bool, logger: Logger, _ body: (SQLiteMoving) throws -> Value
  ) throws -> Value {
    let path = folder + "/brume.sqlite"
    if isNew { try FolderLock.makeFolder(folder) }
    let lock = Mutex<FolderLock?>(try FolderLock(folder: folder))
    defer { lock.withLock { $0 = nil } }
    if isNew { _ = OwnerOnly.makeFile(path) }
    for complaint in OwnerOnly.tighten(folder) { logger.warning("\(complaint)") }
    return try translatingErrors {
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      defer { try? queue.close() }
      return try queue.inDatabase { database in
        try open(database, isNew: isNew)
        let moving = SQLiteMoving(database)
        defer { moving.close() }
        return try body(moving)
      }
    }
  }

  private static func open(_ database: Database, isNew: Bool) throws {
    // A folder that was named by mistake is refused with what its own program can read still in it.
    let isOurs = try Migrations.isNew(database) || isEmpty(database) || (try? note(database)) != nil
    if !isNew || !isOurs { try Migrations.requireNewest(database) }
    _ = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
    try database.execute(sql: "PRAGMA synchronous = FULL")
    try Durability.read(from: database).prove()
    try Migrations.run(on: database)
  }

  /// No server had it: each leaves a setting at its first start. An earlier attempt may have died while it made tables.
  private static func isEmpty(_ database: Database) throws -> Bool {
    try Bool.fetchOne(database, sql: "SELECT NOT EXISTS (SELECT 1 FROM settings)") ?? false
  }

  /// SQLite does not close a connection that has statements.
  private func close() {
    writer = nil
    export.close()
  }

  /// Of who writes while no server runs.
  static var configuration: Configuration {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { RowSums.install(on: $0.sqliteConnection) }
    return configuration
  }

  // MARK: Reading

  package func rows(of table: MovedTable) throws -> any MovedRows { try export.rows(of: table) }
  package func outline() throws -> StoreOutline { try export.outline() }
  package func logPlaces() throws -> [LogPlace] { try export.logPlaces() }

  // MARK: Writing

  package func note() throws -> String? { try Self.note(database) }

  /// - Throws: `StoreError` if a move into the database was not finished: a server would find a part of it.
  static func requireFinished(_ database: Database) throws {
    guard try note(database) != nil else { return }
    throw StoreError(
      .inUse,
      "the data folder holds an unfinished migration or restore; finish it with the same 'brume migrate' or "
        + "'brume restore', or remove 'brume.sqlite' and begin anew")
  }

  private static func note(_ database: Database) throws -> String? {
    try SQLiteSettings.own(noteName, in: database)
  }

  package func prepare(_ source: StoreOutline, note: String) throws {
    let start = MovedRowWriter.start(source)
    try transaction {
      try set(Self.noteName, note)
      // The server's first start begins above all that was ever given.
      try set(StoreRuns.names.start, String(start))
    }
    try resume(source)
  }

  package func resume(_ source: StoreOutline) throws {
    writer = try MovedRowWriter(connection, numbers, source)
  }

  package func put(_ rows: [MovedRow], note: String) throws {
    guard let writer else { throw StoreError.closed }
    numbers.bodyBegins()
    try transaction {
      for row in rows { try writer.put(row) }
      try set(Self.noteName, note)
    }
  }

  package func finish(_ ending: MoveEnding) throws {
    try transaction {
      for (bucket, cursor) in ending.cursors {
        try set(SQLiteSettings.name(of: .notifierCursor(bucket)), bytes: cursor)
      }
      if ending.sequenceFloor > 0 {
        try set(SQLiteSequences.floorName, String(ending.sequenceFloor))
      }
      try set(SQLiteSettings.name(of: .copiedBack), bytes: Array(ending.reason.utf8))
      try connection.run(SQLiteSettings.remove) { $0.bind(1, Self.noteName) }
    }
  }

  private func transaction(_ body: () throws -> Void) throws {
    export.endReading()
    try database.inTransaction(.immediate) {
      try body()
      return .commit
    }
  }

  // MARK: The engine's own settings

  private func set(_ name: String, _ value: String) throws {
    try connection.run(SQLiteSettings.put) {
      $0.bind(1, name)
      $0.bind(2, value)
    }
  }

  private func set(_ name: String, bytes: [UInt8]) throws {
    try connection.run(SQLiteSettings.put) {
      $0.bind(1, name)
      $0.bind(2, bytes)
    }
  }

  private static let noteName = "move"
}
