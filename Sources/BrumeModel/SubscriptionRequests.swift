// What callers ask for of subscriptions, and what they get back.

/// One item of `subscriptions/modify`.
package enum SubscriptionOperation: Equatable, Sendable {
  /// Makes one, or overwrites that with the same ID.
  case save(Subscription)
  /// Overwrites one that is there.
  case update(Subscription)
  case delete(id: String)
}

/// What `subscriptions/modify` is asked for.
package typealias ModifySubscriptionsRequest = ModifyRequest<SubscriptionOperation>

/// What became of one subscription.
package enum SubscriptionOutcome: Equatable, Sendable {
  case saved(Subscription)
  case deleted(id: String)
}

/// The subscription, or the ID of one that failed, and why.
package typealias SubscriptionResult = Result<SubscriptionOutcome, ItemFailure<String>>
