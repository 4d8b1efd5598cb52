// A SQLite store that is read from its first row to its last: by a move, which has the database alone, or by a
// backup, in one read transaction beside a server.

import BrumeModel
package import BrumeStorage
import GRDB

/// The database of a data folder, read beside the server that has it open.
package enum SQLiteSnapshot {
  /// Runs `body` with one state of the database, on the calling thread. Nothing is written into the folder.
  ///
  /// - Throws: what `body` threw; `StoreError` if there is no database that this version can read.
  package static func run<Value>(
    of folder: String, _ body: (any StoreExport) throws -> Value
  ) throws -> Value {
    try SQLiteExport.withSnapshot(of: folder + "/brume.sqlite") { try body($0) }
  }
}

final class SQLiteExport: StoreExport {
  let engineName = "SQLite"
  let bucketCount = 1
  private let database: Database
  private let connection: Connection
  private var reading: SQLiteMovedRows?

  init(_ database: Database, _ connection: Connection) {
    self.database = database
    self.connection = connection
  }

  /// Runs `body` with one state of a database that a server has open, on the calling thread. Until it ends the
  /// write-ahead log grows: what the state needs is not written over.
  static func withSnapshot<Value>(
    of path: String, _ body: (SQLiteExport) throws -> Value
  ) throws -> Value {
    try translatingErrors {
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      defer { try? queue.close() }
      return try queue.inDatabase { database in
        try Migrations.requireNewest(database)
        try database.execute(sql: "BEGIN DEFERRED")
        defer { try? database.execute(sql: "ROLLBACK") }
        let export = SQLiteExport(database, Connection(database, DamagedRows()))
        defer { export.close() }
        return try body(export)
      }
    }
  }

  /// Of who only reads, beside a server.
  static var configuration: Configuration {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { RowSums.install(on: $0.sqliteConnection) }
    return configuration
  }

  /// SQLite does not close a connection that has statements.
  func close() {
    endReading()
    connection.forgetStatements()
  }

  func endReading() { reading = nil }

  func rows(of table: MovedTable) throws -> any MovedRows {
    endReading()
    let rows = SQLiteMovedRows(
      table, try database.makeStatement(sql: table.sqliteSelect),
      count: try table.sqliteCount.map { try database.makeStatement(sql: $0) })
    reading = rows
    return rows
  }

  func outline() throws -> StoreOutline {
    let starts = try setting(StoreRuns.names.start).flatMap { Int64($0) } ?? 0
    return StoreOutline(
      identity: try identity(),
      sequenceFloor: try setting(SQLiteSequences.floorName).flatMap { Int64($0) } ?? 0,
      lastDelivery: (starts + 1) * DeliveryPositions.perStart, cursors: try cursors())
  }

  func logPlaces() throws -> [LogPlace] {
    try connection.all(Self.log) { row in
      try LogPlace(
        bucket: 0, position: row.int(0), in: (row.text(1), row.text(2), row.text(3)),
        time: row.int(4))
    }
  }

  /// Which store it is, which start of it was the last, and how far that came.
  private func identity() throws -> String {
    let newest = try connection.first(Self.lastPosition) { $0.int(0) } ?? 0
    let names = [StoreRuns.names.store, StoreRuns.names.runID, SQLiteLog.lastPositionName]
    return (["sqlite"] + (try names.map { try setting($0) ?? "-" }) + [String(newest)])
      .joined(separator: " ")
  }

  private func cursors() throws -> [Bucket: [UInt8]] {
    let cursor = try setting(SQLiteSettings.name(of: .notifierCursor(.only))) { $0.blob(0) }
    return cursor.map { [.only: $0] } ?? [:]
  }

  private func setting(_ name: String) throws -> String? { try setting(name) { $0.text(0) } }

  private func setting<Value>(_ name: String, _ value: (Prepared) -> Value) throws -> Value? {
    try connection.first(SQLiteSettings.find, { $0.bind(1, name) }) { row in
      guard row.bool(1) else {
        throw connection.damage(.settings, "'\(name)'", "the setting '\(name)'")
      }
      return value(row)
    }
  }

  private static let lastPosition = SQL("SELECT max(position) FROM log")
  private static let log = SQL(
    """
    SELECT position, container, environment, owner, time FROM
      (SELECT position, database, time FROM log) AS entry
      JOIN databases ON databases.id = entry.database ORDER BY position
    """)
}
