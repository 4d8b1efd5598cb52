// What waits to be read, and whose thread has nothing to do, as a value. It starts no thread and waits for nothing;
// `Readers` does. Whose read comes next is `ReadTurns`'.
//
// A read that gets no connection is handed to those who have one, once. While any read waits, a thread is awake that will
// look for it: the last one takes whatever there is.

import BrumeStorage
import DequeModule
import Dispatch

/// A thread that reads: its connection, and where it sleeps.
// Sendable because whoever took it out of those that sleep has it alone: the thread, or a caller who reads with its connection.
final class ReaderThread: @unchecked Sendable {
  var connection: Connection?
  let wake = DispatchSemaphore(value: 0)
}

struct ReadLine {
  enum Step {
    /// - Parameter wake: who looks for what else waits.
    case run(ReadJob, wake: ReaderThread?)
    case sleep
    case end
  }
  /// Ours: beyond it reads are refused.
  private static let waitingLimit = 10_000

  private var turns = ReadTurns()
  /// For those who have a connection.
  private var handed: Deque<ReadJob> = []
  /// Those without a connection first: they get work after all others.
  private(set) var sleeping: [ReaderThread] = []
  private var threads = 0 { didSet { turns.connections = threads } }
  private var connected: Set<ObjectIdentifier> = []
  private(set) var isClosed = false { didSet { turns.leavesNone = isClosed } }
  /// Of the read that came last.
  private(set) var last: Int64 = 0

  /// Whether a thread that has nothing to do may sleep.
  var isIdle: Bool { handed.isEmpty && !turns.hasNext && !isClosed }
  private var awake: Int { threads - sleeping.count }

  mutating func threadBegins() { threads += 1 }

  /// Answers whom to wake for it.
  mutating func add(_ job: ReadJob) throws(StoreError) -> ReaderThread? {
    if isClosed { throw .closed }
    guard turns.count + handed.count < Self.waitingLimit else {
      throw StoreError(.noRoom, "too many reads wait; slow down")
    }
    var job = job
    last += 1
    job.number = last
    turns.add(job)
    return threadToWake()
  }

  /// What a thread does next.
  mutating func next(_ thread: ReaderThread) -> Step {
    if isConnected(thread) || awake <= 1 || isClosed, let job = handed.popFirst() {
      turns.begins(job.name)
      return .run(job, wake: threadToWake())
    }
    if let job = turns.next() { return .run(job, wake: threadToWake()) }
    if isClosed {
      threads -= 1
      return .end
    }
    sleep(thread)
    return .sleep
  }

  /// Also when one has just begun: the end of one before may let two begin, and whoever was woken for the second may
  /// have slept again before.
  private mutating func threadToWake() -> ReaderThread? {
    turns.hasNext ? sleeping.popLast() : nil
  }

  /// A read is over, and took so long; nil: it had no connection.
  mutating func ended(_ job: ReadJob, milliseconds: Int64?) {
    turns.ended(job.name, milliseconds: milliseconds)
  }

  /// Those that wait and came no later than the read with this number, if nobody has a connection for them.
  mutating func takeHopeless(through number: Int64) -> [ReadJob] {
    guard connected.isEmpty else { return [] }
    for job in handed { turns.add(job) }
    handed = []
    return turns.take(through: number)
  }

  /// Answers who slept.
  mutating func close() -> [ReaderThread] {
    isClosed = true
    defer { sleeping = [] }
    return sleeping
  }
}

// MARK: Connections

extension ReadLine {
  func isConnected(_ thread: ReaderThread) -> Bool { connected.contains(ObjectIdentifier(thread)) }

  /// Whether reads that were handed over wait for a connection that nobody has any more.
  var isHopeless: Bool { !handed.isEmpty && connected.isEmpty }

  mutating func note(_ thread: ReaderThread, isConnected: Bool) {
    if isConnected {
      connected.insert(ObjectIdentifier(thread))
    } else {
      connected.remove(ObjectIdentifier(thread))
    }
  }

  /// A thread has nothing to do.
  mutating func sleep(_ thread: ReaderThread) {
    sleeping.insert(thread, at: isConnected(thread) ? sleeping.count : 0)
  }

  /// One who has nothing to do and a connection, for a read that does not wait.
  mutating func takeConnected(for job: ReadJob) -> ReaderThread? {
    guard isIdle, turns.mayBegin(job.name), let thread = takeConnected() else { return nil }
    turns.begins(job.name)
    return thread
  }

  private mutating func takeConnected() -> ReaderThread? {
    sleepingConnected.map { sleeping.remove(at: $0) }
  }

  /// The same, if another one is left.
  mutating func takeSpare() -> ReaderThread? {
    let spare = sleeping.indices.filter { isConnected(sleeping[$0]) }
    return spare.count > 1 ? sleeping.remove(at: spare[0]) : nil
  }

  private var sleepingConnected: Int? {
    sleeping.lastIndex { isConnected($0) && $0.connection?.isUsable != false }
  }

  /// Whether somebody else has a connection now and will look for the read.
  func mayHand(_ job: ReadJob) -> Bool {
    !job.isHanded && !isClosed && !connected.isEmpty && (awake > 1 || sleepingConnected != nil)
  }

  /// Leaves a read to those who have a connection. Answers whom to wake for it; nil: they have none.
  mutating func hand(_ job: ReadJob) -> [ReaderThread]? {
    guard mayHand(job) else { return nil }
    var job = job
    job.isHanded = true
    turns.ended(job.name, milliseconds: nil)
    handed.append(job)
    return takeConnected().map { [$0] } ?? []
  }
}
