// Threads for what asks the store: such work may block its thread, and on an event loop it would hold up
// all connections of the loop, on Swift's own threads every task of the process. Whoever brings much of
// it gets a few threads at a time; others pass.

import NIOPosix
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

  /// A step of a task, and whom the task believes to run it.
  fileprivate typealias Step = (job: UnownedJob, lane: Lane)

  /// The work of one user or address.
  fileprivate struct Queue {
    var running = 0
    var waiting: [Step] = []
    /// Where `waiting` begins.
    var next = 0
  }

  private let pool: NIOThreadPool
  private let perLane: Int
  private let queues = Mutex<[String: Queue]>([:])

  package init(threads: Int, perLane: Int) {
    pool = NIOThreadPool(numberOfThreads: threads)
    pool.start()
    self.perLane = perLane
  }

  /// Runs `body` on these threads, at most `perLane` of them at a time for one name.
  package func run<Value: Sendable>(
    for lane: String, _ body: @concurrent @Sendable () async throws -> Value
  ) async throws -> Value {
    try await withTaskExecutorPreference(Lane(name: lane, workers: self)) { try await body() }
  }

  fileprivate final class Lane: TaskExecutor {
    let name: String
    let workers: Workers

    init(name: String, workers: Workers) {
      self.name = name
      self.workers = workers
    }

    func enqueue(_ job: consuming ExecutorJob) { workers.add((UnownedJob(job), self)) }
  }

  private func add(_ step: Step) {
    let mayStart = queues.withLock { queues in
      var queue = queues.removeValue(forKey: step.lane.name) ?? Queue()
      let mayStart = queue.running < perLane
      if mayStart { queue.running += 1 } else { queue.waiting.append(step) }
      queues[step.lane.name] = queue
      return mayStart
    }
    if mayStart { start(step) }
  }

  /// The pool serves in the order of asking, so lanes take turns.
  private func start(_ step: Step) {
    pool.submit { _ in
      step.job.runSynchronously(on: step.lane.asUnownedTaskExecutor())
      if let next = self.ended(step.lane.name) { self.start(next) }
    }
  }

  /// Answers what the lane's free thread may do next.
  private func ended(_ lane: String) -> Step? {
    queues.withLock { queues in
      guard var queue = queues.removeValue(forKey: lane) else { return nil }
      let step = queue.takeNext()
      if step == nil { queue.running -= 1 }
      if queue.running > 0 { queues[lane] = queue }
      return step
    }
  }
}

extension Workers.Queue {
  fileprivate mutating func takeNext() -> Workers.Step? {
    guard next < waiting.count else { return nil }
    defer {
      next += 1
      if next * 2 > waiting.count {
        waiting.removeFirst(next)
        next = 0
      }
    }
    return waiting[next]
  }
}
