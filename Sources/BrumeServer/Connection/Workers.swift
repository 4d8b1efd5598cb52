// Threads for what asks the store: such work may block its thread, and on an event loop it would hold up
// all connections of the loop, on Swift's own threads every task of the process. Whoever brings much of
// it gets a few threads at a time; others pass. Who has lately brought much gets threads that give way to all
// others (`GivingWay.swift`).

import BrumeDelivery
import BrumeStorage
import FoundationEssentials
import Synchronization

/// A pool of threads whose tasks may block them.
package final class Workers: Sendable {
  /// Ours: threads of the process for requests, and as many for those of whoever has brought much.
  package static let threads = 16
  /// Ours: threads that the requests of one user or address have at once: no more than the machine has processors, as
  /// those that wait for one hold what others need, and two at least, as one may wait for a disk.
  package static let threadsPerLane = min(4, max(2, ProcessInfo.processInfo.activeProcessorCount))

  /// For requests.
  package static let shared = Workers(
    threads: threads, perLane: threadsPerLane, perAddress: AddressShare.threads,
    givingWay: GivingWay(threads: threads, perLane: GivingWay.threadsPerLane, clocks: .system))
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
  /// Nil: nobody gives way.
  private let givingWay: GivingWay?
  private let shares: Mutex<Shares>

  /// - Parameters:
  ///   - perLane: threads that the steps of one name have at once.
  ///   - perAddress: threads that all that comes from one address has at once.
  ///   - givingWay: the threads of those who have brought much; nil: nobody gives way, as with the server's own work.
  package init(
    threads: Int, perLane: Int, perAddress: Int = .max, givingWay: GivingWay? = nil
  ) {
    pool = WorkerThreads(count: threads)
    self.givingWay = givingWay
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
      if !mayGoOn || workers.givingWay?.isMuch(for: name) == true { await Task.yield() }
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
    let name = step.lane.name
    guard let givingWay, givingWay.isMuch(for: name) else {
      return pool.submit { [self] in carryOut(step) }
    }
    givingWay.submit(for: name) { [self] in carryOut(step) }
  }

  private func carryOut(_ step: Step) {
    let began = givingWay?.begin() ?? 0
    step.job.runSynchronously(on: step.lane.asUnownedTaskExecutor())
    givingWay?.count(since: began, for: step.lane.name)
    for next in shares.withLock({ $0.ended(step) }) { start(next) }
  }
}
