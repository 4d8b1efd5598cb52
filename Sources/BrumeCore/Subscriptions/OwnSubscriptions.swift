// What a user has subscribed to already, for the rules about the next one: read once a request, because
// it may be hundreds, a request may save as many, and everybody else who writes waits meanwhile.

import BrumeModel
import BrumeStorage

struct OwnSubscriptions {
  /// In all databases of the container.
  private(set) var count = 0
  /// Of all of them, with the texts of their pushes.
  private(set) var bytes = 0
  /// Who watches the same, in this database.
  private var idsBySignature: [String: [String]] = [:]
  private var signaturesByID: [ByteText: String] = [:]
  private var bytesByID: [ByteText: Int] = [:]
  private let place: SubscriptionScope
  private let known: KnownSignatures

  /// - Parameter place: the database that is subscribed to.
  init(
    in place: SubscriptionScope, _ known: KnownSignatures, from transaction: any ReadTransaction
  ) throws {
    self.place = place
    self.known = known
    for scope in DatabaseScope.allCases {
      let other = SubscriptionScope(in: place.containerEnvironment, scope: scope, user: place.user)
      let found = try transaction.subscriptions.all(in: other)
      count += found.count
      for stored in found {
        let signature = known.signature(of: stored.subscription, in: other)
        bytes += signature.byteCount
        if other == place { note(stored.subscription.id, signature) }
      }
    }
  }

  /// The first subscription that says the same under another ID.
  func duplicate(of subscription: Subscription) -> String? {
    idsBySignature[known.text(of: subscription, in: place)]?
      .first { !$0.utf8.elementsEqual(subscription.id.utf8) }
  }

  /// Whether a subscription watches what it watched before, if it was there.
  func isSameWatch(_ subscription: Subscription) -> Bool {
    signaturesByID[ByteText(subscription.id)] == known.text(of: subscription, in: place)
  }

  /// The bytes of all, were this one saved.
  func bytes(with subscription: Subscription) -> Int {
    bytes - (bytesByID[ByteText(subscription.id)] ?? 0)
      + known.signature(of: subscription, in: place).byteCount
  }

  mutating func saved(_ subscription: Subscription) {
    if signaturesByID[ByteText(subscription.id)] == nil { count += 1 }
    bytes = bytes(with: subscription)
    forget(subscription.id)
    note(subscription.id, known.signature(of: subscription, in: place))
  }

  mutating func deleted(_ id: String) {
    count -= 1
    bytes -= bytesByID[ByteText(id)] ?? 0
    forget(id)
  }

  private mutating func note(_ id: String, _ signature: (text: String, byteCount: Int)) {
    signaturesByID[ByteText(id)] = signature.text
    bytesByID[ByteText(id)] = signature.byteCount
    idsBySignature[signature.text, default: []].append(id)
  }

  private mutating func forget(_ id: String) {
    bytesByID[ByteText(id)] = nil
    guard let signature = signaturesByID.removeValue(forKey: ByteText(id)) else { return }
    idsBySignature[signature]?.removeAll { $0.utf8.elementsEqual(id.utf8) }
  }
}

extension Subscription {
  /// How large it is apart from `notificationInfo`, which has a bound of its own.
  var byteCount: Int {
    guard case .query(let query, _, _, _) = kind else { return 256 }
    let filters = query.filters.reduce(0) { $0 + $1.value.size + 64 }
    return 256 + query.recordType.utf8.count + filters
  }
}
