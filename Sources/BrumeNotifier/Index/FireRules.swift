// When a subscription fires. This is the definition; `SubscriptionIndex` is only a faster way to the
// same answer, and a test compares the two.
//
// Settled: created fires if the new record matches, updated if the record matches after the change,
// deleted if its last stored state matched. Who may see the change is `Audience`'s question.

import BrumeCore
package import BrumeModel
import BrumePredicate

/// Whether a change fires a subscription.
package enum FireRules {
  /// The option of `firesOn` that a change asks for.
  package static func event(_ kind: RecordChange.Kind) -> Subscription.Event {
    switch kind {
    case .created: .create
    case .updated: .update
    case .deleted: .delete
    }
  }

  /// The reason in a query notification.
  package static func reason(_ kind: RecordChange.Kind) -> Notification.Reason {
    switch kind {
    case .created: .created
    case .updated: .updated
    case .deleted: .deleted
    }
  }

  /// A subscription never fires for what happened before it was saved.
  package static func hasStarted(_ startPosition: Int64, at position: Int64) -> Bool {
    startPosition < position
  }

  /// Whether the subscription watches the database of a change at all.
  package static func watches(_ scope: SubscriptionScope, _ database: DatabaseKey) -> Bool {
    guard scope.containerEnvironment == database.containerEnvironment else {
      return false
    }
    switch scope.scope {
    case .public: return database.owner == nil
    case .private: return database.owner == scope.user
    case .shared: return database.owner != nil && database.owner != scope.user
    }
  }

  /// The whole rule for one subscription and one log entry.
  ///
  /// - Parameters:
  ///   - bucket: whose log the entry is in.
  ///   - image: the record of the change's image, decoded; nil if none was kept.
  ///   - searchable: which fields `self CONTAINS` looks at.
  package static func fires(
    _ stored: StoredSubscription, on entry: LogEntry, in bucket: Bucket = .only, image: Record?,
    searchable: (String) -> Bool
  ) -> Bool {
    miss(stored, on: entry, in: bucket, image: image, searchable: searchable) == nil
  }

  /// The first question that keeps a subscription from firing; nil if it fires.
  package static func miss(
    _ stored: StoredSubscription, on entry: LogEntry, in bucket: Bucket, image: Record?,
    searchable: (String) -> Bool
  ) -> FireMiss? {
    if let miss = missOfPlace(stored, entry) { return miss }
    guard hasStarted(stored.starts[bucket], at: entry.position) else { return .start }
    guard case .query(let query, _, _, _) = stored.subscription.kind else { return nil }
    guard let image else { return .image }
    let failed = query.filters.first {
      Evaluate.answer($0, image, searchable: searchable) != true
    }
    return failed.map { .condition($0) }
  }

  /// Whether it watches what changed at all, whenever it was saved.
  private static func missOfPlace(_ stored: StoredSubscription, _ entry: LogEntry) -> FireMiss? {
    switch entry.event {
    case .subscription: return .database
    case .membership(let user, let zone):
      return matchesMembership(stored, user, zone) ? nil : .database
    case .zoneCreated(let zone), .zoneDeleted(let zone):
      guard watches(stored.scope, entry.database) else { return .database }
      guard stored.subscription.kind == .database(recordType: nil) else { return .recordType }
      return zone.isDefault ? .zone : nil
    case .record(let change):
      guard watches(stored.scope, entry.database) else { return .database }
      return missOfRecord(stored.subscription.kind, change)
    }
  }

  private static func missOfRecord(
    _ kind: Subscription.Kind, _ change: RecordChange
  ) -> FireMiss? {
    let zone = change.record.zone
    switch kind {
    case .query(let query, let wanted, let events, _):
      if query.recordType != change.recordType { return .recordType }
      if let wanted, wanted.name != zone.name { return .zone }
      return events.contains(event(change.kind)) ? nil : .event
    case .zone(let wanted, let type):
      if !isWanted(change.recordType, by: type) { return .recordType }
      return wanted.name == zone.name && !zone.isDefault ? nil : .zone
    case .database(let type):
      if !isWanted(change.recordType, by: type) { return .recordType }
      // The default zone takes no part in database subscriptions (case SUB-14).
      return zone.isDefault ? .zone : nil
    }
  }

  /// Joining or leaving a share changes the shared database of that one user.
  private static func matchesMembership(
    _ stored: StoredSubscription, _ user: UserID, _ zone: ZoneKey
  ) -> Bool {
    stored.scope.scope == .shared && stored.scope.user == user
      && stored.scope.containerEnvironment == zone.database.containerEnvironment
      && stored.subscription.kind == .database(recordType: nil)
  }

  static func isWanted(_ type: String, by filter: String?) -> Bool {
    filter.map { $0 == type } ?? true
  }
}

/// Why a subscription does not fire: the first question that it fails, in the order in which they are asked.
package enum FireMiss: Equatable, Sendable {
  case database, recordType, zone, event
  /// The subscription was saved, or saved anew, after the change.
  case start
  /// The record's state was not kept.
  case image
  case condition(Filter)
}
