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
  /// Connections on which it failed.
  var failures = 0
}

final class Readers: Sendable {
  private enum Step {
    case run(ReadJob)
    case sleep
    case end
  }
  /// There is no connection to be had.
  private struct Away: Error { let error: StoreError }
  /// What becomes of a read.
  private enum Outcome {
    case answered((any Error)?)
    /// Others, who have connections, take it.
    case passedOn
  }
  /// Ours: beyond it reads are refused.
  private static let waitingLimit = 10_000
  /// Ours: connections on which one read may fail.
  private static let attempts = 3

  private let state = Mutex(ReadQueue())
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
    let result = state.withLock { state -> Result<ReaderSeat?, StoreError> in
      if state.isClosed { return .failure(.closed) }
      guard state.arriving.count < Self.waitingLimit else {
        return .failure(StoreError(.noRoom, "too many reads wait; slow down"))
      }
      return .success(state.add(job))
    }
    try result.get()?.wake.signal()
  }

  /// Reads on the calling thread, which waits for the answer. Answers false, and has not read, if no connection is free
  /// and there.
  func runNow(_ job: ReadJob) throws(StoreError) -> Bool {
    try node.acknowledgements.check()
    let free = state.withLock { state -> ReaderSeat? in
      state.isIdle ? state.takeConnected() : nil
    }
    guard let seat = free else { return false }
    let outcome = carryOut(job, &seat.connection)
    giveBack(seat)
    answer(job, outcome)
    return true
  }

  private func giveBack(_ seat: ReaderSeat) {
    let sleepsOn = state.withLock { state in
      if state.isIdle { state.sleep(seat) }
      return state.isIdle
    }
    if !sleepsOn { seat.wake.signal() }
  }

  func close() {
    for seat in state.withLock({ $0.close() }) { seat.wake.signal() }
  }

  // MARK: A thread

  private func run() {
    let seat = ReaderSeat()
    while true {
      switch nextStep(seat) {
      case .run(let job):
        let outcome = carryOut(job, &seat.connection)
        answer(job, outcome)
        if case .passedOn = outcome { rest(seat) }
      case .sleep: seat.wake.wait()
      case .end: return
      }
    }
  }

  private func nextStep(_ seat: ReaderSeat) -> Step {
    state.withLock { state in
      if let job = state.next() { return .run(job) }
      if state.isClosed { return .end }
      state.sleep(seat)
      return .sleep
    }
  }

  /// Leaves what waits to those who have a connection, until a read comes that they are too few for.
  private func rest(_ seat: ReaderSeat) {
    let sleeps = state.withLock { state in
      if !state.isClosed { state.sleep(seat) }
      return !state.isClosed
    }
    if sleeps { seat.wake.wait() }
  }

  private func answer(_ job: ReadJob, _ outcome: Outcome) {
    guard case .answered(let error) = outcome else { return }
    if let handOver, let reason = error.flatMap({ Handover($0) }) { return handOver(job, reason) }
    job.finish((error as? ServerError)?.storeError ?? error)
  }

  private func carryOut(_ job: ReadJob, _ connection: inout Connection?) -> Outcome {
    let last = state.withLock { $0.last }
    var job = job
    while true {
      do {
        let used = try connection ?? connected(for: job)
        connection = used
        try read(job, used)
        return .answered(nil)
      } catch let away as Away {
        if passOn(job) { return .passedOn }
        // Who has waited as long gets no other answer, and would wait for as many attempts as there are before it.
        for job in state.withLock({ $0.take(through: last) }) { answer(job, .answered(away.error)) }
        return .answered(away.error)
      } catch let error as ServerError {
        if error.isConnectionLost, connection != nil {
          state.withLock { $0.connected -= 1 }
          connection = nil
        }
        job.failures += 1
        guard error.isConnectionLost || error.isConflict, job.failures < Self.attempts else {
          return .answered(error)
        }
      } catch {
        return .answered(error)
      }
    }
  }

  /// Answers whether others have connections, and take the read.
  private func passOn(_ job: ReadJob) -> Bool {
    let (isPassedOn, woken) = state.withLock { state -> (Bool, ReaderSeat?) in
      guard state.connected > 0, !state.isClosed else { return (false, nil) }
      return (true, state.passOn(job))
    }
    woken?.wake.signal()
    return isPassedOn
  }

  private func connected(for job: ReadJob) throws -> Connection {
    let new: Connection
    do throws(StoreError) {
      // Nobody waits for another connection while there are some: the server may have no more to give.
      new = try connector.connect { [self] in
        job.isWanted() && state.withLock { $0.connected == 0 }
      }
    } catch {
      if !job.isWanted() { throw CancellationError() }
      throw Away(error: error)
    }
    try node.acknowledgements.check(on: new)
    state.withLock { $0.connected += 1 }
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
