// A call of an engine's delegate. Tasks know in which call they were started, and whether it goes on: a fetch or a
// send that the call waits for would wait for the call.

import Synchronization

final class DelegateCall: Sendable {
  /// The call in which this task was started, or the task that started it; it may be over.
  @TaskLocal static var current: DelegateCall?
  private let isOver = Atomic(false)

  /// The delegate has returned.
  func end() { isOver.store(true, ordering: .releasing) }

  /// Whether a delegate may be waiting for this task.
  static var goesOn: Bool { current.map { !$0.isOver.load(ordering: .acquiring) } ?? false }
}
