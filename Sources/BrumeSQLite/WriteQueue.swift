// The line of writes before the one writer, as a value: who may join, when the writer must be woken,
// when it may go. It starts no thread and waits for nothing; `Writer` does.

import BrumeStorage

struct WriteQueue<Job> {
  /// Ours: a server with more writes waiting answers no one in time.
  static var waitingLimit: Int { 65_536 }

  enum Admission: Equatable {
    case accepted(wakeWriter: Bool)
    case refused(StoreError)
  }
  enum Step {
    case run(Job)
    case sleep
    case end
  }
  private var arriving: [Job] = []
  /// Last first.
  private var leaving: [Job] = []
  private var writerSleeps = false
  private var refusal: StoreError?

  mutating func add(_ job: Job) -> Admission {
    if let refusal { return .refused(refusal) }
    if arriving.count >= Self.waitingLimit {
      return .refused(StoreError(.unavailable, "too many writes wait; slow down"))
    }
    arriving.append(job)
    defer { writerSleeps = false }
    return .accepted(wakeWriter: writerSleeps)
  }

  /// What the writer does when it has nothing in hand.
  mutating func next() -> Step {
    if let job = nextForGroup() { return .run(job) }
    if refusal != nil { return .end }
    writerSleeps = true
    return .sleep
  }

  /// A job for the group that the writer has already begun.
  mutating func nextForGroup() -> Job? {
    if leaving.isEmpty {
      leaving = arriving.reversed()
      arriving.removeAll(keepingCapacity: true)
    }
    return leaving.popLast()
  }

  /// Nobody may join any more; who waits is still served. Answers whether to wake the writer.
  mutating func close() -> Bool {
    refusal = refusal ?? .closed
    defer { writerSleeps = false }
    return writerSleeps
  }

  /// The storage failed: nobody is served any more. Answers who waited.
  mutating func fail(_ error: StoreError) -> [Job] {
    refusal = error
    let waiting = leaving.reversed() + arriving
    leaving = []
    arriving = []
    return waiting
  }
}
