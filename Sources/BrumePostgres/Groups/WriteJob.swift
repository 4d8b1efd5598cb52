// A write on its way.

import BrumeModel
import BrumeStorage

struct WriteJob: Sendable {
  /// Made once: the line counts what it names.
  let plan: ReadPlan
  /// In the order of locking.
  let locks: [Locks.Lock]
  /// A long piece of work that can be done again: it joins no others, who would wait for it.
  let isRepeatable: Bool
  /// Runs the body, keeps its value, answers what it threw.
  let run: @Sendable (PostgresTransaction) -> (any Error)?
  /// Answers the caller: nil is "durable".
  let finish: @Sendable ((any Error)?) -> Void
  /// In the order of coming.
  var number: Int64 = 0
  /// Whether it was left to those who have a connection: once.
  var isHanded = false

  /// Whether it changes nothing but databases, of which the log says what was done.
  var isInLog: Bool { locks.allSatisfy { $0.kind == .saves && $0.bucket >= 0 } }
}
