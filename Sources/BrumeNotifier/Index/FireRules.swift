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
    guard hasStarted(stored.starts[bucket], at: entry.position) else { return false }
    switch entry.event {
    case .subscription: return false
    case .membership(let user, let zone): return matchesMembership(stored, user, zone)
    case .zoneCreated(let zone), .zoneDeleted(let zone):
      guard watches(stored.scope, entry.database) else { return false }
      return stored.subscription.kind == .database(recordType: nil) && !zone.isDefault
    case .record(let change):
      guard watches(stored.scope, entry.database) else { return false }
      return fires(stored.subscription.kind, on: change, image: image, searchable: searchable)
    }
  }

  private static func fires(
    _ kind: Subscription.Kind, on change: RecordChange, image: Record?,
    searchable: (String) -> Bool
  ) -> Bool {
    let zone = change.record.zone
    switch kind {
    case .query(let query, let wanted, let events, _):
      guard let image, query.recordType == change.recordType, events.contains(event(change.kind)),
        wanted.map({ $0.name == zone.name }) ?? true
      else { return false }
      return Evaluate.matches(query.filters, image, searchable: searchable)
    case .zone(let wanted, let type):
      return wanted.name == zone.name && !zone.isDefault && isWanted(change.recordType, by: type)
    case .database(let type):
      // The default zone takes no part in database subscriptions (case SUB-14).
      return !zone.isDefault && isWanted(change.recordType, by: type)
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
