// The writing connections, each with a thread: it takes a group of waiting writes, carries it out, answers,
// and takes the next. While a group waits for the server, others gather.
//
// What failures do: docs/internals/postgres.md.

import BrumeModel
import BrumeStorage
import Dispatch
import Logging
import Synchronization

final class Writers: Sendable {
  /// Called after each commit that may concern somebody at once, with the buckets whose logs grew by that, their last
  /// positions, and whether it was nothing but saves.
  typealias Committed = @Sendable (_ grown: [Bucket: Int64], _ isInLog: Bool) -> Void
  /// Takes what the coordinator is to do.
  typealias HandOver = @Sendable ([WriteJob], HandoverReason) -> Void
  private struct State {
    var line = WriteLine()
    /// Threads that wait for work, those without a connection first.
    var sleeping: [DispatchSemaphore] = []
    var connected: Set<ObjectIdentifier> = []
    /// The thread that waits while writes gather.
    var watching: DispatchSemaphore?
    var running = 0
    var waitingForEnd: [CheckedContinuation<Void, Never>] = []

    func isConnected(_ thread: DispatchSemaphore) -> Bool {
      connected.contains(ObjectIdentifier(thread))
    }

    mutating func sleep(_ thread: DispatchSemaphore) {
      sleeping.insert(thread, at: isConnected(thread) ? sleeping.count : 0)
    }

    /// Whether a thread leaves to others what was left to those who have a connection. The last that is awake does not.
    func passesOver(_ thread: DispatchSemaphore) -> Bool {
      !isConnected(thread) && running - sleeping.count > 1 && !line.isClosed
    }

    /// Whether another thread than this, which has none, has a connection and will look for the group.
    func mayHand(_ group: [WriteJob], _ thread: DispatchSemaphore) -> Bool {
      group.allSatisfy { !$0.isHanded } && !line.isClosed && !isConnected(thread)
        && !connected.isEmpty
        && (running - sleeping.count > 1 || sleeping.contains(where: isConnected))
    }

    /// When a write has come.
    mutating func threadToWake() -> DispatchSemaphore? {
      guard let watching else { return sleeping.popLast() }
      guard line.isGathered else { return nil }
      self.watching = nil
      return watching
    }
  }

  /// Ours: times that a group whose transaction met another one runs again as a whole; after that its writes
  /// run one by one, and a single one this often.
  private static let attempts = 5
  private static let attemptsAlone = 50

  private let state = Mutex(State())
  private let node: Node
  private let connector: Connector
  private let worker: WorkerSide?
  private let committed: Committed
  private let handOver: HandOver?

  /// - Parameters:
  ///   - worker: if the connections are to one of Citus.
  ///   - handOver: who does then what the worker does not; nil: nobody.
  init(
    _ node: Node, _ connector: Connector, worker: WorkerSide? = nil,
    committed: @escaping Committed, handOver: HandOver? = nil
  ) {
    self.node = node
    self.connector = connector
    self.worker = worker
    self.committed = committed
    self.handOver = handOver
  }

  /// Starts threads.
  ///
  /// - Parameter names: of the threads' rows of `writers`, never used before.
  func start(_ names: [String]) throws(StoreError) {
    for name in names {
      state.withLock { $0.running += 1 }
      guard EngineThread.start({ self.run(name) }) else {
        state.withLock { $0.running -= 1 }
        throw StoreError(.unavailable, "no thread for a writer")
      }
    }
  }

  func add(_ job: WriteJob) throws(StoreError) {
    try node.acknowledgements.check()
    let result = state.withLock { state -> Result<DispatchSemaphore?, StoreError> in
      do throws(StoreError) {
        try state.line.add(job)
        return .success(state.threadToWake())
      } catch {
        return .failure(error)
      }
    }
    try result.get()?.signal()
  }

  /// Serves who waits, then ends the threads.
  func close() async {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        if state.running > 0 { state.waitingForEnd.append(continuation) }
        return state.running == 0
      }
      end()
      if hasEnded { continuation.resume() }
    }
  }

  /// Takes no more jobs. The threads end when those that were taken are done.
  func end() {
    let sleeping = state.withLock { state in
      state.line.close()
      defer { state.sleeping = [] }
      return state.sleeping
    }
    for thread in sleeping { thread.signal() }
  }
}

// MARK: A thread

extension Writers {
  private enum Step {
    case run([WriteJob], wake: DispatchSemaphore?)
    case watch(milliseconds: Int)
    case sleep
    case end
  }

  private func run(_ name: String) {
    let wake = DispatchSemaphore(value: 0)
    let thread = WriterThread(name, connector, worker, node, lineAccess(wake))
    loop: while true {
      switch nextStep(wake) {
      case .run(let group, let other):
        other?.signal()
        if isHanded(group, by: thread, wake) {
          // For those that come next.
          _ = thread.connect { state.withLock { !$0.connected.isEmpty && !$0.line.isClosed } }
        } else {
          _ = carryOut(group, thread)
          state.withLock { $0.line.ended(group) }
        }
      case .watch(let milliseconds):
        if !connector.wait(wake, milliseconds), !stopWatching(wake) {
          // Somebody was about to wake it when the time had passed. The signal comes, and would be taken for the next one.
          wake.wait()
        }
      case .sleep: wake.wait()
      case .end: break loop
      }
    }
    ended()
  }

  /// Answers whether this thread was still the one that watches.
  private func stopWatching(_ wake: DispatchSemaphore) -> Bool {
    state.withLock { state in
      guard state.watching === wake else { return false }
      state.watching = nil
      return true
    }
  }

