// A store with a few thousand rows in each table that requests look into, and the requests.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit

@testable import BrumePostgres

struct FullTables {
  let store: PostgresStore
  let server: TestServer
  let phone: Caller
  private let zone = ZoneID(name: "Trails")
  var containerEnvironment: ContainerEnvironment { phone.containerEnvironment }
  var key: ZoneKey {
    ZoneKey(database: DatabaseKey(in: containerEnvironment, owner: phone.user), name: zone.name)
  }
  func device(_ user: Int, _ device: Int = 0) -> DeviceKey {
    DeviceKey(in: containerEnvironment, user: UserID("_u\(user)"), device: DeviceID("d\(device)"))
  }

  init(_ store: PostgresStore) async throws {
    self.store = store
    server = try await TestServer(store: store)
    phone = try await server.device("phone", of: "alice")
  }

  // MARK: Rows

  private let zones = [ZoneID(name: "Trails"), ZoneID(name: "Huts")]

  /// Hardly anything.
  func begin() async throws {
    _ = try await server.engine.zones.modify(
      zones.map { .init(.create, $0) }, in: .private, as: phone)
    for zone in zones { try await save(["r0", "r1"], in: zone) }
    try await query(sorted: false)
    try await query(sorted: true)
    try await ask(Self.twoEqualities, in: zone.name)
  }

  func fill() async throws {
    for zone in zones {
      for batch in 0..<2 { try await save((0..<200).map { "r\(batch * 200 + $0)" }, in: zone) }
    }
    for user in stride(from: 0, to: 60, by: 20) {
      try await server.store.write(in: .everything(of: server.store)) { transaction in
        for user in user..<user + 20 { try addUser(user, transaction) }
      }
    }
  }

  /// What makes the tables large: more of the same, and in those with a row for each database, zone and field
  /// those of others.
  static let moreRows = """
    INSERT INTO records
      SELECT bucket, zone, name || '.' || n, type, deleted_type, deleted_creator, deleted_shares,
        sequence + 1000 * n, parent, content
      FROM records, generate_series(1, 9) AS n WHERE name <> 'r0';
    INSERT INTO record_references
      SELECT bucket, zone, target, action, name || '.' || n
      FROM record_references, generate_series(1, 9) AS n;
    INSERT INTO query_index
      SELECT bucket, key, value, name || '.' || n FROM query_index, generate_series(1, 9) AS n;
    INSERT INTO log
      SELECT bucket, position + 5000 * n, database, kind, zone, name, type, subject, sequence, image,
        shares, container, environment, "user", device, request, time
      FROM log, generate_series(1, 9) AS n;
    UPDATE databases SET sequence = 10000;
    UPDATE buckets SET last = CASE WHEN bucket < 0 THEN 10000 ELSE 50000 END;
    INSERT INTO databases (bucket, id, container, environment, owner, sequence, floor)
      SELECT 0, 1000000 + n, 'iCloud.other', 'development', '_x' || n, 1, 0
      FROM generate_series(1, 3000) AS n;
    INSERT INTO zones (bucket, id, database, name, incarnation, last_sequence, has_shares)
      SELECT 0, 2000000 + n, 1000000 + n, 'Trails', 1, 1, 0 FROM generate_series(1, 3000) AS n;
    INSERT INTO wanted_fields (bucket, zone, type, field, started)
      SELECT 0, 2000000 + n, 'Trail', 'title', 1 FROM generate_series(1, 3000) AS n;
    INSERT INTO index_keys (bucket, id, zone, type, field, kind, sparse, cut)
      SELECT 0, 3000000 + n, 2000000 + n, 'Trail', 'title', 1, 0, 0
      FROM generate_series(1, 3000) AS n;
    INSERT INTO settings (bucket, name, value)
      SELECT 0, 'stored-bytes/' || n, '1' FROM generate_series(1, 3000) AS n;
    INSERT INTO served_changes (bucket, last, position, generation, time, deliveries, bytes)
      SELECT bucket, n, n, 1, n, 1, 'x' FROM buckets, generate_series(1, 3000) AS n
      WHERE bucket >= 0;
    INSERT INTO writers (name, last_commit) SELECT 'w' || n, 1 FROM generate_series(1, 1000) AS n;
    """ + moreAccounts

  private func addUser(_ user: Int, _ transaction: any WriteTransaction) throws {
    for number in 0..<2 {
      let key = device(user, number)
      try transaction.devices.put(Device(key: key, channel: .stream, registered: 0))
      for entry in 0..<30 { try transaction.mailboxes.enqueue(mail("n\(entry)"), to: key) }
    }
    for number in 0..<30 { try keep("n\(number)", for: user, transaction) }
    for number in 0..<20 {
      let scope = SubscriptionScope(
        in: containerEnvironment, scope: .private, user: UserID("_u\(user)"))
      let subscription = Subscription(
        id: "s\(number)",
        kind: .query(Query(recordType: "Trail"), zone: nil, firesOn: [.create], firesOnce: false),
        info: nil)
      try transaction.subscriptions.put(
        StoredSubscription(scope: scope, subscription: subscription, starts: LogPositions()))
    }
  }

  private func mail(_ id: String) -> MailboxEntry {
    MailboxEntry(
      position: 0, notificationID: id, subscriptionID: "s", collapseID: nil, payload: [1], time: 1,
      requestID: "R")
  }

