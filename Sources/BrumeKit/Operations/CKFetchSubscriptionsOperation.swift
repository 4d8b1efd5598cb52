// Fetching subscriptions by ID, or all of the user's in a database.

import BrumeClient
import BrumeModel

/// An operation that fetches subscriptions.
///
/// Source: Apple's `CKFetchSubscriptionsOperation` page and header.
// Sendable because all is set before it starts, and then its own task and queue alone use it.
open class CKFetchSubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The IDs of the subscriptions. An operation that fetches all ignores them and sets nil.
  open var subscriptionIDs: [CKSubscription.ID]?
  /// Called once for each subscription.
  open var perSubscriptionResultBlock:
    (
      (
        _ subscriptionID: CKSubscription.ID, _ subscriptionResult: Result<CKSubscription, any Error>
      ) -> Void
    )?
  /// Called once, last. Failures of single subscriptions do not make it a failure.
  open var fetchSubscriptionsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
  /// The older form of ``fetchSubscriptionsResultBlock``: failures of single subscriptions come
  /// as one partial failure.
  open var fetchSubscriptionCompletionBlock:
    (
      (
        _ subscriptionsBySubscriptionID: [CKSubscription.ID: CKSubscription]?,
        _ operationError: (any Error)?
      ) -> Void
    )?

  var fetchesAll = false
  private var fetched = ItemResults<CKSubscription.ID, CKSubscription>()

  /// Creates an operation without work.
  public override init() { super.init() }

  /// Creates an operation that fetches certain subscriptions.
  public convenience init(subscriptionIDs: [CKSubscription.ID]) {
    self.init()
    self.subscriptionIDs = subscriptionIDs
  }

  /// Creates an operation that fetches every subscription of the user in the database.
  open class func fetchAllSubscriptionsOperation() -> CKFetchSubscriptionsOperation {
    let operation = CKFetchSubscriptionsOperation()
    operation.fetchesAll = true
    return operation
  }

  override func perform() async throws {
    let database = effectiveDatabase
    let viewpoint = try await viewpoint(of: database)
    guard !fetchesAll else {
      subscriptionIDs = nil
      let all = try await request(from: viewpoint) { try await database.caller.listSubscriptions() }
      return try await report(each: all) { self.reportOne($0.id, .success(.saved($0)), viewpoint) }
    }
    let ids = subscriptionIDs ?? []
    try CKError.checkCount(ids.count)
    for part in ids.pieces(of: Limits.apple.operationsPerRequest) {
      let found = try await request(from: viewpoint) {
        try await database.caller.lookupSubscriptions(Array(part))
      }
      try await report(each: part.enumerated()) { index, id in
        self.reportOne(id, found[ifThere: index], viewpoint)
      }
    }
  }

  private func reportOne(
    _ id: CKSubscription.ID, _ answer: SubscriptionResult?, _ viewpoint: Viewpoint
  ) {
    let result = subscriptionResult(answer, id, from: viewpoint)
    fetched.add(id, result)
    perSubscriptionResultBlock?(id, result)
  }

  override func complete(_ failure: CKError?) {
    fetchSubscriptionsResultBlock?(CKError.result(failure))
    fetchSubscriptionCompletionBlock?(
      failure == nil ? fetched.valuesByID : nil, CKError.overall(failure, items: fetched.errors))
  }
}
