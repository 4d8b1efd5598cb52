// What waits before the one connection that writes, as a value: who may write now, who may join,
// when the writer's thread must be woken, when it may go. It starts no thread and waits for
// nothing; `Writer` does. Whose write comes next is `WriteTurns`'.
//
// A write that has been alone for a while runs on the thread that brings it: waking the writer and
// being woken by it cost more than the write. As soon as two come together, they share commits again.

import BrumeModel
import BrumeStorage

struct WriteQueue<Job> {
  /// Ours: after so many commits with one write each, nobody else waiting, the next is expected to
  /// be alone too.
  static var aloneBeforeRunningHere: Int { 8 }
  /// Ours: a disk this slow is waited for by the writer's thread only. In nanoseconds.
  static var slowCommit: Int64 { 2_000_000 }

  enum Admission: Equatable {
    case accepted(wakeWriter: Bool)
    /// Run it on this thread and call `turnEnded`.
    case yourTurn
    case refused(StoreError)
  }
  enum Step {
    case run(Job)
    case sleep
    case end
  }
  private enum Turn { case nobody, writer, caller }

  private var turn = Turn.writer
  private var aloneCount = 0
  private var waiting = WriteTurns<Job>()
  private var refusal: StoreError?

  var isEmpty: Bool { waiting.count == 0 }

  /// Whether a write waits for which this is so.
  func contains(_ isSo: (Job) -> Bool) -> Bool {
    waiting.waiting.contains(where: isSo)
  }

  /// A write that waits for its turn.
  /// - Parameter user: who asked for it; nil: the server itself.
  mutating func add(_ job: Job, of user: UserID? = nil) -> Admission {
    if let refusal { return .refused(refusal) }
    if !waiting.hasRoom {
      return .refused(StoreError(.noRoom, "too many writes wait; slow down"))
    }
    if turn == .nobody, aloneCount >= Self.aloneBeforeRunningHere {
      turn = .caller
      waiting.begins(of: user)
      return .yourTurn
    }
    waiting.add(job, of: user)
    return .accepted(wakeWriter: takeTurnForWriter())
  }

  /// What the writer does when it has nothing in hand.
  mutating func next() -> Step {
    guard turn != .caller else { return .sleep }
    if let job = waiting.next() { return .run(job) }
    if refusal != nil { return .end }
    turn = .nobody
    return .sleep
  }

  /// A job for the group that the writer has already begun, if the group takes the one whose turn it is.
  mutating func nextForGroup(_ accepts: (Job) -> Bool) -> Job? { waiting.nextToJoin(accepts) }

  /// How long the write that runs may keep those of somebody else waiting for which this is so; nil: it keeps none.
  func patience(at now: @autoclosure () -> Int64, _ isSo: (Job) -> Bool) -> Int64? {
    waiting.patience(at: now(), isSo)
  }

  /// How long a user's write may keep these waiting for its commit.
  func patience(of user: UserID?, with others: some Sequence<UserID?>, at now: Int64) -> Int64 {
    waiting.patience(of: user, with: others, at: now)
  }

  /// One that has begun has given way after so long, and waits again.
  mutating func putBack(_ job: Job, of user: UserID?, nanoseconds: Int64, now: Int64) {
    waiting.putBack(job, of: user, nanoseconds: nanoseconds, now: now)
  }

  /// A user's write took so long.
  mutating func ran(_ user: UserID?, nanoseconds: Int64, now: Int64) {
    waiting.ran(user, nanoseconds: nanoseconds, now: now)
  }

  /// A group of so many writes is committed.
  /// - Parameter wasOwnWork: nobody asked for any of them, which says nothing about how many ask at a
  ///   time: whoever came meanwhile may be alone.
  mutating func groupEnded(count: Int, nanoseconds: Int64, wasOwnWork: Bool = false) {
    if wasOwnWork { return }
    let wasAlone = count == 1 && isEmpty
    aloneCount = wasAlone && nanoseconds < Self.slowCommit ? min(aloneCount + 1, 1 << 20) : 0
  }

  /// The caller whose turn it was is done. Answers whether to wake the writer.
  mutating func turnEnded() -> Bool {
    turn = .nobody
    return isEmpty && refusal == nil ? false : takeTurnForWriter()
  }

  /// Nobody may join any more; who waits is still served. Answers whether to wake the writer.
  mutating func close() -> Bool {
    refusal = refusal ?? .closed
    return takeTurnForWriter()
  }

  /// Who waits is not served. Answers who that is.
  mutating func refuseAll() -> [Job] { waiting.removeAll() }

  /// The storage failed: nobody is served any more. Answers who waited.
  mutating func fail(_ error: StoreError) -> [Job] {
    refusal = error
    return waiting.removeAll()
  }

  /// Answers whether the writer slept.
  private mutating func takeTurnForWriter() -> Bool {
    guard turn == .nobody else { return false }
    turn = .writer
    return true
  }
}

extension WriteQueue.Step: Sendable where Job: Sendable {}