  private func keep(_ id: String, for user: Int, _ transaction: any WriteTransaction) throws {
    try transaction.notifications.keep(
      KeptNotification(position: 0, id: id, subscriptionID: "s", payload: [1], isRead: false),
      for: UserID("_u\(user)"), in: containerEnvironment, limit: 50)
  }

  // MARK: Requests

  /// What requests and deliveries do most.
  func request() async throws {
    try await save(["r7"], in: zone)
    try await save((100..<300).map { "r\($0)" }, in: zone)
    try await delete((300..<310).map { "r\($0)" }, in: zone)
    try await lookUp()
    try await readChanges()
    try await query(sorted: false)
    try await query(sorted: true)
    try await readLog()
    try await fanOut()
    try await readMail()
    try await readAccounts()
    try await readPlaces()
    try await writeAccounts()
    try await deliver()
    try await askTheRest()
  }

  func save(_ names: [String], in zone: ZoneID) async throws {
    let operations = names.map { name in
      let group = (Int(name.dropFirst()) ?? 0) % 50
      var draft = RecordDraft(
        name: name, type: "Trail",
        fields: [
          "title": DraftField(.string("title \(name)")),
          "other": DraftField(.reference(Reference(recordName: "r\(group)", action: .none))),
        ])
      if name != "r0" { draft.parent = .set(Reference(recordName: "r0", action: .none)) }
      return RecordOperation(.forceUpdate, draft)
    }
    try await modify(operations, in: zone)
  }

  func delete(_ names: [String], in zone: ZoneID) async throws {
    let operations = names.map { RecordOperation(.forceDelete, RecordDraft(name: $0)) }
    try await modify(operations, in: zone)
  }

  func modify(_ operations: [RecordOperation], in zone: ZoneID) async throws {
    let results = try await server.engine.records.modify(
      ModifyRecordsRequest(zone: zone, operations: operations, atomic: true), in: .private,
      as: phone)
    for case .failure(let failure) in results { throw failure.error }
  }

  private func lookUp() async throws {
    let items = (0..<200).map { LookupRecordsRequest.Item(name: "r\($0)") }
    _ = try await server.engine.records.lookup(
      LookupRecordsRequest(zone: zone, items: items), in: .private, as: phone)
  }

  private func readChanges() async throws {
    var token: String?
    for _ in 0..<3 {
      let results = try await server.engine.changes.ofZones(
        [ZoneChangesRequest(zone: zone, token: token, limit: 100)], in: .private, as: phone)
      token = try results[0].get().token
    }
    _ = try await server.engine.changes.ofDatabase(since: nil, limit: 50, in: .private, as: phone)
  }

  private func query(sorted: Bool) async throws {
    let query = Query(
      recordType: "Trail",
      filters: sorted ? [] : [Filter(.equals, .field("title"), .string("title r7"))],
      sorts: sorted ? [Sort(.field("title"))] : [])
    try await ask(query, in: zone.name)
  }

  private func readLog() async throws {
    try await server.store.read { [key] transaction in
      let bucket = transaction.log.bucket(of: key.database)
      _ = try transaction.log.entries(in: bucket, after: 2000, limit: 100)
      _ = try transaction.log.lastPositions()
      _ = try transaction.history.served(at: 20_000, in: bucket)
      _ = try transaction.history.served(after: 2000, in: bucket, limit: 100)
    }
  }

  private func fanOut() async throws {
    let bucket = Bucket(of: key.database, among: server.store.bucketCount)
    try await server.store.writeRepeatable(in: .bucket(bucket).and(.server)) { transaction in
      for user in 10..<15 {
        for device in try transaction.devices.all(of: UserID("_u\(user)"), in: containerEnvironment)
        {
          try transaction.mailboxes.enqueue(mail("new"), to: device.key)
          _ = try transaction.mailboxes.count(of: device.key)
        }
        try keep("new", for: user, transaction)
        let badge = try transaction.notifications.badge(
          of: UserID("_u\(user)"), in: containerEnvironment)
        try transaction.notifications.setBadge(
          badge + 1, of: UserID("_u\(user)"), in: containerEnvironment)
      }
      try transaction.settings.set(.notifierCursor(bucket), to: [1])
      try transaction.log.trim(in: bucket, through: 10)
      try transaction.log.trim(in: bucket, through: 20, before: 1, rows: 10)
      try transaction.log.dropImages(in: bucket, after: 2000, through: 2010, largerThan: 1)
      try keepHistory(in: bucket, transaction)
    }
  }

  private func keepHistory(in bucket: Bucket, _ transaction: any WriteTransaction) throws {
    let last = try transaction.history.lastDelivery(in: bucket)
    try transaction.history.append(
      [
        ServedChange(
          last: last + 1, position: 20_000, generation: 1, time: 1, deliveries: 1, bytes: [1])
      ], in: bucket)
    try transaction.history.trim(in: bucket, through: 3)
    try transaction.history.trim(in: bucket, before: 1, rows: 10)
  }

  private func readMail() async throws {
    let key = device(20)
    try await server.store.read { transaction in
      _ = try transaction.mailboxes.entries(of: key, after: 0, limit: 20)
      _ = try transaction.mailboxes.count(of: key)
      _ = try transaction.notifications.kept(
        for: key.user, in: key.containerEnvironment, after: 0, limit: 20)
    }
    try await server.store.write(in: .account(key)) { transaction in
      try transaction.mailboxes.acknowledge(through: 10, by: key)
    }
  }
}
