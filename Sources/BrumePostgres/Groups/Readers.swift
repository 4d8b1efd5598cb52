// The reading connections, each with a thread. A read sees one state; when the server fails in the middle it
// is asked again, because asking changes nothing.
//
// A caller whose thread may wait reads on it, with a connection that nobody uses: two changes of threads are as long as
// a small answer takes.

import BrumeQueryPlan
import BrumeStorage
import Dispatch
import Synchronization

struct ReadJob: Sendable {
  let plan: ReadPlan
  /// Whether a query that misses an index ends the read.
  let asksForIndex: Bool
  /// Whether somebody still waits for the answer.
  let isWanted: @Sendable () -> Bool
  let run: @Sendable (PostgresTransaction) throws -> Void
  /// Answers the caller.
  let finish: @Sendable ((any Error)?) -> Void
  /// In the order of coming.
  var number: Int64 = 0
}

final class Readers: Sendable {
  /// A connection, and where its thread sleeps.
  // Sendable because whoever took it out of those that sleep has it alone: its own thread, or a caller who reads with it.
  private final class Seat: @unchecked Sendable {
    var connection: Connection?
    let wake = DispatchSemaphore(value: 0)
  }

  private struct State {
    /// The longest waiting last.
    var leaving: [ReadJob] = []
    var arriving: [ReadJob] = []
    var sleeping: [Seat] = []
    var isClosed = false
    /// Of the read that came last.
    var last: Int64 = 0
    /// Whether a thread that has nothing to do may sleep.
    var isIdle: Bool { leaving.isEmpty && arriving.isEmpty && !isClosed }

    mutating func add(_ job: ReadJob) {
      var job = job
      last += 1
      job.number = last
      arriving.append(job)
    }

    mutating func next() -> ReadJob? {
      if leaving.isEmpty { (leaving, arriving) = (arriving.reversed(), []) }
      return leaving.popLast()
    }

    /// Those that wait and came no later than the one with this number.
    mutating func take(through number: Int64) -> [ReadJob] {
      let waiting: [ReadJob] = leaving.reversed() + arriving
      let taken = waiting.prefix { $0.number <= number }
      (leaving, arriving) = ([], Array(waiting.dropFirst(taken.count)))
      return Array(taken)
    }
  }
  private enum Step {
    case run(ReadJob)
    case sleep
    case end
  }
  /// There is no connection to be had.
  private struct Away: Error { let error: StoreError }
  /// Ours: beyond it reads are refused.
  private static let waitingLimit = 10_000
  /// Ours: connections on which one read may fail.
  private static let attempts = 3

  private let state = Mutex(State())
  private let node: Node
  private let connector: Connector
  /// Takes what the coordinator of Citus is to do.
  typealias HandOver = @Sendable (ReadJob, Handover) -> Void
  private let handOver: HandOver?

  /// - Parameter handOver: who does what a worker of Citus does not; nil: nobody.
  init(_ node: Node, _ connector: Connector, handOver: HandOver? = nil) {
    self.node = node
    self.connector = connector
    self.handOver = handOver
  }

  func start(_ count: Int) throws(StoreError) {
    for _ in 0..<count {
      guard EngineThread.start({ self.run() }) else {
        throw StoreError(.unavailable, "no thread for a reader")
      }
    }
  }

  func add(_ job: ReadJob) throws(StoreError) {
    try node.acknowledgements.check()
    let result = state.withLock { state -> Result<Seat?, StoreError> in
      if state.isClosed { return .failure(.closed) }
      guard state.arriving.count < Self.waitingLimit else {
        return .failure(StoreError(.noRoom, "too many reads wait; slow down"))
      }
      state.add(job)
      return .success(state.sleeping.popLast())
    }
    try result.get()?.wake.signal()
  }

