// What is watched, by name: the subscriptions of a type, of a zone's or a database's changes, of a user's shared
// database.

import BrumeModel
import BrumeStorage

extension SubscriptionIndex {
  /// What a subscription watches, or a change touches.
  enum Watch {
    /// Query subscriptions on a type, in one zone or everywhere.
    case queries(DatabaseKey, type: String, zone: String?)
    /// Zone subscriptions, or database subscriptions (no zone), to one type or to all.
    case changes(DatabaseKey, zone: String?, type: String?)
    /// Subscriptions of a user's shared database.
    case shared(ContainerEnvironment, UserID, type: String?)

    var bytes: [UInt8] {
      var bytes: [UInt8] = []
      switch self {
      case .queries(let database, let type, let zone):
        bytes.append(UInt8(ascii: "q"))
        bytes.append(database)
        bytes.append(text: type)
        bytes.append(text: zone)
      case .changes(let database, let zone, let type):
        bytes.append(UInt8(ascii: "c"))
        bytes.append(database)
        bytes.append(text: type)
        bytes.append(text: zone)
      case .shared(let containerEnvironment, let user, let type):
        bytes.append(UInt8(ascii: "s"))
        bytes.append(DatabaseKey(in: containerEnvironment, owner: user))
        bytes.append(text: type)
      }
      return bytes
    }
  }
}

extension SubscriptionIndex.Watch {
  /// Nil for what cannot be: the shared database has database subscriptions only.
  init?(of stored: StoredSubscription) {
    guard let database = stored.scope.database else {
      guard case .database(let type) = stored.subscription.kind else { return nil }
      self = .shared(stored.scope.containerEnvironment, stored.scope.user, type: type)
      return
    }
    self =
      switch stored.subscription.kind {
      case .query(let query, let zone, _, _):
        .queries(database, type: query.recordType, zone: zone?.name)
      case .zone(let zone, let type): .changes(database, zone: zone.name, type: type)
      case .database(let type): .changes(database, zone: nil, type: type)
      }
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ database: DatabaseKey) {
    reserveCapacity(128)
    append(contentsOf: database.container.name.utf8)
    append(database.environment == .production ? 1 : 2)
    append(text: database.owner?.name)
  }

  /// Names hold no control characters, so these end them and distinguish none from an empty one.
  fileprivate mutating func append(text: String?) {
    if let text { append(contentsOf: text.utf8) }
    append(text == nil ? 1 : 0)
  }
}
