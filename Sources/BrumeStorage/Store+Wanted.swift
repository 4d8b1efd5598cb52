// Writes whose caller may have gone when their turn comes.

import Synchronization

extension Store {
  /// The same as `write`, but what nobody waits for any more does not begin: a body whose turn comes after its caller's
  /// task was cancelled does not run. One that has begun goes on.
  ///
  /// - Parameters:
  ///   - scope: what the body may write.
  ///   - plan: what it is going to read.
  ///   - body: one transaction; it may run twice.
  /// - Throws: `CancellationError` if nothing was written for that reason; else what `write` throws.
  @discardableResult
  package func writeIfWanted<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan = .none,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    let caller = WaitingCaller()
    return try await withTaskCancellationHandler {
      try await write(in: scope, reading: plan) { transaction in
        guard !caller.hasGone.load(ordering: .relaxed) else { throw CancellationError() }
        return try body(transaction)
      }
    } onCancel: {
      caller.hasGone.store(true, ordering: .relaxed)
    }
  }
}

private final class WaitingCaller: Sendable {
  let hasGone = Atomic<Bool>(false)
}
