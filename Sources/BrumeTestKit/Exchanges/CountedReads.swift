// Forwards what a body reads, and counts what of it would be an exchange with an engine on the other side
// of a network.

package import BrumeModel
package import BrumeStorage

package class CountedReads: ReadTransaction {
  let count: ExchangeCount
  private let reading: any ReadTransaction

  init(_ inner: any ReadTransaction, _ count: ExchangeCount) {
    reading = inner
    self.count = count
  }

  package func record(_ key: RecordKey) throws -> StoredRecord? {
    count.asks(.record(key))
    return try reading.record(key)
  }

  package func deletedRecord(_ key: RecordKey) throws -> DeletedRecord? {
    count.asks()
    return try reading.deletedRecord(key)
  }

  package func children(of key: RecordKey, limit: Int) throws -> [String] {
    count.asks(.children(of: key))
    return try reading.children(of: key, limit: limit)
  }

  package func descendants(of roots: [String], in zone: ZoneKey, limit: Int) throws -> [String] {
    count.asks()
    return try reading.descendants(of: roots, in: zone, limit: limit)
  }

  package func referrers(to key: RecordKey, by action: Reference.Action, limit: Int) throws
    -> [String]
  {
    count.asks(.referrers(key, action))
    return try reading.referrers(to: key, by: action, limit: limit)
  }

  package func matching(_ request: EngineQuery) throws -> EngineQueryPage {
    count.asks()
    return try reading.matching(request)
  }

  package func changes(
    in zone: ZoneKey, after: Int64, through: Int64, limit: Int, byteLimit: Int, newestFirst: Bool
  ) throws -> [StoredChange] {
    count.asks(.changes(zone, after: after, limit: limit))
    return try reading.changes(
      in: zone, after: after, through: through, limit: limit, byteLimit: byteLimit,
      newestFirst: newestFirst)
  }

  package func zone(_ key: ZoneKey) throws -> Zone? {
    count.asks(.zone(key))
    return try reading.zone(key)
  }

  package func zones(in database: DatabaseKey) throws -> [Zone] {
    count.asks()
    return try reading.zones(in: database)
  }

  package func zonesChanged(in database: DatabaseKey, after: Int64, limit: Int) throws -> [Zone] {
    count.asks(.zonesChanged(database, after: after, limit: limit))
    return try reading.zonesChanged(in: database, after: after, limit: limit)
  }

  package func lastSequence(in database: DatabaseKey) throws -> Int64 {
    count.asks(.lastSequence(database))
    return try reading.lastSequence(in: database)
  }

  package func log(in bucket: Bucket, after position: Int64, limit: Int) throws -> [LogEntry] {
    count.asks()
    return try reading.log(in: bucket, after: position, limit: limit)
  }

  package func lastLogPosition(in bucket: Bucket) throws -> Int64 {
    count.asks()
    return try reading.lastLogPosition(in: bucket)
  }

  package func subscription(_ id: String, in scope: SubscriptionScope) throws -> StoredSubscription?
  {
    count.asks(.subscription(scope, id: id))
    return try reading.subscription(id, in: scope)
  }

  package func subscriptions(in scope: SubscriptionScope) throws -> [StoredSubscription] {
    count.asks(.subscriptions(scope))
    return try reading.subscriptions(in: scope)
  }

  package func allSubscriptions(after cursor: Int64?, limit: Int) throws -> (
    subscriptions: [StoredSubscription], next: Int64?
  ) {
    count.asks()
    return try reading.allSubscriptions(after: cursor, limit: limit)
  }

  package func hasQuerySubscriptions(on recordType: String, in database: DatabaseKey) throws -> Bool
  {
    count.asks(.querySubscriptions(recordType: recordType, database))
    return try reading.hasQuerySubscriptions(on: recordType, in: database)
  }

  package func device(_ key: DeviceKey) throws -> Device? {
    count.asks(.device(key))
    return try reading.device(key)
  }

  package func devices(of user: UserID, container: ContainerID, environment: Environment) throws
    -> [Device]
  {
    count.asks()
    return try reading.devices(of: user, container: container, environment: environment)
  }

  package func devices(of user: UserID) throws -> [Device] {
    count.asks()
    return try reading.devices(of: user)
  }

  package func devices(courierToken: String) throws -> [Device] {
    count.asks()
    return try reading.devices(courierToken: courierToken)
  }

  package func mailbox(_ device: DeviceKey, after position: Int64, limit: Int) throws
    -> [MailboxEntry]
  {
    count.asks()
    return try reading.mailbox(device, after: position, limit: limit)
  }

  package func lastMailboxPosition() throws -> Int64 {
    count.asks()
    return try reading.lastMailboxPosition()
  }

  package func mailboxCount(_ device: DeviceKey) throws -> Int {
    count.asks()
    return try reading.mailboxCount(device)
  }

  package func keptNotifications(
    of user: UserID, container: ContainerID, environment: Environment, after position: Int64,
    limit: Int
  ) throws -> [KeptNotification] {
    count.asks()
    return try reading.keptNotifications(
      of: user, container: container, environment: environment, after: position, limit: limit)
  }

  package func badge(of user: UserID, container: ContainerID, environment: Environment) throws
    -> Int
  {
    count.asks()
    return try reading.badge(of: user, container: container, environment: environment)
  }

  package func devicesWithPendingEntries(after cursor: Int64?, limit: Int) throws -> (
    devices: [Device], next: Int64?
  ) {
    count.asks()
    return try reading.devicesWithPendingEntries(after: cursor, limit: limit)
  }

  package func devices(address: String) throws -> [Device] {
    count.asks()
    return try reading.devices(address: address)
  }

  package func apnsSenders(of container: ContainerID) throws -> [APNsSender] {
    count.asks()
    return try reading.apnsSenders(of: container)
  }

  package func webhooks() throws -> [Webhook] {
    count.asks()
    return try reading.webhooks()
  }

  package func webhook(_ id: String) throws -> Webhook? {
    count.asks()
    return try reading.webhook(id)
  }

  package func pushLog(_ filter: PushLogFilter, after position: Int64, limit: Int) throws
    -> [PushLogEntry]
  {
    count.asks()
    return try reading.pushLog(filter, after: position, limit: limit)
  }

  package func user(_ id: UserID) throws -> User? {
    count.asks(.user(id))
    return try reading.user(id)
  }

  package func user(named name: String) throws -> User? {
    count.asks()
    return try reading.user(named: name)
  }

  package func user(emailAddress: String) throws -> User? {
    count.asks()
    return try reading.user(emailAddress: emailAddress)
  }

  package func user(phoneNumber: String) throws -> User? {
    count.asks()
    return try reading.user(phoneNumber: phoneNumber)
  }

  package func users() throws -> [User] {
    count.asks()
    return try reading.users()
  }

  package func apiToken(_ token: String) throws -> APIToken? {
    count.asks()
    return try reading.apiToken(token)
  }

  package func apiTokens() throws -> [APIToken] {
    count.asks()
    return try reading.apiTokens()
  }

  package func serverKey(_ id: String) throws -> ServerKey? {
    count.asks()
    return try reading.serverKey(id)
  }

  package func serverKeys() throws -> [ServerKey] {
    count.asks()
    return try reading.serverKeys()
  }

  package func user(_ identity: ProviderIdentity) throws -> UserID? {
    count.asks()
    return try reading.user(identity)
  }

  package func roles(of user: UserID, container: ContainerID, environment: Environment) throws
    -> [String]
  {
    count.asks()
    return try reading.roles(of: user, container: container, environment: environment)
  }

  package func roleMembers(container: ContainerID, environment: Environment) throws -> [RoleMember]
  {
    count.asks()
    return try reading.roleMembers(container: container, environment: environment)
  }

  package func memberships(of user: UserID, container: ContainerID, environment: Environment) throws
    -> [Membership]
  {
    count.asks(.memberships(user, container, environment))
    return try reading.memberships(of: user, container: container, environment: environment)
  }

  package func memberships(in zone: ZoneKey) throws -> [Membership] {
    count.asks(.members(zone))
    return try reading.memberships(in: zone)
  }

  package func record(shortGUID: String) throws -> RecordKey? {
    count.asks()
    return try reading.record(shortGUID: shortGUID)
  }

  package func setting(_ key: SettingKey) throws -> [UInt8]? {
    count.asks(.setting(key))
    return try reading.setting(key)
  }

  package func assetFile(_ checksum: String) throws -> AssetFile? {
    count.asks()
    return try reading.assetFile(checksum)
  }

  package func assetFiles(after checksum: String, limit: Int) throws -> [AssetFile] {
    count.asks()
    return try reading.assetFiles(after: checksum, limit: limit)
  }

  package func idleAssetFiles(since time: Milliseconds, limit: Int) throws -> [AssetFile] {
    count.asks()
    return try reading.idleAssetFiles(since: time, limit: limit)
  }

  package func isAssetFileNeeded(_ checksum: String) throws -> Bool {
    count.asks()
    return try reading.isAssetFileNeeded(checksum)
  }

  package func assetUpload(_ id: String) throws -> AssetUpload? {
    count.asks()
    return try reading.assetUpload(id)
  }

  package func assetUploads(begunBy time: Milliseconds, limit: Int) throws -> [AssetUpload] {
    count.asks()
    return try reading.assetUploads(begunBy: time, limit: limit)
  }

  package func discardedAssetObjects(limit: Int) throws -> [String] {
    count.asks()
    return try reading.discardedAssetObjects(limit: limit)
  }
}
