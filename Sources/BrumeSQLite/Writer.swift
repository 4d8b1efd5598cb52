// The one writer: a thread that owns the writing connection and commits many waiting writes at once.
// While one commit waits for the disk, others gather; whoever waits joins the next transaction.
// There is no artificial delay. What a group is and what failures do: docs/internals/storage.md.

import BrumeStorage
import Dispatch
import GRDB
import Synchronization

/// A write on its way: run on the writer's thread, finished after the commit.
struct WriteJob: Sendable {
  /// Runs the body, keeps its value, answers what it threw.
  let run: @Sendable (SQLiteTransaction) -> (any Error)?
  /// Tells the caller: nil is "durable".
  let finish: @Sendable ((any Error)?) -> Void
}

final class Writer: Sendable {
  /// Ours: bodies in one commit.
  static let groupLimit = 256
  /// Ours: changed rows after which a group takes nobody else, so that a first one is not kept
  /// waiting for the batches of many others.
  static let groupRowLimit: Int64 = 20_000

  private let queue = Mutex(WriteQueue<WriteJob>())
  private let wake = DispatchSemaphore(value: 0)
  private let ending = Mutex<(hasEnded: Bool, waiting: [CheckedContinuation<Void, Never>])>(
    (false, []))
  private let coders: StoreCoders
  private let signals: CommitSignals
  private let stopped: @Sendable (StoreError) -> Void

  /// - Parameter stopped: called once if the storage fails for good.
  init(
    coders: StoreCoders, signals: CommitSignals,
    stopped: @escaping @Sendable (StoreError) -> Void
  ) {
    self.coders = coders
    self.signals = signals
    self.stopped = stopped
  }

  /// Queues a write. Throws if no write is accepted any more.
  func add(_ job: WriteJob) throws(StoreError) {
    switch queue.withLock({ $0.add(job) }) {
    case .accepted(let wakeWriter): if wakeWriter { wake.signal() }
    case .refused(let error): throw error
    }
  }

  /// Serves who waits, then ends the thread.
  func close() async {
    if queue.withLock({ $0.close() }) { wake.signal() }
    await withCheckedContinuation { continuation in
      let hasEnded = ending.withLock { ending in
        if !ending.hasEnded { ending.waiting.append(continuation) }
        return ending.hasEnded
      }
      if hasEnded { continuation.resume() }
    }
  }

  /// The thread's whole life.
  func run(on database: Database) {
    let transaction = SQLiteTransaction(Connection(database), coders, isWriter: true)
    loop: while true {
      switch queue.withLock({ $0.next() }) {
      case .run(let job): commitGroup(from: job, in: transaction)
      case .sleep: wake.wait()
      case .end: break loop
      }
    }
    let waiting = ending.withLock { ending in
      ending.hasEnded = true
      return ending.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}

// MARK: Groups

extension Writer {
  private func commitGroup(from first: WriteJob, in transaction: SQLiteTransaction) {
    var group = WriteGroup(transaction)
    do {
      try group.begin()
      var job: WriteJob? = first
      while let next = job {
        try group.run(next)
        job = group.isFull ? nil : queue.withLock { $0.nextForGroup() }
      }
      try group.commit()
    } catch {
      failed(group.undo(error), group)
      return
    }
    group.finish()
    if group.logGrew { signals.signal() }
  }

  private func failed(_ failure: (error: StoreError, isFinal: Bool), _ group: WriteGroup) {
    var jobs = group.jobs
    if failure.isFinal {
      jobs += queue.withLock { $0.fail(failure.error) }
      stopped(failure.error)
    }
    for job in jobs { job.finish(failure.error) }
  }
}
