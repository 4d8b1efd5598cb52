// A write on its way, and the line of those that wait.

import BrumeModel
import BrumeStorage

struct WriteJob: Sendable {
  let plan: ReadPlan
  /// In the order of locking.
  let locks: [Locks.Lock]
  /// A long piece of work that can be done again: it joins no others, who would wait for it.
  let isRepeatable: Bool
  /// Runs the body, keeps its value, answers what it threw.
  let run: @Sendable (PostgresTransaction) -> (any Error)?
  /// Answers the caller: nil is "durable".
  let finish: @Sendable ((any Error)?) -> Void
}

/// The line before the writing connections, as a value. Writes that need the same lock keep their order and
/// are in one group, or wait for the group before.
struct WriteLine {
  /// Ours: bodies in one group.
  private static let groupLimit = 128
  /// Ours: beyond it writes are refused, which is better than a line of minutes.
  private static let waitingLimit = 10_000

  private var waiting: [WriteJob] = []
  /// What running groups hold.
  private var held: Set<Locks.Lock> = []
  private(set) var isClosed = false

  var isEmpty: Bool { waiting.isEmpty }

  mutating func add(_ job: WriteJob) throws(StoreError) {
    if isClosed { throw .closed }
    guard waiting.count < Self.waitingLimit else {
      throw StoreError(.noRoom, "too many writes wait; slow down")
    }
    waiting.append(job)
  }

  /// The next group: whoever waits and needs nothing that another group holds or that somebody before in
  /// the line waits for. Empty: nobody can go on now.
  mutating func takeGroup() -> [WriteJob] {
    var group: [WriteJob] = []
    var left: [WriteJob] = []
    var blocked = held
    for job in waiting {
      let joins = group.first.map { !$0.isRepeatable && !job.isRepeatable } ?? true
      if joins, group.count < Self.groupLimit, blocked.isDisjoint(with: job.locks) {
        group.append(job)
      } else {
        blocked.formUnion(job.locks)
        left.append(job)
      }
    }
    waiting = left
    held.formUnion(group.flatMap(\.locks))
    return group
  }

  /// Who waits for what this group holds.
  mutating func takeBehind(_ group: [WriteJob]) -> [WriteJob] {
    let locks = Set(group.flatMap(\.locks))
    let behind = waiting.filter { !locks.isDisjoint(with: $0.locks) }
    waiting.removeAll { !locks.isDisjoint(with: $0.locks) }
    return behind
  }

  mutating func ended(_ group: [WriteJob]) { held.subtract(group.flatMap(\.locks)) }

  /// Nobody may join any more; who waits is still served.
  mutating func close() { isClosed = true }
}
