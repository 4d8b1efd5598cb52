// What others call of the PostgreSQL engine: opening (schema, proof of durability), reading, writing, closing. Any
// number of processes may have one database open. How it works inside: docs/internals/postgres.md.

package import BrumeModel
import BrumeQueryPlan
package import BrumeStorage
package import Dispatch
package import Logging
import Synchronization

/// A store in a database that other processes may have open too. Its promises and errors are those of
/// `Store`.
package final class PostgresStore: Store {
  private let node: Node
  private let connector: Connector
  private let lanes: Lanes
  private let signals = CommitSignals()
  private let mailSignals = CommitSignals()
  private let accountSignals = CommitSignals()
  private let keeper: LeaseKeeper
  private let tail: Tail
  private let indexBuilder = IndexBuilder()

  /// Ours: how many groups of writes, and how many reads, run at the same time; others wait.
  private static let writers = 4
  private static let readers = 8
  /// With one that follows other processes, and one for leases.
  static let connections = writers + readers + 2
  /// Ours: into how many buckets a new store is divided; one that is there keeps its own.
  package static let bucketsOfNewStore = 256

  /// Into how many buckets the store is divided.
  package var bucketCount: Int { node.bucketCount }

  /// Opens the store, and makes its tables if there are none.
  ///
  /// - Parameters:
  ///   - url: the database, as libpq reads it (`postgres://user@host:port/name`). Tables are in the first schema
  ///     of the connection's search path.
  ///   - runID: the identity of this start, never used before.
  ///   - files: where this process keeps files; nil: wherever that is. Another process that keeps them elsewhere
  ///     does not begin while this one is there.
  ///   - mark: where this server notes how far the database has come, so that the next start notices one that
  ///     was brought back from a copy; nil: nowhere.
  ///   - time: learns the database's time; nil: nobody goes by it.
  ///   - wait: waits on the calling thread until a semaphore is signalled, or for so many milliseconds;
  ///     false if they passed.
  ///   - milliseconds: a clock that never goes back.
  /// - Throws: `StoreError`: the server cannot be reached, is too old, has tables of a newer version, or would
  ///   not keep what it confirms.
  package convenience init(
    url: String, coders: StoreCoders, runID: String, filesIn files: String?, mark: KeptMark?,
    time: SharedTime?, wait: @escaping @Sendable (DispatchSemaphore, Int) -> Bool,
    milliseconds: @escaping @Sendable () -> Int64, logger: Logger
  ) throws {
    try self.init(
      Connector(
        settings: try ConnectionSettings(url), logger: logger, wait: wait,
        milliseconds: milliseconds),
      coders: coders, buckets: PostgresStore.bucketsOfNewStore,
      writerCount: PostgresStore.writers, readerCount: PostgresStore.readers, runID: runID,
      filesIn: files, mark: mark, time: time, acceptsLoss: false, readsOnCaller: true,
      locksBuckets: true)
  }

  /// - Parameters:
  ///   - buckets: into how many buckets a new store is divided.
  ///   - writerCount: how many groups of writes may run at the same time.
  ///   - readerCount: how many reads may.
  ///   - acceptsLoss: whether a server that may lose what it has confirmed is accepted, for tests.
  ///   - readsOnCaller: whether the threads that read may wait for the answer (decision 0025).
  ///   - locksBuckets: false only where a test shows what the locks are for.
  init(
    _ connector: Connector, coders: StoreCoders, buckets: Int, writerCount: Int, readerCount: Int,
    runID: String, filesIn files: String?, mark kept: KeptMark?, time: SharedTime?,
    acceptsLoss: Bool, readsOnCaller: Bool, locksBuckets: Bool
  ) throws {
    let opening = try connector.connect(endsWhenRefused: true)
    let opened = try Opening(opening, buckets: buckets, acceptsLoss: acceptsLoss)
    try PostgresMoving.requireFinished(opening)
    let mark = kept.map { DatabaseMark($0, logger: connector.logger) }
    try translatingErrors {
      if try mark?.isAhead(of: opening, floor: opened.sequenceFloor) == true {
        try Acknowledgements.noteLoss(
          "it has less than when this server last looked", on: opening)
      }
    }
    let leases = PostgresLeases(owner: runID, milliseconds: connector.milliseconds)
    let node = Node(
      coders: coders, bucketCount: opened.bucketCount, leases: leases, acceptsLoss: acceptsLoss,
      locksBuckets: locksBuckets)
    self.node = node
    node.acknowledgements.note(floor: opened.sequenceFloor)
    self.connector = connector
    let tail = try Tail(
      connector.aside, node.acknowledgements, logs: signals, mailboxes: mailSignals,
      accounts: accountSignals
    ) { leases.processes > 1 }
    self.tail = tail
    let keeper = LeaseKeeper(
      leases, bucketCount: node.bucketCount, filesIn: files,
      time.map { DatabaseClock($0, connector.logger) }, connector.aside,
      node.acknowledgements, [signals, mailSignals]
    ) { tail.silence < Int64(LeaseRound.lease) * 1000 }
    self.keeper = keeper
    let threads = Lanes.Threads(
      writers: writerCount, readers: readerCount, runID: runID, readsOnCaller: readsOnCaller)
    let lanes = Lanes(node, connector, threads) { [signals] grown, isInLog in
      tail.committed(grown, isInLog: isInLog)
      if !grown.isEmpty { signals.signal(Set(grown.keys)) }
    }
    self.lanes = lanes
    try keeper.start()
    try tail.start { [acknowledgements = node.acknowledgements] connection in
      if let mark, let (floor, positions) = acknowledgements.progress {
        try mark.note(floor: floor, positions, on: connection)
      }
      try lanes.learn(from: connection)
    }
    try lanes.start()
    try translatingErrors {
      try lanes.learn(from: opening)
      try OldWriterRows.remove(on: opening)
    }
    connector.logger.info(
      "storage opened",
      metadata: [
        "store.server_version": "\(opened.serverVersion)", "store.buckets": "\(node.bucketCount)",
      ])
  }

  package func read<Value: Sendable>(
    _ plan: ReadPlan, _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
  ) async throws -> Value {
    do {
      return try await readNow(plan, asksForIndex: true, body)
    } catch let wanted as IndexWanted {
      do {
        try await build(wanted)
      } catch let error as StoreError
        where [.noRoom, .notDurable, .tooSlow, .unreachable].contains(error.code)
      {
        // Nothing can be written now. The query does without the index.
      }
      return try await readNow(plan, asksForIndex: false, body)
    }
  }

  private func build(_ wanted: IndexWanted) async throws {
    try await indexBuilder.build(wanted) { [self] step in
      let bucket = Bucket(of: wanted.database, among: bucketCount)
      return try await commit(
        [Locks.Lock(kind: .saves, bucket: bucket)], .none, isRepeatable: true
      ) {
        try step($0.indexes[bucket].indexBuild)
      }
    }
  }

  private func readNow<Value: Sendable>(
    _ plan: ReadPlan, asksForIndex: Bool,
    _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
  ) async throws -> Value {
    let outcome = Outcome<Value>()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<Void, any Error>) in
        let job = ReadJob(
          plan: plan, asksForIndex: asksForIndex, name: ReaderName.current?.now(),
          isWanted: { !outcome.isCancelled.load(ordering: .relaxed) },
          run: { transaction in outcome.keep(try body(transaction)) },
          finish: { error in continuation.resume(with: error) })
        do { try lanes.add(job) } catch { continuation.resume(throwing: error) }
      }
    } onCancel: {
      outcome.isCancelled.store(true, ordering: .relaxed)
    }
    return try outcome.kept()
  }

  @discardableResult
  package func write<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    try await commit(locks(of: scope), plan, isRepeatable: false) { try body($0) }
  }

  @discardableResult
  package func writeRepeatable<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    try await commit(locks(of: scope), plan, isRepeatable: true) { try body($0) }
  }

  private func locks(of scope: WriteScope) -> [Locks.Lock] {
    Locks.all(of: scope, among: node.bucketCount)
  }

  private func commit<Value: Sendable>(
    _ locks: [Locks.Lock], _ plan: ReadPlan, isRepeatable: Bool,
    _ body: @escaping @Sendable (PostgresTransaction) throws -> Value
  ) async throws -> Value {
    let outcome = Outcome<Value>()
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      let job = WriteJob(
        plan: plan.made, locks: locks, isRepeatable: isRepeatable,
        run: { transaction in
          do {
            outcome.keep(try body(transaction))
            return nil
          } catch {
            return error
          }
        },
        finish: { error in continuation.resume(with: error) })
      do { try lanes.add(job) } catch { continuation.resume(throwing: error) }
    }
    return try outcome.kept()
  }

  package func snapshot<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreExport) throws -> Value
  ) async throws -> Value {
    try await EngineThread.run { [connector = connector.aside, bucketCount] in
      let connection = try connector.connect()
      return try translatingErrors {
        try body(PostgresExport(connection, bucketCount: bucketCount, isSnapshot: true))
      }
    }
  }

  /// How many times its connections have waited for the server.
  var exchanges: Int { connector.exchanges.count }

  package var indexProgress: IndexProgress { indexBuilder.progress }
  package var damagedRows: DamagedRows? { connector.damaged }

  package var leases: any Leases { node.leases }

  package func commits() -> CommitHints { signals.hints() }

  package var sharedMailboxes: (any SharedMailboxes)? { self }
  package var sharedAccounts: (any SharedAccounts)? { self }
  package var sharedAttempts: (any SharedAttempts)? { self }

  package func close() async throws {
    connector.close()
    await lanes.close()
    await keeper.close()
    tail.close()
    signals.finish()
    mailSignals.finish()
    accountSignals.finish()
    connector.logger.info("storage closed")
  }
}

