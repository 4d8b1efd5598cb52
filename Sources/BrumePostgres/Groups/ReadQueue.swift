// What waits to be read, and who has nothing to do, as a value. It starts no thread and waits for nothing; `Readers` does.

import Dispatch

/// A connection, and where its thread sleeps.
// Sendable because whoever took it out of those that sleep has it alone: its own thread, or a caller who reads with it.
final class ReaderSeat: @unchecked Sendable {
  var connection: Connection?
  let wake = DispatchSemaphore(value: 0)
}

struct ReadQueue {
  /// The longest waiting last.
  private var leaving: [ReadJob] = []
  private(set) var arriving: [ReadJob] = []
  /// Those without a connection first: who has one is woken before them.
  private(set) var sleeping: [ReaderSeat] = []
  /// How many have a connection.
  var connected = 0
  private(set) var isClosed = false
  /// Of the read that came last.
  private(set) var last: Int64 = 0

  /// Whether a thread that has nothing to do may sleep.
  var isIdle: Bool { leaving.isEmpty && arriving.isEmpty && !isClosed }

  /// Answers whom to wake for it.
  mutating func add(_ job: ReadJob) -> ReaderSeat? {
    var job = job
    last += 1
    job.number = last
    arriving.append(job)
    return sleeping.popLast()
  }

  mutating func next() -> ReadJob? {
    if leaving.isEmpty { (leaving, arriving) = (arriving.reversed(), []) }
    return leaving.popLast()
  }

  mutating func sleep(_ seat: ReaderSeat) {
    sleeping.insert(seat, at: seat.connection == nil ? 0 : sleeping.count)
  }

  /// One who has nothing to do and a connection.
  mutating func takeConnected() -> ReaderSeat? {
    sleeping.last?.connection?.isUsable == true ? sleeping.popLast() : nil
  }

  /// Puts back a read that those who have a connection can serve. Answers whom to wake for it: nobody if they are at
  /// work, because they look for more when they are done.
  mutating func passOn(_ job: ReadJob) -> ReaderSeat? {
    leaving.append(job)
    return sleeping.last?.connection == nil ? nil : sleeping.popLast()
  }

  /// Those that wait and came no later than the one with this number.
  mutating func take(through number: Int64) -> [ReadJob] {
    let waiting: [ReadJob] = leaving.reversed() + arriving
    let taken = waiting.prefix { $0.number <= number }
    (leaving, arriving) = ([], Array(waiting.dropFirst(taken.count)))
    return Array(taken)
  }

  /// Answers who sleeps.
  mutating func close() -> [ReaderSeat] {
    isClosed = true
    defer { sleeping = [] }
    return sleeping
  }
}
