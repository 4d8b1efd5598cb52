// The remover empties an account in a transaction: zones, subscriptions, devices with their mailboxes, kept
// notifications, memberships, roles, and the user's own record of the public database.

import BrumeModel
import BrumeStorage

struct AccountRemover {
  private let transaction: any WriteTransaction
  private let user: UserID
  private let origin: Origin

  init(_ transaction: any WriteTransaction, _ user: UserID, _ origin: Origin) {
    self.transaction = transaction
    self.user = user
    self.origin = origin
  }

  /// Every zone that is there.
  ///
  /// - Returns: zones of which rows are left.
  func removeZones() throws -> [ZoneKey] {
    try transaction.zones.databases(of: user).flatMap { database in
      try transaction.zones.all(in: database).flatMap { try remove($0.key) }
    }
  }

  /// A zone with its records, and the part that others have in it.
  ///
  /// - Returns: the zone, if rows of it are left.
  func remove(_ key: ZoneKey) throws -> [ZoneKey] {
    guard let zone = try transaction.zones.find(key), zone.isLive else { return [] }
    var writer = ZoneWriter(transaction, origin)
    try writer.delete(zone, as: .deleted)
    let kept: [SettingKey] = [
      .storedBytes(key), .storedBytesOfDatabase(key.database), .forgottenDeletions(key),
    ]
    for setting in kept {
      try transaction.settings.set(setting, to: nil)
    }
    return writer.left
  }

  /// What belongs to the user in a container environment beside zones.
  func removeAll(in containerEnvironment: ContainerEnvironment) throws {
    try removeSubscriptions(in: containerEnvironment)
    for device in try transaction.devices.all(of: user, in: containerEnvironment) {
      try transaction.devices.remove(device.key)
    }
    try transaction.notifications.removeAll(of: user, in: containerEnvironment)
    for membership in try transaction.shares.memberships(of: user, in: containerEnvironment) {
      try transaction.shares.remove(membership)
      try transaction.settings.set(.clientData(membership.share.zone, user: user), to: nil)
    }
    let publicDatabase = DatabaseKey(in: containerEnvironment, owner: nil)
    let publicZone = ZoneKey(database: publicDatabase, name: ZoneID.defaultName)
    try transaction.settings.set(.clientData(publicZone, user: user), to: nil)
    for role in try transaction.roles.names(of: user, in: containerEnvironment) {
      try transaction.roles.remove(RoleMember(in: containerEnvironment, role: role, user: user))
    }
    try removeUserRecord(in: containerEnvironment)
    let database = DatabaseKey(in: containerEnvironment, owner: user)
    for setting in [SettingKey.storedBytesOfDatabase(database), .sequenceMarks(database)] {
      try transaction.settings.set(setting, to: nil)
    }
  }

  private func removeSubscriptions(in containerEnvironment: ContainerEnvironment) throws {
    for scope in DatabaseScope.allCases {
      let own = SubscriptionScope(in: containerEnvironment, scope: scope, user: user)
      for stored in try transaction.subscriptions.all(in: own) {
        try transaction.subscriptions.remove(stored.subscription.id, in: own)
        try transaction.log.append(
          .subscription(own, id: stored.subscription.id), in: own.logDatabase, origin: origin)
      }
    }
  }

  /// The record that others find the user by. No request may delete one, because it lasts as long as the
  /// account.
  private func removeUserRecord(in containerEnvironment: ContainerEnvironment) throws {
    let database = DatabaseKey(in: containerEnvironment, owner: nil)
    let zone = ZoneKey(database: database, name: ZoneID.defaultName)
    let key = RecordKey(zone: zone, name: user.name)
    guard let stored = try transaction.records.find(key) else { return }
    let sequence = try transaction.sequences.next(in: database)
    try transaction.records.remove(key, type: stored.type, sequence: sequence)
    let wantsImage = try transaction.subscriptions.hasQueries(on: stored.type, in: database)
    let change = RecordChange(
      record: key, recordType: stored.type, kind: .deleted, image: wantsImage ? stored : nil,
      coveringShares: [])
    try transaction.log.append(.record(change), in: database, origin: origin)
    var row = try transaction.zones.live(zone)
    row.lastSequence = sequence
    if row.incarnation == 0 { row.incarnation = sequence }
    try transaction.zones.put(row)
  }

  /// What is remembered of the user's requests and uploads.
  func forgetSettings(operationSlots: UInt64) throws {
    try transaction.settings.set(.pendingUploads(user), to: nil)
    for slot in 0..<operationSlots {
      let key = SettingKey.operation(user: user, id: String(slot))
      if try transaction.settings.value(key) != nil { try transaction.settings.set(key, to: nil) }
    }
  }
}
