// What is asked once more when a push leaves: may this user still see what it discloses
// (docs/internals/notifications.md, N11)?
//
// The notifier asked when it made the push, but a push may wait in a mailbox for days.

package import BrumeModel
package import BrumeStorage

/// What of a push that waited may leave.
package enum Permitted: Equatable, Sendable {
  case all
  /// Still a reason to fetch, without what the user may not see any more.
  case rest(Notification)
  case nothing
}

extension ReadPermission {
  /// What may be sent of a push that waited for a device, by what is true in this transaction.
  ///
  /// - Parameter notification: what `entry` says.
  /// - Throws: what the transaction throws.
  package func maySend(
    _ notification: Notification, in entry: MailboxEntry, of device: DeviceKey,
    in transaction: any ReadTransaction
  ) throws -> Permitted {
    var allowed = notification
    allowed.collapseID = entry.collapseID
    return try mayDeliver(
      allowed, of: entry.subscriptionID, to: device.user, in: device.containerEnvironment,
      from: transaction)
  }

  /// The same for a notification that was kept for a user.
  ///
  /// - Parameter subscription: its ID, which the notification itself may have lost when it was cut.
  func mayDeliver(
    _ notification: Notification, of subscription: String, to user: UserID,
    in containerEnvironment: ContainerEnvironment, from transaction: any ReadTransaction
  ) throws -> Permitted {
    switch notification.subject {
    case .query(let zone, let name, _, _) where !name.isEmpty:
      // In the user's own database nothing needs asking.
      guard let zone = zoneKey(zone, notification.scope, containerEnvironment) else {
        return .all
      }
      let key = RecordKey(zone: zone, name: name)
      return try mayDeliver(key, notification.scope, user, transaction) ? .all : .nothing
    case .query, .fetchEverything:
      let scopes = [DatabaseScope.private, .public].map {
        SubscriptionScope(in: containerEnvironment, scope: $0, user: user)
      }
      return try mayDeliverUnnamed(notification, of: subscription, in: scopes, transaction)
    // Zone subscriptions watch the user's own zones.
    case .zone: return .all
    case .database:
      let allowed = try withoutLeftZone(
        notification, of: user, in: containerEnvironment, from: transaction)
      return allowed == notification ? .all : .rest(allowed)
    }
  }

  /// A shared database's change without the zone, if that is not shared with the user any more. That
  /// something changed is still said: the change feed says that the zone is gone.
  ///
  /// - Throws: what the transaction throws.
  package func withoutLeftZone(
    _ notification: Notification, of user: UserID, in containerEnvironment: ContainerEnvironment,
    from transaction: any ReadTransaction
  ) throws -> Notification {
    guard case .database(let zone?) = notification.subject, notification.scope == .shared,
      let key = zoneKey(zone, .shared, containerEnvironment),
      try ShareScope(of: user, in: key, from: transaction).isEmpty()
    else { return notification }
    var allowed = notification
    allowed.subject = .database(nil)
    return allowed
  }

  /// A record that is gone is judged by what is still known of it; of a shared zone its reader must
  /// still be a participant.
  private func mayDeliver(
    _ key: RecordKey, _ scope: DatabaseScope, _ user: UserID, _ transaction: any ReadTransaction
  ) throws -> Bool {
    guard let stored = try transaction.records.find(key) else {
      return try mayDeliverDeleted(key, scope, user, transaction)
    }
    // By what is damaged nobody can be allowed anything.
    if stored.isUnreadable { return false }
    let record = try stored.record()
    var coverage = try Coverage(of: key.zone, limits, from: transaction)
    let shares = try coverage.shares(of: record) { ancestor in
      try transaction.records.find(RecordKey(zone: key.zone, name: ancestor))?.record()
    }
    return try mayRead(
      user, key, type: record.type, creator: record.created?.user, coveringShares: shares,
      in: transaction)
  }

  /// A push so large that its record's name was cut. Its texts may hold the record's values, and
  /// whose record it was is not known any more; so they go, unless all records of the type may be read.
  private func mayDeliverUnnamed(
    _ notification: Notification, of subscription: String, in scopes: [SubscriptionScope],
    _ transaction: any ReadTransaction
  ) throws -> Permitted {
    if !notification.holdsValues { return .all }
    for scope in scopes {
      guard let stored = try transaction.subscriptions.find(subscription, in: scope),
        case .query(let query, _, _, _) = stored.subscription.kind
      else { continue }
      guard let database = scope.database, database.owner == nil else { return .all }
      let anyRecord = RecordKey(
        zone: ZoneKey(database: database, name: ZoneID.defaultName), name: "")
      let mayRead = try mayRead(
        scope.user, anyRecord, type: query.recordType, creator: nil, coveringShares: [],
        in: transaction)
      if mayRead { return .all }
    }
    return .rest(notification.withoutValues)
  }

  private func mayDeliverDeleted(
    _ key: RecordKey, _ scope: DatabaseScope, _ user: UserID, _ transaction: any ReadTransaction
  ) throws -> Bool {
    if scope == .shared {
      return try !ShareScope(of: user, in: key.zone, from: transaction).isEmpty()
    }
    guard let gone = try transaction.records.deleted(key) else { return false }
    return try mayRead(
      user, key, type: gone.type, creator: gone.creator, coveringShares: [], in: transaction)
  }

  /// Nil in the user's own database.
  private func zoneKey(
    _ zone: ZoneID, _ scope: DatabaseScope, _ containerEnvironment: ContainerEnvironment
  ) -> ZoneKey? {
    let owner: UserID?
    switch scope {
    case .private: return nil
    case .public: owner = nil
    case .shared:
      guard let name = zone.ownerName else { return nil }
      owner = UserID(name)
    }
    let database = DatabaseKey(in: containerEnvironment, owner: owner)
    return ZoneKey(database: database, name: zone.name)
  }
}

extension Notification {
  private var texts: [Text] { [alert, title, subtitle] }

  /// Whether values of a record are in what is shown, or in the collapse ID.
  fileprivate var holdsValues: Bool {
    collapseID != nil || texts.contains { $0.localizationArgs.contains { !$0.isEmpty } }
  }

  fileprivate var withoutValues: Notification {
    var allowed = self
    allowed.collapseID = nil
    allowed.alert.localizationArgs = []
    allowed.title.localizationArgs = []
    allowed.subtitle.localizationArgs = []
    return allowed
  }
}
