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
  /// In whose name; nil: the server itself.
  var name: String?
  /// Whether somebody still waits for the answer.
  let isWanted: @Sendable () -> Bool
  let run: @Sendable (PostgresTransaction) throws -> Void
  /// Answers the caller.
  let finish: @Sendable ((any Error)?) -> Void
  /// In the order of coming.
  var number: Int64 = 0
  /// Whether it was left to those who have a connection: once.
  var isHanded = false
}

final class Readers: Sendable {
  /// What becomes of a read.
  private enum Outcome {
    case answered((any Error)?)
    /// Others, who have connections, take it.
    case handed
  }
  /// There is no connection to be had.
  private struct NoConnection: Error { let error: StoreError }
  /// Others took the read.
  private struct Handed: Error {}
  /// Ours: connections on which one read may fail.
  private static let attempts = 3

  private let line = Mutex(ReadLine())
  private let node: Node
  private let connector: Connector
  /// Takes what the coordinator of Citus is to do.
  typealias HandOver = @Sendable (ReadJob, HandoverReason) -> Void
  private let handOver: HandOver?

  /// - Parameter handOver: who does what a worker of Citus does not; nil: nobody.
  init(_ node: Node, _ connector: Connector, handOver: HandOver? = nil) {
    self.node = node
    self.connector = connector
    self.handOver = handOver
  }

  func start(_ count: Int) throws(StoreError) {
    for _ in 0..<count {
      line.withLock { $0.threadBegins() }
      guard EngineThread.start({ self.run() }) else {
        throw StoreError(.unavailable, "no thread for a reader")
      }
    }
  }

  func add(_ job: ReadJob) throws(StoreError) {
    try node.acknowledgements.check()
    let result = line.withLock { line -> Result<ReaderThread?, StoreError> in
      do throws(StoreError) { return .success(try line.add(job)) } catch { return .failure(error) }
    }
    try result.get()?.wake.signal()
  }

  /// Reads on the calling thread, which waits for the answer. Answers false, and has not read, if no connection is free
  /// and there.
  func runNow(_ job: ReadJob) throws(StoreError) -> Bool {
    try node.acknowledgements.check()
    let free = line.withLock { $0.takeConnected(for: job) }
    guard let thread = free else { return false }
    let outcome = carryOut(job, thread)
    giveBack(thread)
    answer(job, outcome)
    return true
  }

  /// Ends a connection that nobody uses, if another one is left. Its thread gets work after all others.
  func giveUpConnection() {
    guard let thread = line.withLock({ $0.takeSpare() }) else { return }
    set(nil, of: thread)
    giveBack(thread)
  }

  private func giveBack(_ thread: ReaderThread) {
    let sleepsOn = line.withLock { line in
      if line.isIdle { line.sleep(thread) }
      return line.isIdle
    }
    if !sleepsOn { thread.wake.signal() }
  }

  func close() {
    for thread in line.withLock({ $0.close() }) { thread.wake.signal() }
  }

  // MARK: A thread

  private func run() {
    let thread = ReaderThread()
    while true {
      switch line.withLock({ $0.next(thread) }) {
      case .run(let job, let other):
        other?.wake.signal()
        let outcome = carryOut(job, thread)
        answer(job, outcome)
        if case .handed = outcome { connect(thread) }
      case .sleep: thread.wake.wait()
      case .end: return
      }
    }
  }

  private func answer(_ job: ReadJob, _ outcome: Outcome) {
    guard case .answered(let error) = outcome else { return }
    if let handOver, let reason = error.flatMap({ HandoverReason($0) }) {
      return handOver(job, reason)
    }
    job.finish((error as? ServerError)?.storeError ?? error)
  }

  private func carryOut(_ job: ReadJob, _ thread: ReaderThread) -> Outcome {
    var begun: Int64?
    let outcome = outcome(of: job, thread, beginning: &begun)
    if case .answered = outcome {
      let took = begun.map { connector.milliseconds() - $0 }
      line.withLock { $0.ended(job, milliseconds: took) }
    }
    return outcome
  }

  /// - Parameter begun: set when there is a connection: that it was waited for does not make a long read.
  private func outcome(
    of job: ReadJob, _ thread: ReaderThread, beginning begun: inout Int64?
  ) -> Outcome {
    let last = line.withLock { $0.last }
    var attempt = 1
    while true {
      do {
        let connection = try thread.connection ?? connected(thread, for: job)
        begun = connector.milliseconds()
        try read(job, connection)
        return .answered(nil)
      } catch is Handed {
        return .handed
      } catch let failure as NoConnection {
        // Who has waited as long gets no other answer, and would wait for as many attempts as there are before it.
        for job in line.withLock({ $0.takeHopeless(through: last) }) {
          answer(job, .answered(failure.error))
        }
        return .answered(failure.error)
      } catch let error as ServerError {
        if error.isConnectionLost { set(nil, of: thread) }
        guard error.isConnectionLost || error.isConflict, attempt < Self.attempts else {
          return .answered(error)
        }
        attempt += 1
      } catch {
        return .answered(error)
      }
    }
  }

  private func set(_ connection: Connection?, of thread: ReaderThread) {
    thread.connection = connection
    line.withLock { $0.note(thread, isConnected: connection != nil) }
  }

  /// Nobody is patient while others have connections: they take the read.
  private func connected(_ thread: ReaderThread, for job: ReadJob) throws -> Connection {
    var (isEarly, new): (Bool, Connection?) = (false, nil)
    do throws(StoreError) {
      new = try connector.connect {
        isEarly = line.withLock { $0.mayHand(job) }
        return job.isWanted() && !isEarly
      }
    } catch {
      if !job.isWanted() { throw CancellationError() }
      if hand(job) { throw Handed() }
      guard isEarly else { throw NoConnection(error: error) }
    }
    if let new { return try take(new, thread) }
    // They lost theirs meanwhile.
    var job = job
    job.isHanded = true
    return try connected(thread, for: job)
  }

  private func take(_ new: Connection, _ thread: ReaderThread) throws -> Connection {
    try node.acknowledgements.check(on: new)
    set(new, of: thread)
    return new
  }

  /// Answers whether others have connections, and take the read.
  private func hand(_ job: ReadJob) -> Bool {
    let woken = line.withLock { $0.hand(job) }
    for thread in woken ?? [] { thread.wake.signal() }
    return woken != nil
  }

  /// Goes on trying for those that come next, until a read that was handed over needs somebody.
  private func connect(_ thread: ReaderThread) {
    let new = try? connector.connect { line.withLock { !$0.isHopeless && !$0.isClosed } }
    if let new { _ = try? take(new, thread) }
  }

  private func read(_ job: ReadJob, _ connection: Connection) throws {
    let session = Session(connection, isWanted: job.isWanted)
    session.begin(Self.begin)
    let transaction = PostgresTransaction(
      session, node, QueryTuning(asksForIndex: job.asksForIndex))
    do {
      try transaction.prepare([], job.plan)
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
