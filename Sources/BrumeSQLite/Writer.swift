// The one writer: many waiting writes become one commit. While a commit waits for the disk, others
// gather; whoever waits joins the next transaction. There is no artificial delay. A thread of its own
// does the work, except that a write which has been alone for a while runs where it is
// (`WriteQueue`). What a group is and what failures do: docs/internals/storage.md.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage
import Dispatch
import GRDB
import Synchronization

/// A write on its way: run on the writer's connection, finished after the commit.
struct WriteJob: Sendable {
  /// Who asked for it; nil: the server itself.
  var user: UserID?
  /// Whether a commit that holds nothing else may leave the disk for later (`Store.writeRepeatable`).
  let isRepeatable: Bool
  /// Work on indexes. It joins no group that has begun, whose callers would wait for it, and nobody gives
  /// way to it.
  var isIndexWork = false
  /// Nanoseconds that went into work which was undone, because it gave way to others.
  var undone: Int64 = 0
  /// Runs the body, keeps its value, answers what it threw.
  let run: @Sendable (SQLiteTransaction) -> (any Error)?
  /// Answers the caller: nil is "durable".
  let finish: @Sendable ((any Error)?) -> Void

  /// Whether it may join a group that has begun: what has given way would keep those waiting again.
  var mayJoin: Bool { !isIndexWork && undone == 0 }
  /// Whether it may be undone while it runs, so that others need not wait for its end.
  var mayGiveWay: Bool { user != nil && !isRepeatable && undone < Writer.undoneLimit }
}

final class Writer: Sendable {
  /// The connection that writes, with all that it has learnt.
  ///
  /// Sendable because only who has the turn in `WriteQueue` touches it.
  private struct WriterResources: @unchecked Sendable {
    let pool: DatabasePool
    let transaction: SQLiteTransaction
  }

  /// Ours: bodies in one commit.
  static let groupLimit = 256
  /// Ours: changed rows after which a group takes nobody else, so that a first one is not kept
  /// waiting for the batches of many others.
  static let groupRowLimit: Int64 = 20_000
  /// Ours: nanoseconds after which a group takes nobody else, for the same reason.
  static let groupTimeLimit: Int64 = 20_000_000

  /// Ours: a write that lost so many nanoseconds of work to others goes on to its end.
  static let undoneLimit: Int64 = 100_000_000

  private let queue = Mutex(WriteQueue<WriteJob>())
  /// Nanoseconds that the write which runs has for itself before it gives way to others that wait. With less those who do not
  /// write for long would undo one another's work.
  private let patience = Atomic(Int64.max)
  private let wake = DispatchSemaphore(value: 0)
  private let ending = ThreadEnd()
  private let signals: CommitSignals
  private let resources: WriterResources
  private let marks: Marks
  /// What the start could not write; nil: nothing.
  private let pendingRun: Mutex<PendingRun?>
  private let checkpointer: Checkpointer
  private let indexer: Indexer
  private let nanoseconds: @Sendable () -> Int64
  private let hasStopped = Atomic(false)
  private let stopped: @Sendable (StoreError) -> Void
  /// Whether the last copy of the log had no room.
  private let lacksRoom = Atomic(false)
  private let logStays: @Sendable () -> Void
  private let lastHadNoRoom: Atomic<Bool>

  /// Whether the disk had no room for the last write. Who empties the log then gives room away that the next start needs.
  var refusesForRoom: Bool { lastHadNoRoom.load(ordering: .acquiring) }

  /// Whether the storage failed for good.
  var hasFailed: Bool { hasStopped.load(ordering: .acquiring) }

  /// - Parameters:
  ///   - nanoseconds: a clock that only rises.
  ///   - logStays: called when the log grows because the disk has no room for the database.
  ///   - stopped: called once if the storage fails for good.
  init(
    pool: DatabasePool, coders: StoreCoders, positions: DeliveryPositions, signals: CommitSignals,
    begun: StoreRuns.Begun, checkpointer: Checkpointer, indexer: Indexer, damaged: DamagedRows,
    nanoseconds: @escaping @Sendable () -> Int64, logStays: @escaping @Sendable () -> Void,
    stopped: @escaping @Sendable (StoreError) -> Void
  ) throws {
    let transaction = pool.writeWithoutTransaction {
      SQLiteTransaction(Connection($0, damaged), coders, positions, isWriter: true)
    }
    transaction.connection.watchLog()
    try transaction.connection.gatherLog()
    resources = WriterResources(pool: pool, transaction: transaction)
    self.signals = signals
    marks = begun.marks
    pendingRun = Mutex(begun.pending)
    lastHadNoRoom = Atomic(begun.pending != nil)
    self.checkpointer = checkpointer
    self.indexer = indexer
    self.nanoseconds = nanoseconds
    self.logStays = logStays
    self.stopped = stopped
    transaction.others.areQueued = { [weak self] in
      self?.queue.withLock { $0.contains { !$0.isIndexWork } } ?? false
    }
  }

  /// Queues a write, or carries it out at once. It throws if no write is accepted any more.
  func add(_ job: WriteJob) throws(StoreError) {
    switch changeQueue({ $0.add(job, of: job.user) }) {
    case .accepted(let wakeWriter): if wakeWriter { wake.signal() }
    case .yourTurn:
      commitGroup(from: job) { _ in nil }
      if queue.withLock({ $0.turnEnded() }) { wake.signal() }
    case .refused(let error): throw error
    }
  }

