// A store with a bit of everything, as a server leaves it: for tests that carry all of it elsewhere.

import BrumeModel
import BrumeNotifier
package import BrumeStorage

/// Fills a store.
package enum FilledStore {
  /// Fills an empty store.
  ///
  /// - Throws: what the store throws.
  package static func fill(_ store: any Store) async throws {
    let scope = WriteScope.everything(of: store)
    try await store.write(in: scope) { transaction in
      try putAccounts(transaction)
      try putRecords(transaction)
      try putBooks(transaction)
    }
    try await store.write(in: scope) { transaction in
      try putLog(transaction)
      try putSubscriptions(transaction)
      try putDevices(transaction)
      try putDelivery(transaction)
      try putOperators(transaction)
    }
    // What is served is gone, as a notifier leaves it; the rest waits.
    for bucket in (0..<store.bucketCount).map({ Bucket($0) }) {
      try await store.write(in: .bucket(bucket)) { transaction in
        let last = try transaction.log.lastPosition(in: bucket)
        guard last > 3 else { return }
        try transaction.log.trim(in: bucket, through: 2)
        try transaction.settings.set(
          .notifierCursor(bucket), to: NotifierCursor(position: 3).bytes)
      }
    }
  }

  /// Owners of databases, in several buckets of most stores; nil is the public one.
  package static let owners: [String?] = [nil, "_a1", "_b2", "_c3", "_d4", "_e5"]

  /// Identifiers are ASCII; some differ in case alone.
  private static func zones(_ owner: String?) -> [ZoneKey] {
    ["Trails", "Cafe", "cafe", "Z"].map { .sample($0, owner: owner) }
  }

  private static func putAccounts(_ transaction: any WriteTransaction) throws {
    for (index, id) in ["_b2", "_a1", "_c3"].enumerated() {
      try transaction.users.put(
        User(
          id: UserID(id), name: "zo\u{eb} \(id)", passwordHash: index == 0 ? nil : "hash",
          emailAddress: "\(id)@Example.org", tokenEpoch: Int64(index), isDiscoverable: index != 1))
      try transaction.users.link(
        ProviderIdentity(issuer: "https://id.example", subject: id), to: UserID(id))
      try transaction.roles.put(RoleMember(in: .sample, role: "editor", user: UserID(id)))
      _ = try transaction.credentials.use(signature: "s\(id)", at: 1000, after: 0, limit: 10)
    }
    for (index, origins) in [nil, [], ["https://a.example", ""]].enumerated() {
      try transaction.credentials.put(
        APIToken(
          token: "t\(index)", name: "T", in: .sampleProduction, allowedOrigins: origins,
          callback: index == 1 ? "https://a.example/back" : nil))
    }
    try transaction.credentials.put(
      ServerKey(id: "k", name: "K", in: .sample, publicKey: "PEM\n", user: UserID("_a1")))
  }

  /// Records of all kinds, deleted ones, references, files, zones that are gone.
  private static func putRecords(_ transaction: any WriteTransaction) throws {
    for owner in owners {
      for zone in zones(owner) {
        let first = try transaction.sequences.next(in: zone.database)
        for name in ["a", "b", "Cafe", "cafe", "gone", "Full"] {
          try transaction.putNext(
            name, in: zone, fields: name == "Full" ? FieldSamples.oneOfEach : fields(name),
            parent: name == "b" ? "a" : nil)
        }
        let last = try transaction.sequences.next(in: zone.database)
        try transaction.records.remove(
          RecordKey(zone: zone, name: "gone"), type: "Trail", coveringShares: ["s 1", "s 2"],
          sequence: last)
        try transaction.zones.put(
          Zone(
            key: zone, incarnation: first, lastSequence: last,
            deletion: zone.name == "Z" ? .purged : nil, hasShares: zone.name == "Trails"))
      }
      _ = try transaction.sequences.next(in: .sample(owner: owner))
    }
  }

  private static func fields(_ name: String) -> [String: FieldValue] {
    [
      "file": .asset(Asset(fileChecksum: "file\(name)", size: 7)),
      "to": .reference(Reference(recordName: "a", action: .deleteSelf)),
    ]
  }

  private static func putBooks(_ transaction: any WriteTransaction) throws {
    for (index, idle) in ([nil, 0, 5] as [Milliseconds?]).enumerated() {
      try transaction.assets.put(
        AssetFile(
          checksum: "f\(index)", object: "object\(index)", size: 7, digest: [1, 0, 255],
          idleSince: idle))
    }
    try transaction.assets.put(AssetUpload(id: "u1", checksum: nil, began: 10))
    try transaction.assets.put(AssetUpload(id: "u2", checksum: "f0", began: 11))
    try transaction.assets.discardObject("object9")
    for owner in ["_a1", "_c3"] {
      let share = RecordKey(zone: .sample(owner: owner), name: "s 1")
      try transaction.shares.put(Membership(user: UserID("_b2"), share: share))
      try transaction.shares.setShortGUID("0abc\(owner)", record: share)
      let zone = ZoneKey.sample(owner: owner)
      try transaction.settings.set(.sharingEpoch(zone), to: [1])
      try transaction.settings.set(.clientData(zone, user: UserID("_b2")), to: [0, 255])
      try transaction.settings.set(.storedBytes(zone), to: Array("12 7".utf8))
      try transaction.settings.set(.storedBytesOfDatabase(zone.database), to: Array("12".utf8))
      try transaction.settings.set(.pendingUploads(UserID(owner)), to: Array("u2".utf8))
      try transaction.settings.set(.operation(user: UserID(owner), id: "7"), to: [])
    }
    try transaction.settings.set(.schema(.sample), to: Array("DEFINE SCHEMA".utf8))
    try transaction.settings.set(.subscriptionTypes(.sampleProduction), to: [1])
    try transaction.settings.set(.secret, to: Array(repeating: 7, count: 32))
    try transaction.settings.set(.vapidKey, to: [1, 2, 3])
    try transaction.settings.set(.generation, to: Array("1700000000000".utf8))
  }

  /// Entries of all kinds, of several databases in turn.
  private static func putLog(_ transaction: any WriteTransaction) throws {
    for round in 0..<2 {
      for owner in owners {
        for (index, event) in events(owner).enumerated() {
          try transaction.log.append(
            event, in: .sample(owner: owner),
            origin: Origin(
              user: index == 0 ? nil : UserID("_a1"), device: index == 1 ? nil : DeviceID("phone"),
              requestID: "R\(round)", time: 1_700_000_000_000 + Int64(10 * round + index)))
        }
      }
    }
  }

  private static func events(_ owner: String?) -> [LogEntry.Event] {
    let zone = ZoneKey.sample(owner: owner)
    let image = StoredRecord(
      name: "a", type: "Trail", sequence: 7,
      content: .value(.sample("a", in: zone, sequence: 7, fields: FieldSamples.oneOfEach)))
    let scope = SubscriptionScope(in: .sample, scope: .private, user: UserID(owner ?? "_f6"))
    return [
      .record(
        RecordChange(
          record: RecordKey(zone: zone, name: "a"), recordType: "Trail", kind: .created,
          image: image, coveringShares: ["cloudkit.zoneshare", "S 2"])),
      .record(
        RecordChange(
          record: RecordKey(zone: zone, name: "b"), recordType: "Hut", kind: .deleted, image: nil)),
      .zoneCreated(zone), .zoneDeleted(.sample("Other", owner: owner)),
      .membership(UserID("_b2"), zone), .subscription(scope, id: "caf\u{e9}/1"),
    ]
  }

  private static func putSubscriptions(_ transaction: any WriteTransaction) throws {
    let ends = try transaction.log.lastPositions()
    for user in ["_b2", "_a1"] {
      for scope in [DatabaseScope.private, .public, .shared] {
        let place = SubscriptionScope(in: .sample, scope: scope, user: UserID(user))
        let bucket = transaction.log.bucket(of: place.logDatabase)
        for (index, kind) in SubscriptionSamples.kinds.enumerated() {
          var starts = scope == .shared ? ends : LogPositions(ends[bucket], in: bucket)
          if index == 1 { starts = LogPositions(min(4, ends[bucket]), in: bucket) }
          if index == 2 { starts = LogPositions() }
          try transaction.subscriptions.put(
            StoredSubscription(
              scope: place, subscription: SubscriptionSamples.subscription("s\(index)", kind),
              starts: starts))
        }
      }
    }
  }

  private static func putDevices(_ transaction: any WriteTransaction) throws {
    let target = WebPushTarget(
      endpoint: "https://push.example/é", key: [4, 0, 255], secret: [1, 2])
    let channels: [Device.Channel] = [
      .stream, .courier(token: "ab"), .webPush(target),
      .apns(token: "cd", environment: .production, topic: "org.example.app"),
      .apns(token: "ef", environment: .development, topic: nil),
    ]
    for user in ["_b2", "_a1"] {
      for (index, channel) in channels.enumerated() {
        let key = DeviceKey.sample("d\(index)", user: user)
        try transaction.devices.put(
          Device(key: key, channel: channel, registered: Int64(index)))
        for id in ["n2", "n1", "n3"].prefix(index) {
          try transaction.mailboxes.enqueue(.sample(id), to: key)
        }
      }
      try transaction.mailboxes.enqueue(.sample("n"), to: .sample("unregistered", user: user))
      for id in ["b", "a", "c"] {
        try transaction.notifications.keepSample(id, user: user, limit: 2)
      }
      _ = try transaction.notifications.markRead(
        [KeptNotificationID("a")], of: UserID(user), in: .sample)
    }
    try transaction.notifications.setBadge(3, of: UserID("_a1"), in: .sample)
    try transaction.notifications.setBadge(4, of: UserID("_e5"), in: .sample)
  }

  private static func putOperators(_ transaction: any WriteTransaction) throws {
    let ada = Operator(
      id: "o1", name: "ada", role: .readOnly, passwordHash: "hash", created: 5)
    try transaction.operators.put(ada)
    try transaction.operators.put(
      OperatorCredential(
        id: "d1", kind: .session, operatorID: "o1", role: .readOnly, created: 6, lastUsed: 7,
        ends: 8))
    try transaction.operators.put(
      OperatorCredential(
        id: "d2", kind: .token, name: "ci", operatorID: nil, role: .full, created: 9, ends: nil))
    let bounds = AuditBounds(lines: 2, refusals: 1, oldest: 0)
    for (number, name) in ["ada", "", "ada", "owner"].enumerated() {
      try transaction.audit.append(
        AuditEntry(
          time: Int64(number), operatorName: name, address: "local", requestID: "R\(number)",
          action: "users", subject: "alice", container: number == 0 ? "" : "iCloud.a",
          environment: "", status: number == 2 ? nil : 200,
          isRefused: name.isEmpty), keeping: bounds)
    }
  }

  private static func putDelivery(_ transaction: any WriteTransaction) throws {
    for topic in ["b", "a"] {
      try transaction.apnsSenders.put(
        APNsSender(
          container: .sample, topic: topic, team: "TEAM", keyID: "KEY", privateKey: "pem \(topic)"))
    }
    var webhook = Webhook(
      id: "w1", in: .sample, url: "https://a.example/hook", secret: [0, 255], created: 5,
      cursor: try transaction.log.lastPositions())
    webhook.disabledBecause = "it answered 410"
    try transaction.webhooks.put(webhook)
    webhook = Webhook(
      id: "w2", in: .sample, url: "https://b.example/hook", secret: [1], created: 6,
      cursor: LogPositions())
    webhook.missed = true
    webhook.failures = 2
    try transaction.webhooks.put(webhook)
    for number in 1...3 {
      try transaction.pushLog.append(
        PushLogEntry(
          time: Int64(number), in: .sample, user: number == 1 ? nil : UserID("_a1"), device: "d",
          channel: "apns", notificationID: "n", subscriptionID: "s", requestID: "R",
          subject: "zone Trails", verdict: .sent, status: number == 2 ? nil : 200, reason: "",
          attempt: 1), limit: 2)
    }
  }
}