extension PostgresStore: SharedAccounts {
  package func accountHints() -> CommitHints { accountSignals.hints() }

  /// Who is alone misses nothing. That it was alone says nothing any more when its leases have ended: others may have come
  /// while it slept.
  package var silence: Milliseconds {
    leases.processes > 1 || node.leases.isEmpty ? tail.silence : 0
  }

  package var lastChange: Int64 { tail.lastAccountChange }

  package func changedAccounts(after last: Int64) async throws -> ChangedAccounts {
    try node.acknowledgements.check()
    return try await tail.ask { [process = node.leases.owner] connection throws(ServerError) in
      try AccountChanges.find(after: last, but: process, on: connection)
    }
  }

  /// A read that asks for what only this engine has.
  private func look<Value: Sendable>(
    _ body: @escaping @Sendable (PostgresTransaction) throws -> Value
  ) async throws -> Value {
    try await read { transaction in
      guard let transaction = transaction as? PostgresTransaction else {
        throw StoreError(.corrupt, "a transaction of another engine")
      }
      return try body(transaction)
    }
  }
}

extension PostgresStore: SharedAttempts {
  package func change<Value: Sendable>(
    _ keys: [AttemptKey], limit: Int,
    _ change: @escaping @Sendable (inout [AttemptKey: FailedAttempts], Milliseconds) -> Value
  ) async throws -> Value {
    try await commit([Locks.attempts], .none, isRepeatable: false) {
      try $0.attempts.change(keys, limit: limit, change)
    }
  }
}

extension PostgresStore: SharedMailboxes {
  package func mailboxHints() -> CommitHints { mailSignals.hints() }

  package func lastMailboxPositions() async throws -> [Bucket: Int64] {
    try await look { try $0.mailboxes.lastPositions() }
  }

  package func newEntries(
    in bucket: Bucket, after position: Int64, limit: Int
  ) async throws -> [NewMailboxEntry] {
    try await look {
      try $0.mailboxes.newEntries(in: bucket, after: position, limit: limit)
    }
  }
}

/// The value of a body, from the connection's thread to the caller.
private final class Outcome<Value: Sendable>: Sendable {
  let isCancelled = Atomic<Bool>(false)
  private let value = Mutex<Value?>(nil)

  func keep(_ value: Value) { self.value.withLock { $0 = value } }

  func kept() throws -> Value {
    guard let value = value.withLock({ $0 }) else { throw StoreError.closed }
    return value
  }
}

extension CheckedContinuation<Void, any Error> {
  fileprivate func resume(with error: (any Error)?) {
    if let error { resume(throwing: error) } else { resume() }
  }
}
