// How a subscription is named inside the server: its place and its ID.
//
// Two users, or one user's private and public database, may use the same ID for different things.

package import BrumeModel
import BrumeStorage

/// A subscription's full name. IDs are clients' own texts and compare by their bytes.
package struct SubscriptionKey: Sendable {
  package let scope: SubscriptionScope
  /// As its user gave it; compared by its bytes.
  package let id: String
}

extension SubscriptionKey: Hashable {
  package static func == (a: SubscriptionKey, b: SubscriptionKey) -> Bool {
    ByteText(a.id) == ByteText(b.id) && a.scope == b.scope
  }
  package func hash(into hasher: inout Hasher) {
    hasher.combine(scope.user)
    hasher.combine(ByteText(id))
  }
}

extension SubscriptionKey: Comparable {
  /// A fixed order without meaning: a fan-out that is interrupted goes on after the last key it
  /// served. Keys of one change share their container environment.
  package static func < (a: SubscriptionKey, b: SubscriptionKey) -> Bool {
    if a.scope.user != b.scope.user { return a.scope.user < b.scope.user }
    if a.scope.scope != b.scope.scope { return a.scope.scope.rawValue < b.scope.scope.rawValue }
    return ByteText(a.id) < ByteText(b.id)
  }
}

extension StoredSubscription {
  /// Its full name.
  package var key: SubscriptionKey { SubscriptionKey(scope: scope, id: subscription.id) }
}
