// A store and a thread that count what a request makes the server do.

#if os(Linux)
  import BrumeStorage
  import Dispatch

  @testable import BrumeSQLite

  /// What a request made the server do.
  struct Work: Sendable {
    /// Steps of SQLite's machine.
    var steps: Int
    /// Objects that the program retained or made.
    var objects: Int
  }

  /// The counters of one server.
  final class WorkCounters: @unchecked Sendable {
    // Requests are asked one after the other, and each step of one is over before another thread goes on.
    let objects = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    var steps = 0

    init() { objects.initialize(to: 0) }
    deinit { objects.deallocate() }

    /// What was done since it was last asked.
    func take() -> Work {
      defer { (steps, objects.pointee) = (0, 0) }
      return Work(steps: steps, objects: objects.pointee)
    }

    fileprivate func counted<Value>(
      _ transaction: any ReadTransaction, _ body: () throws -> Value
    ) throws -> Value {
      let connection = (transaction as? SQLiteTransaction)?.connection
      let before = connection?.stepsTaken ?? 0
      defer { steps += (connection?.stepsTaken ?? 0) - before }
      return try OwnWork.counted(into: objects, body)
    }
  }

  /// Runs a task on one thread, and counts what it does there.
  final class CountingExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "counting")
    private let counters: WorkCounters

    init(_ counters: WorkCounters) { self.counters = counters }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { [self] in
        OwnWork.counted(into: counters.objects) {
          job.runSynchronously(on: asUnownedTaskExecutor())
        }
      }
    }
  }

  /// A store of SQLite whose bodies count, whichever thread runs them.
  final class WorkStore: Store {
    private let inner: SQLiteStore
    private let counters: WorkCounters

    init(_ inner: SQLiteStore, _ counters: WorkCounters) {
      self.inner = inner
      self.counters = counters
    }

    func read<Value: Sendable>(
      _ plan: ReadPlan, _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
    ) async throws -> Value {
      try await inner.read(plan) { [counters] transaction in
        try counters.counted(transaction) { try body(transaction) }
      }
    }

    func write<Value: Sendable>(
      in scope: WriteScope, reading plan: ReadPlan,
      _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value {
      try await inner.write(in: scope, reading: plan) { [counters] transaction in
        try counters.counted(transaction) { try body(transaction) }
      }
    }

    func commits() -> CommitHints { inner.commits() }
    func close() async throws { try await inner.close() }
  }
#endif