  /// Reads on the calling thread, which waits for the answer. Answers false, and has not read, if no connection is free
  /// and there.
  func runNow(_ job: ReadJob) throws(StoreError) -> Bool {
    try node.acknowledgements.check()
    let free = state.withLock { state -> Seat? in
      guard state.isIdle, state.sleeping.last?.connection?.isUsable == true else { return nil }
      return state.sleeping.popLast()
    }
    guard let seat = free else { return false }
    let error = carryOut(job, &seat.connection)
    giveBack(seat)
    answer(job, error)
    return true
  }

  /// Ends a connection that nobody uses, if another one is left. Its thread gets work after all others.
  func giveUpConnection() {
    let free = state.withLock { state -> Seat? in
      let connected = state.sleeping.indices.filter { state.sleeping[$0].connection != nil }
      return connected.count > 1 ? state.sleeping.remove(at: connected[0]) : nil
    }
    guard let seat = free else { return }
    seat.connection = nil
    giveBack(seat, at: 0)
  }

  private func giveBack(_ seat: Seat, at place: Int? = nil) {
    let sleepsOn = state.withLock { state in
      if state.isIdle { state.sleeping.insert(seat, at: place ?? state.sleeping.count) }
      return state.isIdle
    }
    if !sleepsOn { seat.wake.signal() }
  }

  func close() {
    let sleeping = state.withLock { state in
      state.isClosed = true
      defer { state.sleeping = [] }
      return state.sleeping
    }
    for seat in sleeping { seat.wake.signal() }
  }

  // MARK: A thread

  private func run() {
    let seat = Seat()
    while true {
      switch nextStep(seat) {
      case .run(let job): answer(job, carryOut(job, &seat.connection))
      case .sleep: seat.wake.wait()
      case .end: return
      }
    }
  }

  private func nextStep(_ seat: Seat) -> Step {
    state.withLock { state in
      if let job = state.next() { return .run(job) }
      if state.isClosed { return .end }
      // Whoever has no connection gets work after all others.
      state.sleeping.insert(seat, at: seat.connection == nil ? 0 : state.sleeping.count)
      return .sleep
    }
  }

  private func answer(_ job: ReadJob, _ error: (any Error)?) {
    if let handOver, let reason = error.flatMap({ Handover($0) }) { return handOver(job, reason) }
    job.finish((error as? ServerError)?.storeError ?? error)
  }

  /// Answers what went wrong.
  private func carryOut(_ job: ReadJob, _ connection: inout Connection?) -> (any Error)? {
    let last = state.withLock { $0.last }
    var attempt = 1
    while true {
      do {
        let used = try connection ?? connected(for: job)
        connection = used
        try read(job, used)
        return nil
      } catch let away as Away {
        // Who has waited as long gets no other answer, and would wait for as many attempts as there are before it.
        for job in state.withLock({ $0.take(through: last) }) { answer(job, away.error) }
        return away.error
      } catch let error as ServerError {
        if error.isConnectionLost { connection = nil }
        guard error.isConnectionLost || error.isConflict, attempt < Self.attempts else {
          return error
        }
        attempt += 1
      } catch {
        return error
      }
    }
  }

  private func connected(for job: ReadJob) throws -> Connection {
    let new: Connection
    do throws(StoreError) { new = try connector.connect(while: job.isWanted) } catch {
      if !job.isWanted() { throw CancellationError() }
      throw Away(error: error)
    }
    try node.acknowledgements.check(on: new)
    return new
  }

  private func read(_ job: ReadJob, _ connection: Connection) throws {
    let session = Session(connection, isWanted: job.isWanted)
    session.begin(Self.begin)
    let transaction = PostgresTransaction(
      session, node, QueryTuning(asksForIndex: job.asksForIndex))
    do {
      try transaction.prepare([], job.plan.reads)
      try job.run(transaction)
    } catch {
      try session.end()
      // The body may have caught the server's error and thrown its own.
      throw session.failure ?? error
    }
    if let failure = session.failure { throw failure }
    try session.end()
    transaction.committed()
  }

  private static let begin = SQL("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
}
