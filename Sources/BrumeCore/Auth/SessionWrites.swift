// What a caller writes. A request may wait up to a minute between the moment when it was let in and its transaction, and
// nothing may be written for who was deleted or signed out meanwhile: the removal of a user would not be the end of them.

import BrumeModel
import BrumeStorage

extension Store {
  /// The same as `writeIfWanted`, for a caller: the body runs only while their account and session stand.
  ///
  /// - Throws: also `authenticationRequired`, or `authenticationFailed` for a server key; nothing was written then.
  @discardableResult
  func write<Value: Sendable>(
    for caller: Caller, in scope: WriteScope, reading plan: ReadPlan = .none,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    try await writeIfWanted(in: scope, reading: plan.and(caller.sessionReads)) { transaction in
      try transaction.users.requireSession(of: caller)
      return try body(transaction)
    }
  }
}

extension Caller {
  /// What `requireSession` reads.
  fileprivate var sessionReads: Set<ReadPlan.Read> {
    guard epoch != nil, let user else { return [] }
    return [.user(user)]
  }
}

extension ReadPlan {
  fileprivate func and(_ others: Set<Read>) -> ReadPlan {
    others.isEmpty ? self : ReadPlan(inOrder: { inOrder }) { reads.union(others) }
  }
}
