// subscriptions/list and subscriptions/lookup: the caller's own, in one database (case SUB-11).

package import BrumeModel
import BrumeStorage

extension Engine {
  /// All subscriptions of the caller in a database, in ID order.
  package func listSubscriptions(
    in scope: DatabaseScope, as caller: Caller
  ) async throws -> [Subscription] {
    let place = try caller.subscriptionScope(scope)
    return try await store.read { try $0.subscriptions(in: place).map(\.subscription) }
  }

  /// Subscriptions by ID. One result per ID, in order.
  package func lookupSubscriptions(
    _ ids: [String], in scope: DatabaseScope, as caller: Caller
  ) async throws -> [SubscriptionResult] {
    let place = try caller.subscriptionScope(scope)
    guard ids.count <= limits.operationsPerRequest else {
      throw BrumeError(
        .limitExceeded,
        "\(ids.count) subscriptions in one request; the maximum is "
          + "\(limits.operationsPerRequest). Split it")
    }
    return try await store.read { transaction in
      try ids.map { id in
        if let known = try transaction.subscription(id, in: place) {
          return .success(.saved(known.subscription))
        }
        return .failure(ItemFailure(id, Subscription.missing(id)))
      }
    }
  }
}
