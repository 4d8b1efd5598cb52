// Short ways to make the values that the notification tests talk about.

import BrumeModel

@testable import BrumeCore
@testable import BrumeNotifier

let container = ContainerID("iCloud.org.example.trailbook")
let development = ContainerEnvironment(container, .development)
let production = ContainerEnvironment(container, .production)
let alice = UserID("_alice")
let bob = UserID("_bob")

func database(_ owner: UserID?) -> DatabaseKey {
  DatabaseKey(in: development, owner: owner)
}

func zone(_ name: String, of owner: UserID?) -> ZoneKey {
  ZoneKey(database: database(owner), name: name)
}

func device(_ name: String, of user: UserID) -> DeviceKey {
  DeviceKey(in: development, user: user, device: DeviceID(name))
}

func place(_ scope: DatabaseScope, _ user: UserID) -> SubscriptionScope {
  SubscriptionScope(in: development, scope: scope, user: user)
}

func silent() -> NotificationInfo {
  var info = NotificationInfo()
  info.shouldSendContentAvailable = true
  return info
}

func visible(_ body: String = "Something happened") -> NotificationInfo {
  var info = NotificationInfo()
  info.alert.literal = body
  return info
}

func stored(
  _ id: String, _ kind: Subscription.Kind, in scope: SubscriptionScope,
  info: NotificationInfo? = silent(), startPosition: Int64 = 0
) -> StoredSubscription {
  StoredSubscription(
    scope: scope, subscription: Subscription(id: id, kind: kind, info: info),
    starts: LogPositions(startPosition, in: .only))
}

func query(
  _ type: String, _ filters: [Filter] = [], zone: ZoneID? = nil,
  on events: Set<Subscription.Event> = Set(Subscription.Event.allCases), once: Bool = false
) -> Subscription.Kind {
  .query(Query(recordType: type, filters: filters), zone: zone, firesOn: events, firesOnce: once)
}

func record(
  _ name: String, _ type: String, in zone: ZoneKey, _ fields: [String: FieldValue] = [:]
) -> Record {
  Record(name: name, zone: zone.id, type: type, fields: fields)
}

func origin(_ user: UserID? = nil, _ device: String? = nil) -> Origin {
  Origin(user: user, device: device.map { DeviceID($0) }, requestID: "request", time: 1000)
}

/// A log entry about a record.
func change(
  _ kind: RecordChange.Kind, _ record: Record, in zone: ZoneKey, at position: Int64 = 1,
  by origin: Origin = origin(), shares: [String] = []
) -> LogEntry {
  let image = StoredRecord(
    name: record.name, type: record.type, sequence: position, content: .value(record))
  let change = RecordChange(
    record: RecordKey(zone: zone, name: record.name), recordType: record.type, kind: kind,
    image: image, coveringShares: shares)
  return LogEntry(
    position: position, database: zone.database, event: .record(change), origin: origin)
}

extension SubscriptionIndex {
  /// The IDs of what was found, in name order.
  func ids(_ found: Found) -> [String] {
    ordered(found).compactMap { key(of: $0) }.sorted().map(\.id)
  }
}