  /// Answers whether others have taken a group because they have a connection and this thread gets none.
  private func isHanded(
    _ group: [WriteJob], by thread: WriterThread, _ wake: DispatchSemaphore
  ) -> Bool {
    guard handOver == nil, state.withLock({ $0.mayHand(group, wake) }),
      !thread.connect(while: { false })
    else { return false }
    let (isHanded, other) = state.withLock { state -> (Bool, DispatchSemaphore?) in
      guard state.mayHand(group, wake) else { return (false, nil) }
      state.line.putBack(group)
      let other = state.sleeping.lastIndex(where: state.isConnected)
      return (true, other.map { state.sleeping.remove(at: $0) })
    }
    other?.signal()
    return isHanded
  }

  private func note(_ thread: DispatchSemaphore, isConnected: Bool) {
    state.withLock { state in
      if isConnected {
        state.connected.insert(ObjectIdentifier(thread))
      } else {
        state.connected.remove(ObjectIdentifier(thread))
      }
    }
  }

  private func lineAccess(_ wake: DispatchSemaphore) -> WriterThread.LineAccess {
    WriterThread.LineAccess(
      isAwaited: { [weak self] in self?.state.withLock { !$0.line.isEmpty } ?? false },
      isClosed: { [weak self] in self?.state.withLock { $0.line.isClosed } ?? true },
      last: { [weak self] in self?.state.withLock { $0.line.last } ?? 0 },
      noteConnection: { [weak self] in self?.note(wake, isConnected: $0) },
      refuse: { [weak self] group, last, error in self?.refuse(group, through: last, error) })
  }

  private func refuse(_ group: [WriteJob], through last: Int64, _ error: StoreError) {
    let behind = state.withLock { $0.line.takeBehind(group, through: last) }
    for job in behind { job.finish(error) }
  }

  private func nextStep(_ wake: DispatchSemaphore) -> Step {
    let now = connector.milliseconds()
    return state.withLock { state in
      switch state.line.next(at: now, passingOver: state.passesOver(wake)) {
      case .group(let group):
        return .run(group, wake: state.line.isEmpty ? nil : state.sleeping.popLast())
      case .gathering(let left) where state.watching == nil:
        state.watching = wake
        return .watch(milliseconds: Int(left))
      case .nothing where state.line.isClosed && state.line.isEmpty: return .end
      case .gathering, .nothing:
        state.sleep(wake)
        return .sleep
      }
    }
  }

  private func ended() {
    let (sleeping, waiting) = state.withLock { state in
      state.running -= 1
      let waiting = state.running == 0 ? state.waitingForEnd : []
      if state.running == 0 { state.waitingForEnd = [] }
      defer { state.sleeping = [] }
      return (state.sleeping, waiting)
    }
    // Those who went to sleep for a group that is done.
    for thread in sleeping { thread.signal() }
    for continuation in waiting { continuation.resume() }
  }

  /// Answers why others fail too: the database cannot be reached, or their locks cannot be had. Nil: none does.
  private func carryOut(_ group: [WriteJob], _ thread: WriterThread) -> StoreError? {
    let limit = group.count > 1 ? Self.attempts : Self.attemptsAlone
    let last = state.withLock { $0.line.last }
    do {
      let outcome = try thread.commit(group, attempts: limit)
      for (job, error) in zip(group, outcome.errors) { job.finish(error) }
      let isInLog = group.allSatisfy(\.isInLog)
      if !outcome.grown.isEmpty || !isInLog { committed(outcome.grown, isInLog) }
    } catch let error where group.count > 1 && Self.mayBeOfOne(error) {
      return carryOutEach(group, thread)
    } catch let error where handOver != nil && HandoverReason(error) != nil {
      handOver(group, through: last, error)
    } catch let error as StoreError where error.code == .unreachable {
      for job in group { job.finish(error) }
      // Who has waited as long gets no other answer.
      refuse(group, through: last, error)
      return error
    } catch {
      let failure = error as? ServerError
      let reported = failure?.storeError
      for job in group { job.finish(reported ?? error) }
      if failure?.isOfPreparing == true, reported?.code == .tooSlow { return reported }
    }
    return nil
  }

  /// With those behind it that would wait for the same worker in vain.
  private func handOver(_ group: [WriteJob], through last: Int64, _ error: any Error) {
    guard let handOver, let reason = HandoverReason(error) else { return }
    let behind =
      reason == .isAway ? state.withLock { $0.line.takeBehind(group, through: last) } : []
    handOver(group + behind, reason)
  }

  /// Whether a single write may be the reason: the server refuses it, or what it has planned to read is damaged.
  private static func mayBeOfOne(_ error: any Error) -> Bool {
    if let error = error as? ServerError { return !error.isConnectionLost }
    return (error as? StoreError)?.code == .corrupt
  }

  /// One of them cannot be: the others shall not suffer for it, nor wait for locks for which one has waited in vain.
  private func carryOutEach(_ group: [WriteJob], _ thread: WriterThread) -> StoreError? {
    var missed: [(locks: Set<Locks.Lock>, error: StoreError)] = []
    for (index, job) in group.enumerated() {
      if let known = missed.first(where: { $0.locks.isSubset(of: job.locks) }) {
        job.finish(known.error)
        continue
      }
      guard let error = carryOut([job], thread) else { continue }
      if error.code == .tooSlow {
        missed.append((Set(job.locks), error))
        continue
      }
      for job in group.dropFirst(index + 1) { job.finish(error) }
      return error
    }
    return nil
  }
}
