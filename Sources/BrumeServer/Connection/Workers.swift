// Threads for what asks the store: such work may block its thread, and on an event loop it would hold up
// all connections of the loop, on Swift's own threads every task of the process. Whoever brings much of
// it gets a few threads at a time; others pass.

import Synchronization

/// A pool of threads whose tasks may block them.
package final class Workers: Sendable {
  /// Ours: threads of the process, more than the store has readers.
  package static let threads = 16
  /// Ours: threads that the requests of one user or address have at once.
  package static let threadsPerLane = 4

  /// For requests.
  package static let shared = Workers(threads: threads, perLane: threadsPerLane)
  /// For the notifier, delivery and streams' reading, so that no request keeps them waiting.
  package static let background = Workers(threads: backgroundThreads, perLane: 2)
  private static let backgroundThreads = 6

  /// A step of a task.
  private struct Step {
    let job: UnownedJob
    let lane: Lane
  }

  private let pool: WorkerThreads
  private let lanes: Mutex<LaneShares<Step>>

  package init(threads: Int, perLane: Int) {
    pool = WorkerThreads(count: threads)
    lanes = Mutex(LaneShares(perLane: perLane))
  }

  /// Runs `body` on these threads, at most `perLane` steps of one name at a time.
  ///
  /// - Throws: what `body` throws, and nothing else.
  package func run<Value: Sendable>(
    for name: String, _ body: @concurrent @Sendable () async throws -> Value
  ) async throws -> Value {
    try await run(for: name) { _ in try await body() }
  }

  /// The same for work that goes on in another name once it is known: `body` gets its lane.
  func run<Value: Sendable>(
    for name: String, _ body: @concurrent @Sendable (Lane) async throws -> Value
  ) async throws -> Value {
    let lane = Lane(name: name, workers: self)
    return try await withTaskExecutorPreference(lane) { try await body(lane) }
  }

  /// In whose name a task's steps run: what the task believes to run them.
  final class Lane: TaskExecutor {
    private let workers: Workers
    private let current: Mutex<String>

    fileprivate init(name: String, workers: Workers) {
      self.workers = workers
      current = Mutex(name)
    }

    fileprivate var name: String { current.withLock { $0 } }

    func enqueue(_ job: consuming ExecutorJob) {
      workers.add(Step(job: UnownedJob(job), lane: self))
    }

    /// Goes on in another name, on the same thread if that name may have one. Called by a task of this
    /// lane that has no child tasks.
    func move(to name: String) async {
      let old = current.withLock { current in
        defer { current = name }
        return current
      }
      guard old != name else { return }
      let (next, mayGoOn) = workers.lanes.withLock { $0.move(from: old, to: name) }
      if let next { workers.start(next) }
      if !mayGoOn { await Task.yield() }
    }
  }

  private func add(_ step: Step) {
    let starts = lanes.withLock { $0.add(step, to: step.lane.name) }
    if starts { start(step) }
  }

  /// The pool serves in the order of asking, so lanes take turns.
  private func start(_ step: Step) {
    pool.submit {
      step.job.runSynchronously(on: step.lane.asUnownedTaskExecutor())
      if let next = self.lanes.withLock({ $0.ended(in: step.lane.name) }) { self.start(next) }
    }
  }
}
