// Threads for what asks the store: such work may block its thread, and on an event loop it would hold up
// all connections of the loop, on Swift's own threads every task of the process. Whoever brings much of
// it gets a few threads at a time; others pass. Who has lately brought more than `LaneWork.much` gets threads that
// give way to all others.

import BrumeDelivery
import BrumeStorage
import Dispatch
import FoundationEssentials
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A pool of threads whose tasks may block them.
package final class Workers: Sendable {
  /// Ours: threads of the process for requests, and as many for those of whoever has brought much.
  package static let threads = 16
  /// Ours: threads that the requests of one user or address have at once: no more than the machine has processors, as
  /// those that wait for one hold what others need, and two at least, as one may wait for a disk.
  package static let threadsPerLane = min(4, max(2, ProcessInfo.processInfo.activeProcessorCount))

  /// For requests.
  package static let shared = Workers(
    threads: threads, perLane: threadsPerLane, perAddress: AddressShare.threads, clocks: .system)
  /// For the notifier, delivery and streams' reading, so that no request keeps them waiting.
  package static let background = Workers(threads: backgroundThreads, perLane: 2)
  private static let backgroundThreads = 6
  /// All of them, which may all read at the same time.
  package static let readingThreads = 2 * threads + backgroundThreads

  /// A step of a task.
  private struct Step {
    let job: UnownedJob
    let lane: Lane
  }

  /// A step waits for its name, then for the address that it comes from.
  private struct Shares {
    var lanes: LaneShares<Step>
    var addresses: LaneShares<Step>

    /// Answers whether a step whose name has a thread for it may start now.
    mutating func admit(_ step: Step) -> Bool {
      guard let address = step.lane.address else { return true }
      return addresses.add(step, to: address)
    }

    /// Answers what may start in place of the step that ended.
    mutating func ended(_ step: Step) -> [Step] {
      let sameAddress = step.lane.address.flatMap { addresses.ended(in: $0) }
      let sameName = lanes.ended(in: step.lane.name).flatMap { admit($0) ? $0 : nil }
      return [sameAddress, sameName].compactMap(\.self)
    }
  }

  private let pool: WorkerThreads
  /// As many threads, for whoever has brought much, and what says who has. Nil: nobody gives way.
  private let givingWay: (threads: WorkerThreads, clocks: Clocks)?
  private let work = Mutex(LaneWork())
  private let shares: Mutex<Shares>

  /// In nanoseconds.
  package struct Clocks: Sendable {
    /// What the calling thread has had of a processor.
    package let processorTime: @Sendable () -> Int64
    /// Only rises.
    let now: @Sendable () -> Int64

    package init(
      processorTime: @escaping @Sendable () -> Int64, now: @escaping @Sendable () -> Int64
    ) {
      self.processorTime = processorTime
      self.now = now
    }

    /// The system's.
    package static let system = Clocks {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    } now: {
      Int64(clamping: DispatchTime.now().uptimeNanoseconds)
    }
  }

  /// - Parameters:
  ///   - perLane: threads that the steps of one name have at once.
  ///   - perAddress: threads that all that comes from one address has at once.
  ///   - clocks: by which some have brought much, and give way; nil: nobody does, as with the server's own work.
  package init(
    threads: Int, perLane: Int, perAddress: Int = .max, clocks: Clocks? = nil
  ) {
    pool = WorkerThreads(count: threads)
    givingWay = clocks.map { (WorkerThreads(count: threads, giveWay: true), $0) }
    shares = Mutex(
      Shares(lanes: LaneShares(perLane: perLane), addresses: LaneShares(perLane: perAddress)))
  }

  /// Runs `body` on these threads, at most `perLane` steps of one name at a time.
  ///
  /// - Parameter address: where the work comes from; nil: from the server itself.
  /// - Throws: what `body` throws, and nothing else.
  package func run<Value: Sendable>(
    for name: String, at address: String? = nil,
    _ body: @concurrent @Sendable () async throws -> Value
  ) async throws -> Value {
    try await run(for: name, at: address) { _ in try await body() }
  }

  /// The same for work that goes on in another name once it is known: `body` gets its lane.
  func run<Value: Sendable>(
    for name: String, at address: String? = nil,
    _ body: @concurrent @Sendable (Lane) async throws -> Value
  ) async throws -> Value {
    let lane = Lane(name: name, address: address, workers: self)
    // Nobody's turn comes before the server's own work.
    let reader = givingWay == nil ? nil : ReaderName { lane.name }
    return try await ReaderName.$current.withValue(reader) {
      try await withTaskExecutorPreference(lane) { try await body(lane) }
    }
  }

  /// In whose name a task's steps run: what the task believes to run them.
  final class Lane: TaskExecutor {
    private let workers: Workers
    private let current: Mutex<String>
    fileprivate let address: String?

    fileprivate init(name: String, address: String?, workers: Workers) {
      self.workers = workers
      self.address = address
      current = Mutex(name)
    }

    fileprivate var name: String { current.withLock { $0 } }

    func enqueue(_ job: consuming ExecutorJob) {
      workers.add(Step(job: UnownedJob(job), lane: self))
    }

    /// Goes on in another name, on the same thread if that name may have one and has not brought much. Called by a
    /// task of this lane that has no child tasks.
    func move(to name: String) async {
      let old = current.withLock { current in
        defer { current = name }
        return current
      }
      guard old != name else { return }
      let (next, mayGoOn) = workers.shares.withLock { shares in
        let (next, mayGoOn) = shares.lanes.move(from: old, to: name)
        return (next.flatMap { shares.admit($0) ? $0 : nil }, mayGoOn)
      }
      if let next { workers.start(next) }
      if !mayGoOn || workers.isMuch(for: name) { await Task.yield() }
    }
  }

  private func add(_ step: Step) {
    let starts = shares.withLock { shares in
      guard shares.lanes.add(step, to: step.lane.name) else { return false }
      return shares.admit(step)
    }
    if starts { start(step) }
  }

  /// The pool serves in the order of asking, so lanes take turns.
  private func start(_ step: Step) {
    let threads = isMuch(for: step.lane.name) ? givingWay?.threads : nil
    (threads ?? pool).submit { [self] in
      let began = givingWay?.clocks.processorTime() ?? 0
      step.job.runSynchronously(on: step.lane.asUnownedTaskExecutor())
      if let clocks = givingWay?.clocks {
        let took = clocks.processorTime() - began
        work.withLock { $0.add(took, for: step.lane.name, now: clocks.now()) }
      }
      for next in shares.withLock({ $0.ended(step) }) { start(next) }
    }
  }

  private func isMuch(for name: String) -> Bool {
    guard let now = givingWay?.clocks.now() else { return false }
    return work.withLock { $0.isMuch(for: name, now: now) }
  }
}
