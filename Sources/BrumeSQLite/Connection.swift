// One SQLite connection of GRDB's, with the few ways in which this engine runs statements. It
// remembers the first failure of the storage below, because after one nothing may be committed.

import BrumeModel
import BrumeStorage
import CLogPieces
import GRDB
import GRDBSQLite

final class Connection {
  private let database: Database
  /// With their texts, so that no other text comes to have the identity of one that is gone.
  private var prepared: [ObjectIdentifier: (sql: SQL, statement: Statement)] = [:]
  /// The first failure since `forgetFailure`.
  private(set) var failure: StorageFailure?
  /// Pages in the write-ahead log after the last commit of this connection.
  private(set) var pagesInLog = 0
  private var waitsForDisk = true
  private var gathersLog = false
  /// Asked before each statement of a body that gives way to others, and each row; nil: it goes on to its end.
  var shouldGiveWay: (() -> Bool)?
  /// Whether it has: its work is to be undone, whatever it answers.
  private(set) var hasGivenWay = false
  /// Where rows that do not fit their checksums are noted.
  let damaged: DamagedRows

  init(_ database: Database, _ damaged: DamagedRows) {
    self.database = database
    self.damaged = damaged
  }

  /// Counts the pages of the write-ahead log from now on. The connection must live as long as
  /// SQLite's own.
  func watchLog() {
    sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        let connection = context.map { Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue() }
        connection?.pagesInLog = Int(pages)
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Stops what `watchLog` began.
  func unwatchLog() { sqlite3_wal_hook(handle, nil, nil) }

  /// Writes each commit's part of the log in one piece from now on, as long as commits wait for the disk.
  func gatherLog() throws {
    guard brume_log_pieces_gather(handle, waitsForDisk ? 1 : 0) == SQLITE_OK else {
      throw StoreError(.unavailable, "SQLite has no layer of ours under its files")
    }
    gathersLog = true
  }

  /// Copies what it can of the log into the database. What is left is tried after a later commit.
  func checkpoint() -> LogCopy {
    LogCopy(
      code: sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil))
  }

  /// Whether commits from now on wait until the disk has them. Not inside a transaction.
  ///
  /// SQLite carries this out while it compiles the text, so a prepared statement would do nothing.
  func waitForDisk(_ waits: Bool) throws {
    guard waits != waitsForDisk else { return }
    let level = waits ? "FULL" : "NORMAL"
    guard sqlite3_exec(handle, "PRAGMA synchronous = \(level)", nil, nil, nil) == SQLITE_OK else {
      throw failed(sqlite3_extended_errcode(handle))
    }
    waitsForDisk = waits
    if gathersLog { try gatherLog() }
  }

  /// Ends statements of the running task when it is cancelled, until `body` returns: nobody waits for
  /// them any more.
  func cancellable<Value>(_ body: () throws -> Value) throws -> Value {
    sqlite3_progress_handler(handle, Self.stepsBetweenLooks, { _ in Task.isCancelled ? 1 : 0 }, nil)
    defer { sqlite3_progress_handler(handle, 0, nil, nil) }
    return try body()
  }

  /// Ours: steps of SQLite's machine, well below a millisecond.
  private static let stepsBetweenLooks: Int32 = 4000

  func forgetFailure() { (failure, hasGivenWay) = (nil, false) }

  /// Lets go of all statements: SQLite does not close a connection that has some.
  func forgetStatements() { prepared = [:] }

  /// Outside a transaction. SQLite itself leaves one after some failures.
  var isIdle: Bool { sqlite3_get_autocommit(handle) != 0 }
  /// Rows changed since the connection was opened.
  var totalChanges: Int64 { sqlite3_total_changes64(handle) }
  var lastRowID: Int64 { sqlite3_last_insert_rowid(handle) }
  /// Pages that were looked for in the connection's cache and not found, since it was opened. What a
  /// query costs a disk, counted in what is the same on every machine.
  var pagesRead: Int {
    var (count, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_MISS, &count, &highest, 0)
    return Int(count)
  }

  /// Steps that SQLite's machine took for the statements that are prepared. What a request costs the store, counted in
  /// what is the same on every machine.
  var stepsTaken: Int {
    var count = 0
    var statement = sqlite3_next_stmt(handle, nil)
    while let known = statement {
      count += Int(sqlite3_stmt_status(known, SQLITE_STMTSTATUS_VM_STEP, 0))
      statement = sqlite3_next_stmt(handle, known)
    }
    return count
  }

