// What others call of the SQLite engine: opening (lock, schema, proof of durability), reading, writing, closing.
// How it works inside: docs/internals/storage.md.

import BrumeModel
import BrumeQueryPlan
package import BrumeStorage
package import Dispatch
import GRDB
package import Logging
import Synchronization

/// A store in a data folder, which it has alone. Its promises and errors are those of `Store`.
package final class SQLiteStore: Store {
  private let pool: DatabasePool
  private let readers: ReaderConnections
  let writer: Writer
  private let checkpointer: Checkpointer
  private let indexer: Indexer
  private let coders: StoreCoders
  private let positions: DeliveryPositions
  private let signals = CommitSignals()
  private let logger: Logger
  private let warnings: RareWarnings
  private let lock: Mutex<FolderLock?>
  private let fewCandidates: Int
  private let damaged: DamagedRows
  /// What was read back from the writing connection at start.
  package let durability: Durability

  /// Opens the store in `folder`, which is made if its parent exists.
  ///
  /// - Parameters:
  ///   - readers: how many reads may run at the same time; others wait, whoever they are of. The page caches of all together
  ///     are those of `PageCaches`.
  ///   - fewCandidates: below this many, a sorted query fetches and sorts its candidates; above, it
  ///     walks the sort's index.
  ///   - indexStep: how many records one write takes at most into an index that a query asked for.
  ///   - growsIndexes: whether a thread does that; tests may do it themselves.
  ///   - runID: the identity of this start, never used before; without spaces.
  ///   - marks: a folder elsewhere, where it is kept how far the store has come, so that a data folder
  ///     that was copied back is noticed (`docs/operating/data-folder.md`); made if it is missing.
  ///   - isCalledWithinRest: waits for a semaphore as long as many new records stay out of indexes after
  ///     the last that came; false if that time passed. Without it they wait until they are asked for.
  ///   - verifiesRows: whether rows are held against their checksums; tests may leave it.
  ///   - busySeconds: how long a statement waits for another program that holds the database.
  ///   - nanoseconds: a clock that only rises; it distinguishes slow disks from fast ones.
  /// - Throws: `StoreError`: another process holds the folder, a newer version wrote it, or saves
  ///   would not be safe there.
  package init(
    folder: String, coders: StoreCoders, readers: Int = 8, fewCandidates: Int = 1000,
    indexStep: Int = 2000, growsIndexes: Bool = true, runID: String, marks: String? = nil,
    isCalledWithinRest: @escaping @Sendable (DispatchSemaphore) -> Bool = { semaphore in
      semaphore.wait()
      return true
    },
    verifiesRows: Bool = true, busySeconds: Double = 5,
    nanoseconds: @escaping @Sendable () -> Int64 = { 0 }, logger: Logger
  ) throws {
    try LogPieces.install()
    try FolderLock.makeFolder(folder)
    let lock = try FolderLock(folder: folder)
    let runs = StoreRuns(folder: folder, marks: marks, runID: runID, logger: logger)
    try opening(folder) { try runs.requireFile() }
    Self.keepToOwner(folder, logger)
    let (pool, durability, hasIndexWork, begun) = try opening(folder) {
      let pool = try DatabasePool(
        path: folder + "/brume.sqlite",
        configuration: Self.configuration(
          readers: readers, verifiesRows: verifiesRows, busySeconds: busySeconds))
      return try pool.writeWithoutTransaction { database in
        let durability = try Self.prepare(database, runs)
        let hasIndexWork = try Indexer.hasOldWork(on: database)
        return (pool, durability, hasIndexWork, try runs.begin(on: database))
      }
    }
    try durability.prove()
    let damaged = DamagedRows { logger.reportDamage($0) }
    self.damaged = damaged
    self.readers = ReaderConnections(damaged)
    self.pool = pool
    self.durability = durability
    self.coders = coders
    let positions = DeliveryPositions(start: begun.start)
    self.positions = positions
    self.fewCandidates = fewCandidates
    self.logger = logger
    warnings = RareWarnings(logger) { nanoseconds() / 1_000_000 }
    self.lock = Mutex(lock)
    let checkpointer = Checkpointer(path: pool.path)
    self.checkpointer = checkpointer
    let indexer = Indexer(
      checkpointer, step: indexStep, isCalledWithinRest: isCalledWithinRest, warnings: warnings,
      logger: logger)
    self.indexer = indexer
    let writer = try Writer(
      pool: pool, coders: coders, positions: positions, signals: signals, begun: begun,
      checkpointer: checkpointer, indexer: indexer, damaged: damaged, nanoseconds: nanoseconds,
      logStays: {
        logger.error(
          "the disk has no room for the database: its log grows until there is some; make room",
          metadata: ["store.folder": "\(folder)"])
      }
    ) { error in
      logger.error(
        "storage failed, no further write is accepted",
        metadata: ["store.error": "\(error.description)"])
    }
    self.writer = writer
    guard EngineThread.start({ writer.run() }), checkpointer.start({ writer.copied($0) }),
      indexer.start(growsIndexes ? writer : nil, hasOldWork: hasIndexWork)
    else { throw StoreError(.unavailable, "no thread for the writer") }
    logger.info(
      "storage opened",
      metadata: [
        "store.journal_mode": "\(durability.journalMode)",
        "store.synchronous": "\(durability.synchronous)",
      ])
  }

  package func read<Value: Sendable>(
    _ plan: ReadPlan, _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
  ) async throws -> Value {
    do {
      return try readNow(asksForIndex: true, body)
    } catch let wanted as IndexWanted {
      try await wait(for: wanted)
      return try readNow(asksForIndex: false, body)
    }
  }

  @discardableResult
  package func write<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    try await commit(for: scope.user) { try body($0) }
  }

  @discardableResult
  package func writeRepeatable<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    try await commit(for: scope.user, isRepeatable: true) { try body($0) }
  }

  private func commit<Value: Sendable>(
    for user: UserID? = nil, isRepeatable: Bool = false,
    _ body: @escaping @Sendable (SQLiteTransaction) throws -> Value
  ) async throws -> Value {
    let outcome = Outcome<Value>()
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      let job = WriteJob(
        user: user, isRepeatable: isRepeatable,
        run: { transaction in
          do {
            let value = try body(transaction)
            outcome.value.withLock { $0 = value }
            return nil
          } catch {
            return error
          }
        },
        finish: { error in
          if let error { continuation.resume(throwing: error) } else { continuation.resume() }
        })
      do { try writer.add(job) } catch { continuation.resume(throwing: error) }
    }
    guard let value = outcome.value.withLock({ $0 }) else { throw StoreError.closed }
    return value
  }

  /// Has an index made and waits for it, for a while. A store that cannot write can still be read.
  private func wait(for wanted: IndexWanted) async throws {
    do {
      try await commit(isRepeatable: true) { try $0.indexBuild.want(wanted) }
    } catch let error as StoreError {
      return warnings.warn("no index for a query", of: wanted.type, error)
    }
    await indexer.wait(for: wanted)
    try Task.checkCancellation()
  }

  /// One step of the work on indexes, for who does it without the thread. Answers whether anything is left.
  func buildIndexes(_ records: Int) async throws -> Bool {
    try await commit(isRepeatable: true) {
      try $0.indexBuild.advance(after: nil, limit: records) != nil
    }
  }

  package func snapshot<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreExport) throws -> Value
  ) async throws -> Value {
    guard lock.withLock({ $0 != nil }) else { throw StoreError.closed }
    return try await EngineThread.run { [path = pool.path] in
      try SQLiteExport.withSnapshot(of: path) { try body($0) }
    }
  }

  package var indexProgress: IndexProgress { indexer.progress }
  package var damagedRows: DamagedRows? { damaged }

  package func commits() -> CommitHints { signals.hints() }

  package func close() async throws {
    indexer.close()
    await writer.close()
    signals.finish()
    checkpointer.close()
    readers.close()
    emptyLog()
    try translatingErrors { try pool.close() }
    lock.withLock { $0 = nil }
    logger.info("storage closed")
  }
}

