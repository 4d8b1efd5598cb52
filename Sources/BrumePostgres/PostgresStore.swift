// The PostgreSQL engine's face: opening (schema, proof of durability), reading, writing, closing. Any number
// of processes may have one database open. How it works inside: docs/internals/postgres.md.

import BrumeModel
import BrumeQueryPlan
package import BrumeStorage
package import Logging
import Synchronization

package final class PostgresStore: Store {
  private let node: Node
  private let connector: Connector
  private let writers: Writers
  private let readers: Readers
  private let signals = CommitSignals()
  private let growth = IndexGrowing()
  private let logger: Logger

  /// Into how many buckets the store is divided.
  package var bucketCount: Int { node.bucketCount }

  /// Opens the store, and makes its tables if there are none.
  ///
  /// - Parameters:
  ///   - url: the database, as libpq reads it (`postgres://user@host:port/name`). Tables are in the first schema
  ///     of the connection's search path.
  ///   - buckets: into how many buckets a new store is divided; one that is there keeps its own.
  ///   - writerCount: how many groups of writes may run at the same time.
  ///   - readerCount: how many reads may; others wait.
  ///   - runID: the identity of this start, never used before.
  ///   - acceptsLoss: whether a server that may lose what it has confirmed is accepted, for tests.
  ///   - pause: waits on the calling thread, for so many milliseconds.
  ///   - milliseconds: a clock that never goes back.
  /// - Throws: `StoreError`: the server cannot be reached, is too old, has tables of a newer version, or would
  ///   not keep what it confirms.
  package convenience init(
    url: String, coders: StoreCoders, buckets: Int = 256, writerCount: Int = 4,
    readerCount: Int = 8,
    runID: String, acceptsLoss: Bool = false, pause: @escaping @Sendable (Int) -> Void,
    milliseconds: @escaping @Sendable () -> Int64, logger: Logger
  ) throws {
    try self.init(
      Connector(
        settings: try ConnectionSettings(url), logger: logger, pause: pause,
        milliseconds: milliseconds),
      coders: coders, buckets: buckets, writerCount: writerCount, readerCount: readerCount,
      runID: runID, acceptsLoss: acceptsLoss)
  }

  /// - Parameter locksBuckets: false only where a test shows what the locks are for.
  init(
    _ connector: Connector, coders: StoreCoders, buckets: Int, writerCount: Int, readerCount: Int,
    runID: String, acceptsLoss: Bool, locksBuckets: Bool = true
  ) throws {
    let opened = try Opening(connector.connect(), buckets: buckets, acceptsLoss: acceptsLoss)
    let node = Node(
      coders: coders, bucketCount: opened.bucketCount, locksBuckets: locksBuckets)
    self.node = node
    logger = connector.logger
    self.connector = connector
    let acknowledgements = Acknowledgements()
    writers = Writers(node, connector, acknowledgements, signals)
    readers = Readers(node, connector, acknowledgements)
    try writers.start((0..<max(1, writerCount)).map { "\(runID).\($0)" })
    try readers.start(max(1, readerCount))
    logger.info(
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
      try await growth.grow(wanted) { [self] step in
        let bucket = Bucket(of: wanted.database, among: bucketCount)
        return try await commit(
          [Locks.Lock(kind: .saves, bucket: bucket)], .none, isRepeatable: true
        ) {
          try step($0.indexes[bucket].growth)
        }
      }
      return try await readNow(plan, asksForIndex: false, body)
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
          plan: plan, asksForIndex: asksForIndex,
          isWanted: { !outcome.isCancelled.load(ordering: .relaxed) },
          run: { transaction in outcome.keep(try body(transaction)) },
          finish: { error in continuation.resume(with: error) })
        do { try readers.add(job) } catch { continuation.resume(throwing: error) }
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
    in scope: WriteScope, _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    try await commit(locks(of: scope), .none, isRepeatable: true) { try body($0) }
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
        plan: plan, locks: locks, isRepeatable: isRepeatable,
        run: { transaction in
          do {
            outcome.keep(try body(transaction))
            return nil
          } catch {
            return error
          }
        },
        finish: { error in continuation.resume(with: error) })
      do { try writers.add(job) } catch { continuation.resume(throwing: error) }
    }
    return try outcome.kept()
  }

  /// How many times its connections have waited for the server.
  var exchanges: Int { connector.exchanges.count }

  package var indexProgress: IndexProgress { growth.progress }

  package func commits() -> CommitHints { signals.hints() }

  package func close() async throws {
    await writers.close()
    readers.close()
    signals.finish()
    logger.info("storage closed")
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
