// Repeating a request for subscriptions whose answer was lost (case SUB-28), as OperationMemory does it for records: a
// second try is answered from the outcome of the first, and does nothing. Without it a late copy of a deletion would
// delete the subscription that was saved under the ID meanwhile, and one of a save would take back what was done since.

import BrumeModel
import BrumeStorage

struct SubscriptionOperationMemory: Sendable {
  private let place: OperationPlace
  /// What `recall` reads to know whether there is a first try.
  var reads: ReadPlan { place.reads }
  private let operations: [SubscriptionOperation]
  private let scope: SubscriptionScope

  /// Nil when the request has no ID or nobody sends it.
  ///
  /// - Parameter operations: as they were sent, so that one without a subscription's ID is known again.
  init?(
    _ id: String?, of operations: [SubscriptionOperation], in scope: SubscriptionScope,
    as caller: Caller, _ limits: Limits
  ) {
    // The private and the shared database have one log, so the name says of which of them the request is.
    let prefix = "subscriptions/\(scope.scope.rawValue)/"
    guard
      let place = OperationPlace(
        id, prefix: prefix, in: scope.logDatabase, scope.scope, as: caller, limits: limits)
    else { return nil }
    self.place = place
    self.operations = operations
    self.scope = scope
  }

  func keep(
    _ results: [SubscriptionResult], in transaction: any WriteTransaction, now: Milliseconds
  ) throws {
    try place.keep(results.map { OperationMemory.Kept($0) }, in: transaction, now: now)
  }

  /// The first try's results, with the subscriptions that it saved as they are now; nil if this is the first try. An ID that
  /// was used for other subscriptions is a first try too.
  func recall(
    in transaction: any ReadTransaction, now: Milliseconds
  ) throws -> [SubscriptionResult]? {
    guard let all = try place.kept(operations.count, in: transaction, now: now) else { return nil }
    guard zip(all, operations).allSatisfy({ kept, operation in kept.answers(operation) })
    else { return nil }
    return try all.map { kept in
      try SubscriptionResult.item(kept.name) { try outcome(kept, in: transaction) }
    }
  }

  /// - Throws: what the operation failed with; for a saved one that has gone since, what a lookup answers.
  private func outcome(
    _ kept: OperationMemory.Kept, in transaction: any ReadTransaction
  ) throws -> SubscriptionOutcome {
    if let error = kept.failure { throw error }
    if kept.isDeletion { return .deleted(id: kept.name) }
    guard let known = try transaction.subscriptions.find(kept.name, in: scope) else {
      throw Subscription.missing(kept.name)
    }
    return .saved(known.subscription)
  }
}

extension OperationMemory.Kept {
  /// Whether this can be the outcome of an operation. One without an ID got it from the server.
  fileprivate func answers(_ operation: SubscriptionOperation) -> Bool {
    switch operation {
    case .save(let subscription) where subscription.id.isEmpty: !isDeletion
    case .save, .update: isOf(operation.id) && !isDeletion
    case .delete: isOf(operation.id) && !isSave
    }
  }

  private func isOf(_ id: String) -> Bool { ByteText(name) == ByteText(id) }
}