  /// How SQLite carries out the constant statements that are prepared, by their texts; without those that are known.
  func plans(but known: Set<String>) -> [String: [String]] {
    let texts = Set(prepared.values.map { $0.sql.text }).subtracting(known)
    return Dictionary(uniqueKeysWithValues: texts.map { ($0, plan(of: $0)) })
  }

  private func plan(of text: String) -> [String] {
    var (statement, lines): (OpaquePointer?, [String]) = (nil, [])
    sqlite3_prepare_v2(handle, "EXPLAIN QUERY PLAN \(text)", -1, &statement, nil)
    defer { sqlite3_finalize(statement) }
    while sqlite3_step(statement) == SQLITE_ROW {
      lines.append(sqlite3_column_text(statement, 3).map { String(cString: $0) } ?? "")
    }
    return lines
  }

  // MARK: Statements that are constants

  func run(_ sql: SQL, _ bind: (Prepared) -> Void = { _ in }) throws {
    try rows(of: statement(sql), bind) { _ in true }
  }

  /// The first row.
  func first<Value>(
    _ sql: SQL, _ bind: (Prepared) -> Void = { _ in }, _ value: (Prepared) throws -> Value
  ) throws -> Value? {
    var found: Value?
    try rows(of: statement(sql), bind) { row in
      found = try value(row)
      return false
    }
    return found
  }

  func exists(_ sql: SQL, _ bind: (Prepared) -> Void) throws -> Bool {
    try first(sql, bind) { _ in true } ?? false
  }

  /// All rows.
  func all<Value>(
    _ sql: SQL, _ bind: (Prepared) -> Void = { _ in }, _ value: (Prepared) throws -> Value
  ) throws -> [Value] {
    var values: [Value] = []
    try rows(of: statement(sql), bind) { row in
      values.append(try value(row))
      return true
    }
    return values
  }

  /// Rows until `visit` answers false. The statement must not be run again meanwhile.
  func each(
    _ sql: SQL, _ bind: (Prepared) -> Void, _ visit: (Prepared) throws -> Bool
  ) throws {
    try rows(of: statement(sql), bind, visit)
  }

  /// As `each`, for a text put together from constant pieces.
  func each(
    composed text: String, _ bind: (Prepared) -> Void = { _ in },
    _ visit: (Prepared) throws -> Bool
  ) throws {
    try rows(of: cached(text), bind, visit)
  }

  /// How many rows a statement changes.
  func changes(_ statement: () throws -> Void) rethrows -> Int {
    let before = totalChanges
    try statement()
    return Int(totalChanges - before)
  }

  /// Notes a row that does not fit, and answers the error that stands for it.
  func damage(_ table: SummedTable, _ key: String, _ what: String) -> BrumeError {
    damaged.note(table.name, key)
    return .damaged(what)
  }

  // MARK: Below

  private var handle: OpaquePointer? { database.sqliteConnection }

  private func statement(_ sql: SQL) throws -> Statement {
    if let known = prepared[ObjectIdentifier(sql)] { return known.statement }
    let statement = try cached(sql.text)
    prepared[ObjectIdentifier(sql)] = (sql, statement)
    return statement
  }

  private func cached(_ text: String) throws -> Statement {
    do {
      return try database.cachedStatement(sql: text)
    } catch let error as DatabaseError {
      throw failed(error.extendedResultCode.rawValue)
    }
  }

  private func rows(
    of statement: Statement, _ bind: (Prepared) -> Void, _ visit: (Prepared) throws -> Bool
  ) throws {
    try giveWay()
    let row = Prepared(handle: statement.sqliteStatement)
    defer { sqlite3_reset(row.handle) }
    bind(row)
    while true {
      switch sqlite3_step(row.handle) {
      case SQLITE_ROW:
        try giveWay()
        if try !visit(row) { return }
      case SQLITE_DONE: return
      case SQLITE_INTERRUPT: throw CancellationError()
      default: throw failed(sqlite3_extended_errcode(handle))
      }
    }
  }

  private func giveWay() throws {
    guard let shouldGiveWay else { return }
    hasGivenWay = hasGivenWay || shouldGiveWay()
    if hasGivenWay { throw GivenWay() }
  }

  private func failed(_ code: Int32) -> StoreError {
    let failure = StorageFailure(ofLast: code)
    if failure.isDamage { damaged.note("the database file", failure.error.description) }
    if self.failure == nil { self.failure = failure }
    return failure.error
  }
}

/// Ends a body that gives way to others and is run again later.
struct GivenWay: Error {}
