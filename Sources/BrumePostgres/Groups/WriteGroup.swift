// One transaction with many bodies: locks and planned reads in one exchange, the bodies one after the other,
// all writes with the commit in another. A body that throws leaves nothing; the others go on.

import BrumeModel
import BrumeStorage

struct WriteGroup {
  private let jobs: [WriteJob]
  private let session: Session
  private let transaction: PostgresTransaction
  private let writer: WriterRow
  private let shards: [Int64: Shard]

  /// - Parameters:
  ///   - writer: where the group notes that it is committed.
  ///   - shards: by the bucket, those of a worker of Citus, if the connection is to one.
  init(
    _ jobs: [WriteJob], _ connection: Connection, _ node: Node, _ writer: WriterRow,
    _ shards: [Int64: Shard], isAwaited: @escaping @Sendable () -> Bool
  ) {
    self.jobs = jobs
    self.writer = writer
    self.shards = shards
    session = Session(connection)
    transaction = PostgresTransaction(session, node, isAwaited: isAwaited)
  }

  /// What each body threw, once the group is committed.
  struct Outcome {
    var errors: [(any Error)?] = []
    /// Buckets whose logs grew by what may concern somebody at once.
    var grown: [Bucket: Int64] = [:]
  }

  /// - Throws: `ServerError` if the transaction failed, with all of its bodies; nothing is left of it, unless
  ///   the connection was lost in `commit`.
  func run() throws -> Outcome {
    session.begin(Self.begin)
    let locks = Set(jobs.flatMap(\.locks)).sorted()
    let locked = Set(locks.map(\.bucket))
    session.use(shards.filter { locked.contains($0.key) })
    let plan = ReadPlan(of: jobs.map(\.plan))
    do {
      try transaction.prepare(
        locks.map(transaction.locks.question) + [
          writer.question(locks, onCitus: session.isOnCitus)
        ], plan, isWrite: true)
    } catch var error as ServerError {
      error.isOfPreparing = true
      throw error
    }
    var outcome = Outcome()
    for job in jobs {
      session.bodyBegins()
      let error = job.run(transaction)
      if let failure = session.failure { throw failure }
      if error == nil { transaction.accept() } else { transaction.discard() }
      outcome.errors.append(error)
    }
    outcome.grown = transaction.grown
    return outcome
  }

  func commit() throws { try session.commit() }

  /// It is in the store: what it learned is so.
  func committed() {
    writer.committed()
    transaction.committed()
  }

  /// Leaves nothing behind.
  func rollback() { try? session.end() }

  private static let begin = SQL("BEGIN ISOLATION LEVEL READ COMMITTED")
}
