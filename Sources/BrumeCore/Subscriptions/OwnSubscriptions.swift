// What a user has subscribed to already, for the rules about the next one: read once a request, because
// it may be hundreds, a request may save as many, and everybody else who writes waits meanwhile.

import BrumeModel
import BrumeStorage

struct OwnSubscriptions {
  /// In all databases of the container.
  private(set) var count = 0
  /// Who watches the same, in this database.
  private var idsBySignature: [String: [String]] = [:]
  private var signaturesByID: [ByteText: String] = [:]

  /// - Parameter place: the database that is subscribed to.
  init(in place: SubscriptionScope, from transaction: any ReadTransaction) throws {
    for scope in DatabaseScope.allCases {
      let other = SubscriptionScope(
        container: place.container, environment: place.environment, scope: scope,
        user: place.user)
      let found = try transaction.subscriptions(in: other)
      count += found.count
      guard other == place else { continue }
      for stored in found { note(stored.subscription.id, SubscriptionSignature.text(stored.kind)) }
    }
  }

  /// The first subscription that says the same under another ID.
  func duplicate(of subscription: Subscription) -> String? {
    idsBySignature[SubscriptionSignature.text(subscription.kind)]?
      .first { !$0.utf8.elementsEqual(subscription.id.utf8) }
  }

  /// What a subscription watched, before it is saved again.
  func signature(of id: String) -> String? { signaturesByID[ByteText(id)] }

  mutating func saved(_ subscription: Subscription) {
    if signature(of: subscription.id) == nil { count += 1 }
    forget(subscription.id)
    note(subscription.id, SubscriptionSignature.text(subscription.kind))
  }

  mutating func deleted(_ id: String) {
    count -= 1
    forget(id)
  }

  private mutating func note(_ id: String, _ signature: String) {
    signaturesByID[ByteText(id)] = signature
    idsBySignature[signature, default: []].append(id)
  }

  private mutating func forget(_ id: String) {
    guard let signature = signaturesByID.removeValue(forKey: ByteText(id)) else { return }
    idsBySignature[signature]?.removeAll { $0.utf8.elementsEqual(id.utf8) }
  }
}

extension StoredSubscription {
  fileprivate var kind: Subscription.Kind { subscription.kind }
}
