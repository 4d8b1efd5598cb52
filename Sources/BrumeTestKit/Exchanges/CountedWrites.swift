// Forwards what a body writes. What needs no answer waits for the commit, as an engine on the other side of
// a network would let it.

package import BrumeModel
package import BrumeStorage

package final class CountedWrites: CountedReads, WriteTransaction {
  private let writing: any WriteTransaction

  init(_ inner: any WriteTransaction, _ count: ExchangeCount) {
    writing = inner
    super.init(inner, count)
  }

  package var isAwaited: Bool { writing.isAwaited }

  package func nextSequence(in database: DatabaseKey) throws -> Int64 {
    count.writes()  // the number comes with the lock
    return try writing.nextSequence(in: database)
  }

  package func raiseSequences(above floor: Int64) throws {
    count.writes()
    return try writing.raiseSequences(above: floor)
  }

  package func put(_ record: Record, in zone: ZoneKey, sequence: Int64) throws -> StoredRecord {
    count.writes(.record(RecordKey(zone: zone, name: record.name)))
    return try writing.put(record, in: zone, sequence: sequence)
  }

  package func remove(
    _ key: RecordKey, type: String, coveringShares: [String], sequence: Int64
  ) throws {
    count.writes(.record(key))
    return try writing.remove(key, type: type, coveringShares: coveringShares, sequence: sequence)
  }

  package func put(_ zone: Zone) throws {
    count.writes(.zone(zone.key))
    return try writing.put(zone)
  }

  package func removeContents(of zone: ZoneKey) throws {
    count.writes()
    return try writing.removeContents(of: zone)
  }

  package func append(_ event: LogEntry.Event, in database: DatabaseKey, origin: Origin) throws
    -> Int64
  {
    count.writes()  // the position comes with the lock
    return try writing.append(event, in: database, origin: origin)
  }

  package func trimLog(in bucket: Bucket, through position: Int64) throws {
    count.writes()
    return try writing.trimLog(in: bucket, through: position)
  }

  package func put(_ subscription: StoredSubscription) throws {
    count.writes(.subscription(subscription.scope, id: subscription.subscription.id))
    return try writing.put(subscription)
  }

  package func removeSubscription(_ id: String, in scope: SubscriptionScope) throws -> Bool {
    count.asks()
    count.writes()
    return try writing.removeSubscription(id, in: scope)
  }

  package func put(_ device: Device) throws {
    count.writes(.device(device.key))
    return try writing.put(device)
  }

  package func removeDevice(_ key: DeviceKey) throws {
    count.writes()
    return try writing.removeDevice(key)
  }

  package func enqueue(_ entry: MailboxEntry, to device: DeviceKey) throws -> Int64 {
    count.asks()
    count.writes()
    return try writing.enqueue(entry, to: device)
  }

  package func acknowledge(through position: Int64, by device: DeviceKey) throws {
    count.writes()
    return try writing.acknowledge(through: position, by: device)
  }

  package func removeMailboxEntry(at position: Int64, of device: DeviceKey) throws {
    count.writes()
    return try writing.removeMailboxEntry(at: position, of: device)
  }

  package func keep(
    _ notification: KeptNotification, for user: UserID, container: ContainerID,
    environment: Environment, limit: Int
  ) throws {
    count.writes()
    return try writing.keep(
      notification, for: user, container: container, environment: environment, limit: limit)
  }

  package func markRead(
    _ ids: [String], of user: UserID, container: ContainerID, environment: Environment
  ) throws -> [String] {
    count.asks()
    count.writes()
    return try writing.markRead(ids, of: user, container: container, environment: environment)
  }

  package func setBadge(
    _ value: Int, of user: UserID, container: ContainerID, environment: Environment
  ) throws {
    count.writes()
    return try writing.setBadge(value, of: user, container: container, environment: environment)
  }

  package func put(_ sender: APNsSender) throws {
    count.writes()
    return try writing.put(sender)
  }

  package func removeAPNsSender(_ topic: String, of container: ContainerID) throws -> Bool {
    count.asks()
    count.writes()
    return try writing.removeAPNsSender(topic, of: container)
  }

  package func put(_ webhook: Webhook) throws {
    count.writes()
    return try writing.put(webhook)
  }

  package func removeWebhook(_ id: String) throws -> Bool {
    count.asks()
    count.writes()
    return try writing.removeWebhook(id)
  }

  package func append(_ entries: [PushLogEntry], limit: Int) throws {
    count.writes()
    return try writing.append(entries, limit: limit)
  }

  package func put(_ user: User) throws {
    count.writes(.user(user.id))
    return try writing.put(user)
  }

  package func put(_ token: APIToken) throws {
    count.writes()
    return try writing.put(token)
  }

  package func removeAPIToken(_ token: String) throws {
    count.writes()
    return try writing.removeAPIToken(token)
  }

  package func put(_ key: ServerKey) throws {
    count.writes()
    return try writing.put(key)
  }

  package func removeServerKey(_ id: String) throws {
    count.writes()
    return try writing.removeServerKey(id)
  }

  package func link(_ identity: ProviderIdentity, to user: UserID) throws {
    count.writes()
    return try writing.link(identity, to: user)
  }

  package func put(_ member: RoleMember) throws {
    count.writes()
    return try writing.put(member)
  }

  package func remove(_ member: RoleMember) throws {
    count.writes()
    return try writing.remove(member)
  }

  package func use(
    signature: String, at time: Milliseconds, after horizon: Milliseconds, limit: Int
  ) throws -> SignatureUse {
    count.asks()
    count.writes()
    return try writing.use(signature: signature, at: time, after: horizon, limit: limit)
  }

  package func put(_ membership: Membership) throws {
    count.writes()
    return try writing.put(membership)
  }

  package func remove(_ membership: Membership) throws {
    count.writes()
    return try writing.remove(membership)
  }

  package func setShortGUID(_ shortGUID: String, record: RecordKey) throws {
    count.writes()
    return try writing.setShortGUID(shortGUID, record: record)
  }

  package func set(_ key: SettingKey, to value: [UInt8]?) throws {
    count.writes(.setting(key))
    return try writing.set(key, to: value)
  }

  package func put(_ file: AssetFile) throws {
    count.writes()
    return try writing.put(file)
  }

  package func removeAssetFile(_ checksum: String) throws {
    count.writes()
    return try writing.removeAssetFile(checksum)
  }

  package func put(_ upload: AssetUpload) throws {
    count.writes()
    return try writing.put(upload)
  }

  package func removeAssetUpload(_ id: String) throws {
    count.writes()
    return try writing.removeAssetUpload(id)
  }

  package func discardAssetObject(_ name: String) throws {
    count.writes()
    return try writing.discardAssetObject(name)
  }

  package func forgetAssetObject(_ name: String) throws {
    count.writes()
    return try writing.forgetAssetObject(name)
  }
}
