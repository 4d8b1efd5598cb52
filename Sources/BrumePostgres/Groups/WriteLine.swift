// The line of writes that wait.

import BrumeStorage

/// The line before the writing connections, as a value. Writes that need the same lock keep their order and
/// are in one group, or wait for the group before.
struct WriteLine {
  /// Ours: bodies in one group.
  private static let groupLimit = 128
  /// Ours: what the plans of a group name together, unless the first alone names more. A record may come with 8 KB, and so
  /// these are in memory with 64 MB at most.
  private static let readLimit = 8192
  /// Ours: beyond it writes are refused, which is better than a line of minutes.
  private static let waitingLimit = 10_000
  /// Ours: beside a group that runs another begins with so many writes, or so many milliseconds after it. Until then they gather,
  /// because a statement costs PostgreSQL hardly more for many of them than for one.
  private static let gathering = (writes: 16, milliseconds: Int64(5))

  private var waiting: [WriteJob] = []
  /// What running groups hold.
  private var held: Set<Locks.Lock> = []
  /// Groups of short writes that run, and when the last one began.
  private var running = 0
  private var begun: Int64 = 0
  private(set) var isClosed = false
  /// Of the write that came last.
  private(set) var last: Int64 = 0

  enum Next {
    case group([WriteJob])
    /// More are gathering, for so many milliseconds at most.
    case gathering(Int64)
    /// Nobody can go on now.
    case nothing
  }

  var isEmpty: Bool { waiting.isEmpty }

  /// Whether they need not gather any longer.
  var isGathered: Bool { waiting.count >= Self.gathering.writes }

  mutating func add(_ job: WriteJob) throws(StoreError) {
    if isClosed { throw .closed }
    guard waiting.count < Self.waitingLimit else {
      throw StoreError(.noRoom, "too many writes wait; slow down")
    }
    var job = job
    last += 1
    job.number = last
    waiting.append(job)
  }

  /// The next group: whoever waits and needs nothing that another group holds or that somebody before in
  /// the line waits for.
  ///
  /// - Parameters:
  ///   - now: milliseconds of a clock that never goes back.
  ///   - passesOver: whether what was left to those who have a connection is theirs, with all that waits for it.
  mutating func next(at now: Int64, passingOver passesOver: Bool = false) -> Next {
    let (group, left) = divided(passesOver)
    guard let first = group.first else { return .nothing }
    if !first.isRepeatable {
      let left = begun + Self.gathering.milliseconds - now
      if running > 0, group.count < Self.gathering.writes, left > 0 { return .gathering(left) }
      running += 1
      begun = now
    }
    waiting = left
    held.formUnion(group.flatMap(\.locks))
    return .group(group)
  }

  private func divided(_ passesOver: Bool) -> (group: [WriteJob], left: [WriteJob]) {
    var group: [WriteJob] = []
    var left: [WriteJob] = []
    var blocked = held
    var reads = 0
    for job in waiting {
      let joins = group.first.map { !$0.isRepeatable && !job.isRepeatable } ?? true
      let isTheirs = passesOver && job.isHanded
      let fits =
        group.isEmpty
        || group.count < Self.groupLimit && reads + job.plan.reads.count <= Self.readLimit
      if joins, !isTheirs, fits, blocked.isDisjoint(with: job.locks) {
        group.append(job)
        reads += job.plan.reads.count
      } else {
        blocked.formUnion(job.locks)
        left.append(job)
      }
    }
    return (group, left)
  }

  /// Who waits for what this group holds, and who came no later than the write with this number.
  mutating func takeBehind(_ group: [WriteJob], through number: Int64) -> [WriteJob] {
    let locks = Set(group.flatMap(\.locks))
    func isBehind(_ job: WriteJob) -> Bool {
      job.number <= number || !locks.isDisjoint(with: job.locks)
    }
    let behind = waiting.filter(isBehind)
    waiting.removeAll(where: isBehind)
    return behind
  }

  /// Nothing of it has begun: it goes on before all others, with somebody else.
  mutating func putBack(_ group: [WriteJob]) {
    ended(group)
    let handed = group.map { job in
      var job = job
      job.isHanded = true
      return job
    }
    waiting = handed + waiting
  }

  mutating func ended(_ group: [WriteJob]) {
    held.subtract(group.flatMap(\.locks))
    if group.first?.isRepeatable == false { running -= 1 }
  }

  /// Nobody may join any more; who waits is still served.
  mutating func close() { isClosed = true }
}
