// Asked once more when a push leaves: may this user still see what it tells (reliability N11)?
//
// The notifier asked when it made the push, but a push may wait in a mailbox for days.

package import BrumeModel
package import BrumeStorage

extension Engine {
  /// Whether a push that waited for a device may still be sent, by what is true in this transaction.
  package func maySend(
    _ notification: Notification, of device: DeviceKey, in transaction: any ReadTransaction
  ) throws -> Bool {
    try mayTell(
      notification, to: device.user, container: device.container, environment: device.environment,
      in: transaction)
  }

  /// The same for a notification that was kept for a user.
  ///
  /// Only pushes about a record carry anything of it. A record that is gone is judged by what is
  /// still known of it; of a shared zone its reader must still be a participant.
  func mayTell(
    _ notification: Notification, to user: UserID, container: ContainerID,
    environment: Environment, in transaction: any ReadTransaction
  ) throws -> Bool {
    guard case .query(let zone, let name, _, _) = notification.subject, !name.isEmpty,
      let zoneKey = zoneKey(zone, notification.scope, container, environment)
    else { return true }
    let key = RecordKey(zone: zoneKey, name: name)
    guard let stored = try transaction.record(key) else {
      return try mayTellDeleted(key, notification.scope, user, transaction)
    }
    let record = try stored.record()
    var coverage = try transaction.coverage(in: zoneKey, limits: limits)
    let shares = try coverage.shares(of: record) { ancestor in
      try transaction.record(RecordKey(zone: zoneKey, name: ancestor))?.record()
    }
    return try mayRead(
      user, key, type: record.type, creator: record.created?.user, coveringShares: shares,
      in: transaction)
  }

  private func mayTellDeleted(
    _ key: RecordKey, _ scope: DatabaseScope, _ user: UserID, _ transaction: any ReadTransaction
  ) throws -> Bool {
    if scope == .shared { return try !transaction.shareScope(of: user, in: key.zone).isEmpty }
    guard let gone = try transaction.deletedRecord(key) else { return false }
    return try mayRead(
      user, key, type: gone.type, creator: gone.creator, coveringShares: [], in: transaction)
  }

  /// Nil in the user's own database, where nothing needs asking.
  private func zoneKey(
    _ zone: ZoneID, _ scope: DatabaseScope, _ container: ContainerID, _ environment: Environment
  ) -> ZoneKey? {
    let owner: UserID?
    switch scope {
    case .private: return nil
    case .public: owner = nil
    case .shared:
      guard let name = zone.ownerName else { return nil }
      owner = UserID(name)
    }
    let database = DatabaseKey(container: container, environment: environment, owner: owner)
    return ZoneKey(database: database, name: zone.name)
  }
}