// MARK: Opening and closing

extension SQLiteStore {
  /// SQLite gives its other files the rights of the database file.
  private static func keepToOwner(_ folder: String, _ logger: Logger) {
    _ = OwnerOnly.makeFile(folder + "/brume.sqlite")
    for complaint in OwnerOnly.tighten(folder) { logger.warning("\(complaint)") }
  }

  private static func configuration(
    readers: Int, verifiesRows: Bool, busySeconds: Double
  ) -> Configuration {
    var configuration = Configuration()
    configuration.maximumReaderCount = readers
    configuration.busyMode = .timeout(busySeconds)
    configuration.persistentReadOnlyConnections = true
    configuration.foreignKeysEnabled = false
    let caches = PageCaches()
    configuration.prepareDatabase { database in
      RowSums.install(on: database.sqliteConnection, verifies: verifiesRows)
      try database.execute(
        sql: "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -\(caches.nextKilobytes())")
    }
    return configuration
  }

  /// Brings a database to this version, if it may be used.
  private static func prepare(_ database: Database, _ runs: StoreRuns) throws -> Durability {
    try runs.requireDatabase(database)
    // First: SQLite by itself copies its log after a large commit, and says nobody when that failed.
    try Durability.establish(on: database)
    try Migrations.run(on: database)
    try SQLiteMoving.requireFinished(database)
    return try Durability.read(from: database)
  }

