// A small store with something in each table that has checksums, and nothing that is the same under two keys: what is
// answered from the wrong place is seen.

import BrumeModel
import BrumeStorage
import BrumeTestKit

enum DamageFixture {
  /// A line of the push log, named by its number.
  static func push(_ number: Int) -> PushLogEntry {
    PushLogEntry(
      time: 9, in: .sample, user: nil, device: "d", channel: "apns",
      notificationID: "line-\(number)", subscriptionID: "s", requestID: "R", subject: "",
      verdict: .sent, status: 200, reason: "", attempt: 1)
  }

  static func fill(_ store: any Store) async throws {
    try await store.write(in: .everything(of: store)) { transaction in
      for owner in [nil, "_a1"] as [String?] {
        for name in ["Trails", "Z"] { try fill(ZoneKey.sample(name, owner: owner), transaction) }
      }
      try transaction.settings.set(.schema(.sample), to: Array("DEFINE SCHEMA".utf8))
      try transaction.settings.set(.secret, to: Array(repeating: 7, count: 32))
      for scope in [DatabaseScope.private, .public, .shared] { try subscribe(scope, transaction) }
      for number in 0..<2 { try mail("d\(number)", transaction) }
    }
  }

  private static func fill(_ zone: ZoneKey, _ transaction: any WriteTransaction) throws {
    for number in 1...9 {
      try transaction.putNext(
        "n\(number)", in: zone,
        fields: ["n": .int64(Int64(number)), "text": .string("Trail \(number) \(zone.place)")])
    }
    for name in ["a", "b", "gone"] {
      try transaction.putNext(
        name, in: zone,
        fields: [
          "file": .asset(Asset(fileChecksum: "file\(name)", size: 7)),
          "text": .string(zone.place),
          "to": .reference(Reference(recordName: "a", action: .deleteSelf)),
        ], parent: name == "b" ? "a" : nil)
    }
    let last = try transaction.sequences.next(in: zone.database)
    let key = RecordKey(zone: zone, name: "gone")
    try transaction.records.remove(
      key, type: "Trail", coveringShares: ["s 1", "s 2"], sequence: last)
    try transaction.zones.put(
      Zone(
        key: zone, incarnation: 1, lastSequence: last,
        deletion: zone.name == "Z" ? .purged : nil, hasShares: zone.name == "Trails"))
    let image = try transaction.records.find(RecordKey(zone: zone, name: "a"))
    let changes = [
      RecordChange(
        record: RecordKey(zone: zone, name: "a"), recordType: "Trail", kind: .created, image: image,
        coveringShares: ["cloudkit.zoneshare", "S 2"]),
      RecordChange(record: key, recordType: "Trail", kind: .deleted, image: nil),
    ]
    for event in changes.map(LogEntry.Event.record) + [.zoneCreated(zone)] {
      try transaction.log.append(event, in: zone.database, origin: .sample)
    }
  }

  private static func subscribe(
    _ scope: DatabaseScope, _ transaction: any WriteTransaction
  ) throws {
    let place = SubscriptionScope(in: .sample, scope: scope, user: UserID("_a1"))
    for id in ["s0", "s1"] {
      try transaction.subscriptions.put(
        StoredSubscription(
          scope: place,
          subscription: Subscription(
            id: id, kind: .database(recordType: id == "s0" ? nil : "Trail \(scope)"),
            info: NotificationInfo()), starts: LogPositions(3, in: .only)))
    }
    try transaction.log.append(
      .subscription(place, id: "s0"), in: .sample(), origin: .sample)
  }

  private static func mail(_ device: String, _ transaction: any WriteTransaction) throws {
    let key = DeviceKey(in: .sample, user: UserID("_a1"), device: DeviceID(device))
    try transaction.devices.put(Device(key: key, channel: .stream, registered: 5))
    for id in ["p1", "p2"] {
      try transaction.mailboxes.enqueue(
        MailboxEntry(
          position: 0, notificationID: id, subscriptionID: "s0", collapseID: "c",
          payload: Array("payload \(id) for \(device)".utf8), time: 9, requestID: "R"), to: key)
    }
    for user in ["_a1", "_b2"] {
      try transaction.notifications.keep(
        KeptNotification(
          position: 0, id: "k\(device)", subscriptionID: "s0",
          payload: Array("kept for \(user)".utf8), isRead: false), for: UserID(user), in: .sample,
        limit: 10)
    }
  }
}

extension ZoneKey {
  fileprivate var place: String { "in \(name) of \(database.owner?.name ?? "all")" }
}