  /// Serves who waits, then ends the thread.
  func close() async {
    if queue.withLock({ $0.close() }) { wake.signal() }
    await ending.wait()
  }

  /// The thread's main function.
  func run() {
    loop: while true {
      switch changeQueue({ $0.next() }) {
      case .run(let job):
        commitGroup(from: job) { accepts in self.changeQueue { $0.nextForGroup(accepts) } }
      case .sleep: wake.wait()
      case .end: break loop
      }
    }
    resources.transaction.connection.unwatchLog()
    resources.transaction.connection.forgetStatements()
    ending.end()
  }
}

// MARK: Groups

extension Writer {
  /// Changes who waits or whose write runs, and notes for how long they can.
  private func changeQueue<Value: Sendable>(
    _ change: @Sendable (inout WriteQueue<WriteJob>) -> Value
  ) -> Value {
    queue.withLock { queue in
      defer {
        let left = queue.patience(at: nanoseconds()) { !$0.isRepeatable } ?? .max
        patience.store(left, ordering: .relaxed)
      }
      return change(&queue)
    }
  }

  /// Answers the next write for a group, if the group takes it.
  private typealias Next = (@Sendable (WriteJob) -> Bool) -> WriteJob?

  private func commitGroup(from first: WriteJob, next: Next) {
    let start = nanoseconds()
    var group = WriteGroup(resources.transaction, nanoseconds)
    let transaction = resources.transaction
    let (failure, position) = resources.pool.writeWithoutTransaction { _ in
      let failure = commit(&group, first, next)
      // What a loss of power may undo is not counted before a commit that waited for the disk.
      let isDurable = failure == nil && !first.isRepeatable
      return (failure, isDurable ? try? transaction.log.lastPosition(in: .only) : nil)
    }
    queue.withLock {
      let now = nanoseconds()
      $0.groupEnded(
        count: group.jobs.count, nanoseconds: now - start, wasOwnWork: first.isRepeatable)
      for (user, time) in group.times { $0.ran(user, nanoseconds: time, now: now) }
    }
    if let failure {
      if failure.error.code == .noRoom { lastHadNoRoom.store(true, ordering: .releasing) }
      return failed(failure, group)
    }
    if group.hasChanged { lastHadNoRoom.store(false, ordering: .releasing) }
    if let position { marks.advance(position) }
    group.finish()
    let behind = transaction.index.delay.behind
    if behind > 0 { indexer.committed(behind: behind) }
    if group.logGrew { signals.signal([.only]) }
    if checkpointer.committed(pages: transaction.connection.pagesInLog) {
      copied(resources.pool.writeWithoutTransaction { _ in transaction.connection.checkpoint() })
    }
  }

  /// Answers why the storage did not take the group.
  private func commit(
    _ group: inout WriteGroup, _ first: WriteJob, _ next: Next
  ) -> (error: StoreError, isFinal: Bool)? {
    do {
      try group.begin(with: first, after: noteRun)
      var job: WriteJob? = first
      while let current = job {
        if let undone = try group.run(current, patience(of: current, in: group)) {
          queue.withLock {
            $0.putBack(
              undone, of: undone.user, nanoseconds: undone.undone - current.undone,
              now: nanoseconds())
          }
        }
        job = group.nextAgain()
        if job == nil, !group.isFull {
          job = next { $0.mayJoin && (!first.isRepeatable || $0.isRepeatable) }
        }
      }
      try group.commit()
      return nil
    } catch {
      return group.undo(error)
    }
  }

  /// How long a job of a group may keep others waiting: those in the group, for its commit, and those behind it.
  private func patience(of job: WriteJob, in group: WriteGroup) -> () -> Int64 {
    let others = group.waitForCommit
    let inGroup =
      others.isEmpty
      ? Int64.max
      : queue.withLock { $0.patience(of: job.user, with: others, at: nanoseconds()) }
    return { [self] in min(inGroup, patience.load(ordering: .relaxed)) }
  }

  /// What the start could not write comes before all else.
  private func noteRun(_ connection: Connection) throws {
    guard let run = pendingRun.withLock({ $0 }) else { return }
    try run.write(connection)
    pendingRun.withLock { $0 = nil }
    lastHadNoRoom.store(false, ordering: .releasing)
    marks.begin()
  }

  private func failed(_ failure: (error: StoreError, isFinal: Bool), _ group: WriteGroup) {
    var jobs = group.jobs
    if failure.isFinal {
      jobs += stop(failure.error)
    } else if !group.hasBegun {
      // Each of them would wait as long as this one for whoever holds the database.
      jobs += changeQueue { $0.refuseAll() }
    }
    for job in jobs { job.finish(failure.error) }
  }

  /// No further write is taken. Answers who waited.
  private func stop(_ error: StoreError) -> [WriteJob] {
    let waiting = queue.withLock { $0.fail(error) }
    if !hasStopped.exchange(true, ordering: .acquiringAndReleasing) { stopped(error) }
    return waiting
  }

  /// What became of a copy of the log into the database, on whichever thread.
  func copied(_ copy: LogCopy) {
    let hadRoom = !lacksRoom.exchange(copy == .noRoom, ordering: .relaxed)
    if copy == .noRoom, hadRoom { logStays() }
    guard case .failed(let failure) = copy else { return }
    checkpointer.failed()
    let error = StoreError(
      .unavailable, "the log cannot be copied into the database: \(failure.error.description)")
    for job in stop(error) { job.finish(error) }
  }
}