  /// After a clean end the database file alone is the whole database, for whoever copies it. What
  /// cannot be written back now is at the next start. After a failure of the storage, and on a full disk, all of it is left to
  /// that.
  private func emptyLog() {
    pool.writeWithoutTransaction { database in
      // Closed before.
      if database.sqliteConnection == nil { return }
      if writer.hasFailed { return LogPieces.keepLog(of: database) }
      if writer.refusesForRoom { return keepLog(of: database, "the disk is full") }
      do { try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") } catch {
        keepLog(of: database, "\(error)")
      }
    }
  }

  private func keepLog(of database: Database, _ reason: String) {
    LogPieces.keepLog(of: database)
    logger.warning(
      "the log was not written back; copy the files of the data folder together",
      metadata: ["store.error": "\(reason)"])
  }
}

// MARK: Reading

extension SQLiteStore {
  /// On the calling thread: a read is short and mostly from memory, a change of threads is not free.
  private func readNow<Value>(
    asksForIndex: Bool, _ body: (any ReadTransaction) throws -> Value
  ) throws -> Value {
    try translatingErrors {
      try pool.unsafeRead { database in
        let transaction = SQLiteTransaction(
          readers.connection(of: database), coders, positions, isWriter: false,
          QueryTuning(fewCandidates: fewCandidates, asksForIndex: asksForIndex))
        try transaction.connection.run(Self.begin)
        defer { try? transaction.connection.run(Self.end) }
        return try transaction.connection.cancellable { try body(transaction) }
      }
    }
  }

  private static let begin = SQL("BEGIN DEFERRED")
  private static let end = SQL("ROLLBACK")
}

extension Logger {
  /// A row that does not fit its checksum, which is logged once.
  fileprivate func reportDamage(_ row: DamagedRows.Row) {
    error(
      "what is stored is damaged; look at the data folder's disk, and run 'brume doctor --deep'",
      metadata: ["store.table": "\(row.table)", "store.key": "\(row.key)"])
  }
}

/// The value of a body, from the writer's thread to the caller.
private final class Outcome<Value: Sendable>: Sendable {
  let value = Mutex<Value?>(nil)
}

/// SQLite says what is wrong, but not with which file, nor what an operator can do.
private func opening<Value>(_ folder: String, _ body: () throws -> Value) throws -> Value {
  do {
    return try translatingErrors(body)
  } catch let error as StoreError where error.code == .noRoom {
    throw StoreError(
      .noRoom, "the disk of '\(folder)' is full (\(error.description)); make room and start again")
  } catch let error as StoreError where [.unavailable, .corrupt].contains(error.code) {
    throw StoreError(
      error.code,
      "the database '\(folder)/brume.sqlite' cannot be opened (\(error.description)); check that the "
        + "folder is complete and may be written, put a backup of it in its place, or choose another "
        + "with --data")
  }
}

/// GRDB's errors as the port's.
func translatingErrors<Value>(_ body: () throws -> Value) throws -> Value {
  do {
    return try body()
  } catch let error as DatabaseError {
    if error.resultCode == .SQLITE_MISUSE { throw StoreError.closed }
    throw StorageFailure(ofLast: error.extendedResultCode.rawValue).error
  }
}
