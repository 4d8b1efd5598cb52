// How a subscription is named inside the server: its place and its ID.
//
// Two users, or one user's private and public database, may use the same ID for different things.

package import BrumeModel

/// A subscription's full name.
package struct SubscriptionKey: Hashable, Sendable {
  package let scope: SubscriptionScope
  package let id: String

  package init(scope: SubscriptionScope, id: String) {
    self.scope = scope
    self.id = id
  }
}

extension SubscriptionKey: Comparable {
  /// A fixed order without meaning: a fan-out that is interrupted goes on after the last key it
  /// served. IDs compare by their bytes, as everywhere.
  package static func < (a: SubscriptionKey, b: SubscriptionKey) -> Bool {
    if a.scope.user != b.scope.user { return bytesPrecede(a.scope.user.name, b.scope.user.name) }
    if a.scope.scope != b.scope.scope {
      return bytesPrecede(a.scope.scope.rawValue, b.scope.scope.rawValue)
    }
    return bytesPrecede(a.id, b.id)
  }

  private static func bytesPrecede(_ a: String, _ b: String) -> Bool {
    a.utf8.lexicographicallyPrecedes(b.utf8)
  }
}

extension StoredSubscription {
  package var key: SubscriptionKey { SubscriptionKey(scope: scope, id: subscription.id) }
}

extension SubscriptionScope {
  /// The one database that the subscription watches; nil for the shared database, which is a view
  /// over many.
  package var database: DatabaseKey? {
    switch scope {
    case .public: DatabaseKey(container: container, environment: environment, owner: nil)
    case .private: DatabaseKey(container: container, environment: environment, owner: user)
    case .shared: nil
    }
  }
}
