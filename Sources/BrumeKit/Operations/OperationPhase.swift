// The phases of an operation: waiting, running, finished. Only decides; CKOperation acts.
//
// Foundation's queue asks `isExecuting` and `isFinished`, and may call `start` and `cancel` from
// any thread in any order. The rules: an operation runs at most once, finishes at most once, and
// one that was cancelled before it started still calls its blocks.

/// The phase that an operation is in.
struct OperationPhase: Equatable, Sendable {
  enum Step: Equatable, Sendable { case waiting, running, finished }
  /// What to do about a call of `start`.
  enum Start: Equatable, Sendable { case run, reportCancellation, nothing }

  private(set) var step = Step.waiting
  private var hasBegun = false

  mutating func started(isCancelled: Bool) -> Start {
    guard step == .waiting else { return .nothing }
    step = .running
    return isCancelled ? .reportCancellation : .run
  }

  /// True for the call that begins the work of an operation that runs. A subclass may call `main`
  /// of its superclass later than `start`, never, or twice.
  mutating func begun() -> Bool {
    guard step == .running, !hasBegun else { return false }
    hasBegun = true
    return true
  }

  /// The last block was called.
  mutating func finished() {
    if step == .running { step = .finished }
  }
}
