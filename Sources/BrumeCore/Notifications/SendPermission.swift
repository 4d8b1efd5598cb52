// Asked once more when a push leaves: may this user still see what it tells (reliability N11)?
//
// The notifier asked when it made the push, but a push may wait in a mailbox for days.

package import BrumeModel
package import BrumeStorage

extension Engine {
  /// Whether a push that waited may still be sent, by what is true in this transaction.
  ///
  /// Only pushes about a record carry anything of it. A record that is gone was judged when the push
  /// was made; of a shared zone its reader must still be a participant.
  package func maySend(
    _ notification: Notification, of device: DeviceKey, in transaction: any ReadTransaction
  ) throws -> Bool {
    guard case .query(let zone, let name, _, _) = notification.subject, !name.isEmpty,
      let zoneKey = zoneKey(zone, notification.scope, device)
    else { return true }
    let key = RecordKey(zone: zoneKey, name: name)
    guard let stored = try transaction.record(key) else {
      if notification.scope != .shared { return true }
      return try !transaction.shareScope(of: device.user, in: zoneKey).isEmpty
    }
    let record = try stored.record()
    var coverage = try transaction.coverage(in: zoneKey, limits: limits)
    let shares = try coverage.shares(of: record) { ancestor in
      try transaction.record(RecordKey(zone: zoneKey, name: ancestor))?.record()
    }
    return try mayRead(
      device.user, key, type: record.type, creator: record.created?.user, coveringShares: shares,
      in: transaction)
  }

  /// Nil in the user's own database, where nothing needs asking.
  private func zoneKey(
    _ zone: ZoneID, _ scope: DatabaseScope, _ device: DeviceKey
  ) -> ZoneKey? {
    let owner: UserID?
    switch scope {
    case .private: return nil
    case .public: owner = nil
    case .shared:
      guard let name = zone.ownerName else { return nil }
      owner = UserID(name)
    }
    let database = DatabaseKey(
      container: device.container, environment: device.environment, owner: owner)
    return ZoneKey(database: database, name: zone.name)
  }
}
