// Which databases a subscription can watch: the check behind `subscriptions.hasQueries`.

package import BrumeModel

/// A record type as changes in a database show it.
package struct WatchedType: Hashable, Sendable {
  package let type: String
  package let database: DatabaseKey
  package init(_ type: String, in database: DatabaseKey) {
    self.type = type
    self.database = database
  }
}

extension SubscriptionScope {
  /// Whether changes in `database` can concern a subscription kept here. For the shared database
  /// that is every other user's: membership is the matcher's business.
  package func watches(_ database: DatabaseKey) -> Bool {
    guard containerEnvironment == database.containerEnvironment else { return false }
    return switch scope {
    case .public: database.owner == nil
    case .private: database.owner == user
    case .shared: database.owner.map { $0 != user } ?? false
    }
  }
}

extension Subscription {
  /// The record type that a query subscription watches; nil for the other kinds.
  package var watchedType: String? {
    if case .query(let query, _, _, _) = kind { query.recordType } else { nil }
  }
}

extension SubscriptionScope {
  /// The one database that the subscription watches; nil for the shared database, which is a view
  /// over many.
  package var database: DatabaseKey? {
    switch scope {
    case .public: DatabaseKey(in: containerEnvironment, owner: nil)
    case .private: DatabaseKey(in: containerEnvironment, owner: user)
    case .shared: nil
    }
  }

  /// The database in whose log a subscription's own changes stand, and in whose bucket it is kept.
  package var logDatabase: DatabaseKey {
    database ?? DatabaseKey(in: containerEnvironment, owner: user)
  }
}
