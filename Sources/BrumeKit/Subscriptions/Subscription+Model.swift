// Subscriptions to and from the model, and the checks that need no server: which kind works in
// which database, and that a subscription says how its pushes look (docs/differences.md).

import BrumeModel
import Foundation

extension CKSubscription {
  /// The model's value of a subscription that is about to be saved to a database.
  ///
  /// Throws the ``CKError`` of a subscription that cannot work there.
  func model(in scope: DatabaseScope) throws -> Subscription {
    try checkKind(in: scope)
    guard let info = notificationInfo else {
      throw CKError(
        .invalidArguments,
        "Subscription '\(subscriptionID)' has no notificationInfo. Set it before saving; for a "
          + "silent push create CKSubscription.NotificationInfo() and set its "
          + "shouldSendContentAvailable to true.")
    }
    return Subscription(id: subscriptionID, kind: try modelKind(), info: info.value)
  }

  private func checkKind(in scope: DatabaseScope) throws {
    let other: String
    switch (subscriptionType, scope) {
    case (.query, .shared), (.recordZone, .shared): other = "CKDatabaseSubscription"
    case (.recordZone, .public), (.database, .public): other = "CKQuerySubscription"
    case (.query, .public), (.query, .private), (.recordZone, .private), (.database, .private),
      (.database, .shared):
      return
    }
    throw CKError(
      .invalidArguments,
      "Subscription '\(subscriptionID)' is a \(kindName) subscription; the \(scope.rawValue) "
        + "database does not support them. Use a \(other).")
  }

  private var kindName: String {
    switch subscriptionType {
    case .query: "query"
    case .recordZone: "record zone"
    case .database: "database"
    }
  }

  private func modelKind() throws -> Subscription.Kind {
    guard let kind = try kind() else {
      preconditionFailure("CKSubscription is abstract; create one of its subclasses.")
    }
    return kind
  }

  /// What it asks for; nil for a subclass of an app's that is none of the three kinds.
  func kind() throws -> Subscription.Kind? {
    switch self {
    case let query as CKQuerySubscription:
      return .query(
        Query(recordType: query.recordType ?? "", filters: try query.predicate.filters()),
        zone: query.zoneID.map { ZoneID($0) },
        firesOn: query.querySubscriptionOptions.events,
        firesOnce: query.querySubscriptionOptions.contains(.firesOnce))
    case let zone as CKRecordZoneSubscription:
      return .zone(ZoneID(zone.zoneID), recordType: zone.recordType)
    case let database as CKDatabaseSubscription:
      return .database(recordType: database.recordType)
    default: return nil
    }
  }

  /// A subscription as the server returned it.
  static func make(_ model: Subscription, from viewpoint: Viewpoint) -> CKSubscription {
    var state = State()
    state.info = model.info.map { NotificationInfo($0) }
    switch model.kind {
    case .query(let query, let zone, let firesOn, let firesOnce):
      state.zoneID = zone.map { CKRecordZone.ID($0, from: viewpoint) }
      return CKQuerySubscription(
        recordType: query.recordType, predicate: NSPredicate(filters: query.filters),
        id: model.id, options: .init(events: firesOn, once: firesOnce), state: state)
    case .zone(let zone, let recordType):
      state.recordType = recordType
      return CKRecordZoneSubscription(
        zoneID: CKRecordZone.ID(zone, from: viewpoint), id: model.id, state: state)
    case .database(let recordType):
      state.recordType = recordType
      return CKDatabaseSubscription(id: model.id, state: state)
    }
  }
}

extension CKQuerySubscription.Options {
  private static let table: [(Self, Subscription.Event)] = [
    (.firesOnRecordCreation, .create), (.firesOnRecordUpdate, .update),
    (.firesOnRecordDeletion, .delete),
  ]

  var events: Set<Subscription.Event> {
    Set(Self.table.filter { contains($0.0) }.map { $0.1 })
  }

  init(events: Set<Subscription.Event>, once: Bool) {
    self = Self.table.reduce(into: once ? .firesOnce : []) { options, row in
      if events.contains(row.1) { options.insert(row.0) }
    }
  }
}
