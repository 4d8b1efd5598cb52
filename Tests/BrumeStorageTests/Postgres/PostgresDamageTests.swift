// Rows in PostgreSQL that are not what was written, and pages that it cannot read.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumePostgres

@Suite(.timeLimit(.minutes(5))) struct PostgresDamageTests {
  @Test(arguments: [
    "content = replace(encode(content, 'escape'), 'Trail', 'Trial')::bytea",
    "sequence = sequence + 1",
    "parent = 'x'", "type = 'Trial'",
  ])
  func `a record that was changed in its table is an error, and others are answered`(
    change: String
  ) async throws {
    let (store, connection) = try await filled()
    try await run("UPDATE records SET \(change) WHERE name = 'a'", connection)
    let (found, other, page) = try await store.read { transaction in
      (
        try transaction.records.find(RecordKey(zone: .sample(), name: "a")),
        try transaction.records.find(RecordKey(zone: .sample(), name: "b")),
        try transaction.changes.page(in: .sample(), after: 0, through: .max, limit: 100)
      )
    }
    #expect(found?.isUnreadable == true && other?.isUnreadable == false)
    let unreadable = page.filter {
      if case .changed(let stored) = $0 { stored.isUnreadable } else { false }
    }
    #expect(unreadable.count == 1 && page.count > 3)
    #expect((store.damagedRows?.reads ?? 0) > 0)
    await #expect(throws: BrumeError.self) {
      try await store.write(in: .database(.sample())) { _ = try $0.putNext("a") }
    }
    // Who writes finds it as who reads does.
    let written = try await store.write(in: .database(.sample())) {
      try $0.records.find(RecordKey(zone: .sample(), name: "a"))
    }
    #expect(written?.isUnreadable == true)
    try await store.write(in: .database(.sample())) { _ = try $0.putNext("b") }
    try await store.close()
  }

  @Test func `a feed goes on behind a damaged record that alone has as much as an answer`()
    async throws
  {
    let url = try PostgresServer.shared.get().emptySchema()
    let store = try PostgresStore.forTest(url: url)
    var limits = Limits.apple
    limits.answerBytes = 10_000
    let server = try await TestServer(store: store, limits: limits)
    let alice = try await server.device(of: "alice")
    let zone = ZoneID(name: "Trails")
    _ = try await server.engine.zones.modify([.init(.create, zone)], in: .private, as: alice)
    let text = DraftField(.string(String(repeating: "x", count: 20_000)))
    for name in ["a", "b", "c"] {
      let draft = RecordDraft(name: name, type: "Trail", fields: ["t": text])
      let results = try await server.engine.records.modify(
        .init(zone: zone, operations: [RecordOperation(.create, draft)]), in: .private, as: alice)
      for result in results { _ = try result.get() }
    }
    let change = "replace(encode(content, 'escape'), 'xx', 'xy')::bytea"
    try await run(
      "UPDATE records SET content = \(change) WHERE name = 'a'", Connection.forTest(url))
    var (names, token, moreComing) = ([String](), String?.none, true)
    while moreComing, names.count < 9 {
      let pages = try await server.engine.changes.ofZones(
        [.init(zone: zone, token: token)], in: .private, as: alice)
      let page = try #require(pages.first).get()
      for case .changed(let stored) in page.changes { names.append(stored.name) }
      (token, moreComing) = (page.token, page.moreComing)
    }
    #expect(names == ["a", "b", "c"])
    try await store.close()
  }

  @Test func `a damaged record with the sequence of another ends no feed, however large both are`()
    async throws
  {
    let url = try PostgresServer.shared.get().emptySchema()
    let store = try PostgresStore.forTest(url: url)
    let text = FieldValue.string(String(repeating: "x", count: 20_000))
    try await store.write(in: .database(.sample())) { transaction in
      for name in ["a", "b", "c"] { try transaction.putNext(name, fields: ["t": text]) }
    }
    try await run(
      "UPDATE records SET sequence = sequence + 1 WHERE name = 'a'", Connection.forTest(url))
    let page = try await store.read {
      try $0.changes.page(in: .sample(), after: 0, through: .max, limit: 100)
    }
    let whole = page.compactMap { change -> String? in
      guard case .changed(let stored) = change, !stored.isUnreadable else { return nil }
      return stored.name
    }
    #expect(page.count == 3)
    #expect(whole.sorted() == ["b", "c"])
    try await store.close()
  }

  @Test func `an entry of the log that was changed is left out, and those after it come`()
    async throws
  {
    let (store, connection) = try await filled()
    let before = try await entries(store)
    let changed = try #require(before.dropLast().last)
    try await run("UPDATE log SET subject = '3x' WHERE position = \(changed)", connection)
    #expect(try await entries(store) == before.filter { $0 != changed })
    try await store.close()
  }

  @Test(arguments: ["buckets", "mail"])
  func `without its row nothing is counted in a bucket, and the error names what is missing, in`(
    table: String
  ) async throws {
    let (store, connection) = try await filled()
    try await run("DELETE FROM \(table) WHERE bucket = 0", connection)
    let scope: WriteScope = table == "mail" ? .bucket(.only) : .database(.sample())
    let error = await #expect(throws: StoreError.self) {
      try await store.write(in: scope) { _ in }
    }
    #expect(error?.code == .corrupt)
    let words = "the table '\(table)' has no row of bucket 0"
    #expect(error?.description.hasPrefix(words) == true)
    try await store.close()
  }

  @Test func `without its row nobody takes a bucket's last position for 0`() async throws {
    let url = try PostgresServer.shared.get().emptySchema()
    let filled = try PostgresStore.forTest(url: url)
    try await FilledStore.fill(filled)
    try await filled.close()
    try await run("DELETE FROM buckets WHERE bucket = 0", try Connection.forTest(url))
    // Who has seen positions there says that the database has lost them.
    let store = try PostgresStore.forTest(url: url)
    let plans: [ReadPlan] = [.none, ReadPlan { [.log(.only, after: 0)] }]
    for plan in plans {
      let error = await #expect(throws: StoreError.self) {
        _ = try await store.read(plan) { try $0.log.lastPosition(in: .only) }
      }
      #expect(error?.code == .corrupt)
      #expect(error?.description.hasPrefix("the table 'buckets' has no row of bucket 0") == true)
    }
    try await store.close()
  }

  @Test func `without its row nothing is counted in a database that is known, and another is made`()
    async throws
  {
    let (store, connection) = try await filled()
    // This process knows its number still.
    try await run("DELETE FROM databases", connection)
    let error = await #expect(throws: StoreError.self) {
      try await store.write(in: .database(.sample())) { _ = try $0.putNext("z") }
    }
    #expect(error?.code == .corrupt)
    let words = "the table 'databases' has no row of database "
    #expect(error?.description.hasPrefix(words) == true)
    let unknown = DatabaseKey(in: .sample, owner: UserID("_new"))
    let first = try await store.write(in: .database(unknown)) {
      try $0.sequences.next(in: unknown)
    }
    #expect(first > 0)
    try await store.close()
  }

  @Test func `devices are found in all buckets but the one whose mailboxes are damaged`()
    async throws
  {
    let url = try PostgresServer.shared.get().emptySchema()
    let store = try PostgresStore.forTest(buckets: 4, url: url)
    let devices = try (0..<4).map { try Self.device(inBucket: $0) }
    for key in devices { try await Self.mail(key, store) }
    #expect(try await Self.look(store) == devices)
    try Connection.forTest(url).simple(Self.damageMailboxes(ofBucket: 2))
    #expect(try await Self.look(store) == [devices[0], devices[1], devices[3]])
    try await store.close()
  }

  @Test func `a subscription right before those that cannot be read is found`() async throws {
    let url = try PostgresServer.shared.get().emptySchema()
    let store = try PostgresStore.forTest(url: url)
    let scope = SubscriptionScope(in: .sample, scope: .private, user: UserID("_a1"))
    for id in ["first", "second"] {
      try await store.write(in: .database(.sample())) {
        try $0.subscriptions.put(
          StoredSubscription(
            scope: scope,
            subscription: Subscription(
              id: id, kind: .database(recordType: nil), info: NotificationInfo()),
            starts: LogPositions()))
      }
    }
    try Connection.forTest(url).simple(Self.damageSubscriptionsBehindTheFirst)
    let page = try await store.read {
      try $0.subscriptions.page(watching: .only, withShared: false, after: nil, limit: 1)
    }
    #expect(page.subscriptions.map(\.subscription.id) == ["first"])
    let next = page.next
    await #expect(throws: StoreError.self) {
      try await store.read {
        _ = try $0.subscriptions.page(watching: .only, withShared: false, after: next, limit: 1)
      }
    }
    try await store.close()
  }

  @Test(arguments: [
    "UPDATE records SET content = replace(encode(content, 'escape'), 'Trail', 'Trial')::bytea",
    "UPDATE records SET sequence = sequence + 1 WHERE name = 'gone'",
    "UPDATE records SET parent = 'x' WHERE name = 'a'",
    "UPDATE log SET request = 'R9' WHERE position = (SELECT max(position) FROM log)",
    "UPDATE log SET image = NULL WHERE image IS NOT NULL",
  ])
  func `what was changed in its table is neither backed up nor moved`(change: String) async throws {
    let mover = try Mover(buckets: 1)
    try await mover.withPostgres { store in
      try await FilledStore.fill(store)
      try Connection.forTest(mover.url).simple(change)
      let refusal = await #expect(throws: StoreError.self) { try await BackupFixture(of: store) }
      #expect(refusal?.code == .corrupt)
      #expect((store.damagedRows?.reads ?? 0) > 0)
    }
    let refusal = #expect(throws: StoreError.self) { try mover.toSQLite() }
    #expect(refusal?.code == .corrupt)
    #expect(refusal?.description.contains("it is damaged; 'brume doctor --deep'") == true)
  }

  @Test func `the error of a damaged entry of the log has the statement that forgets it`()
    async throws
  {
    let mover = try Mover(buckets: 1)
    try await mover.withPostgres { try await FilledStore.fill($0) }
    let connection = try Connection.forTest(mover.url)
    try connection.simple(
      "UPDATE log SET subject = '3x' WHERE position = (SELECT max(position) FROM log)")
    let refusal = #expect(throws: StoreError.self) { try mover.toSQLite() }
    let statement = refusal?.description.split(separator: "removes it: ").last.map(String.init)
    try connection.simple(try #require(statement))
    try await mover.withPostgres { _ = try await BackupFixture(of: $0) }
  }

  @Test(arguments: [false, true])
  func `an entry whose image left the log is found when it is damaged, before that or after`(
    isAfter: Bool
  ) async throws {
    let mover = try Mover(buckets: 1)
    // Only with an image there is a sequence.
    let damage = "UPDATE log SET request = 'R9' WHERE sequence IS NOT NULL"
    try await mover.withPostgres { store in
      try await FilledStore.fill(store)
      if !isAfter { try Connection.forTest(mover.url).simple(damage) }
      try await store.write(in: .bucket(.only)) {
        try $0.log.dropImages(in: .only, after: 0, through: .max, largerThan: 0)
      }
    }
    if isAfter {
      let whole = try PostgresInspection(url: mover.url, coders: .wireForm).run()
      #expect(whole.findings == [])
      try Connection.forTest(mover.url).simple(damage)
    }
    let found = try PostgresInspection(url: mover.url, coders: .wireForm).run()
    #expect(!found.findings.isEmpty)
    #expect(found.tables.allSatisfy { $0.unsummed == 0 })
  }

  @Test(arguments: [false, true])
  func `a whole store fits its checksums, moved or not`(isMoved: Bool) async throws {
    let mover = try Mover(buckets: 4)
    if isMoved {
      try await mover.withSQLite { try await FilledStore.fill($0) }
      try mover.toPostgres()
    } else {
      try await mover.withPostgres { try await FilledStore.fill($0) }
    }
    let found = try PostgresInspection(url: mover.url, coders: .wireForm).run()
    #expect(found.findings == [])
    #expect(found.tables.map(\.name) == ["records", "log"])
    #expect(found.tables.allSatisfy { $0.rows > 0 && $0.unsummed == 0 })
  }

  // MARK: Support

  private func filled() async throws -> (PostgresStore, Connection) {
    let url = try PostgresServer.shared.get().emptySchema()
    let store = try PostgresStore.forTest(url: url)
    try await FilledStore.fill(store)
    return (store, try Connection.forTest(url))
  }

  private func run(_ sql: String, _ connection: Connection) async throws {
    try connection.send(SQL(sql))
    _ = try connection.exchange()
  }

  private func entries(_ store: PostgresStore) async throws -> [Int64] {
    try await store.read { try $0.log.entries(in: .only, after: 0, limit: 1000).map(\.position) }
  }
}

// MARK: Devices with mail

extension PostgresDamageTests {
  /// Of four.
  private static func device(inBucket bucket: Int) throws -> DeviceKey {
    let user = (0..<1000).map { UserID("_u\($0)") }
      .first { Bucket(of: DatabaseKey(in: .sample, owner: $0), among: 4) == Bucket(bucket) }
    return DeviceKey(in: .sample, user: try #require(user), device: DeviceID("phone"))
  }

  private static func mail(_ key: DeviceKey, _ store: PostgresStore) async throws {
    let channel = Device.Channel.apns(token: key.user.name, environment: .production, topic: nil)
    try await store.write(in: .account(key)) { transaction in
      try transaction.devices.put(Device(key: key, channel: channel, registered: 0))
      try transaction.mailboxes.enqueue(
        MailboxEntry(
          position: 0, notificationID: "n", subscriptionID: "s", collapseID: nil, payload: [1],
          time: 0, requestID: "R1"),
        to: key)
    }
  }

  /// PostgreSQL says of them what it says of a page that does not fit its checksum.
  private static func damageMailboxes(ofBucket bucket: Int) -> String {
    """
    ALTER TABLE mailbox RENAME TO whole_mailbox;
    CREATE FUNCTION is_whole(bigint) RETURNS boolean LANGUAGE plpgsql COST 100000 AS '
      BEGIN
        IF $1 = \(bucket) THEN RAISE ''invalid page'' USING ERRCODE = ''XX001''; END IF;
        RETURN true;
      END';
    CREATE VIEW mailbox AS SELECT * FROM whole_mailbox WHERE is_whole(bucket);
    """
  }

  /// As for mailboxes. A new schema numbers from one.
  private static let damageSubscriptionsBehindTheFirst = """
    ALTER TABLE subscriptions RENAME TO whole_subscriptions;
    CREATE FUNCTION is_first(bigint) RETURNS boolean LANGUAGE plpgsql COST 100000 AS '
      BEGIN
        IF $1 > 1 THEN RAISE ''invalid page'' USING ERRCODE = ''XX001''; END IF;
        RETURN true;
      END';
    CREATE VIEW subscriptions AS SELECT * FROM whole_subscriptions WHERE is_first(serial);
    """

  /// As the worker that sends looks through the store.
  private static func look(_ store: PostgresStore) async throws -> [DeviceKey] {
    var look = LookThrough(pagesOf: 4)
    var (next, found): (PendingCursor?, [DeviceKey]) = (nil, [])
    while !look.hasEnded {
      let (cursor, place, limit) = (next, look.after, look.limit)
      do {
        let page = try await store.read {
          try $0.devices.withPendingEntries(after: cursor, limit: limit)
        }
        let counts = look.read(next: page.next?.numbers.first)
        if counts { found += page.devices.map(\.key) }
        next = counts ? page.next : PendingCursor([look.after])
      } catch let error as StoreError where error.code == .corrupt {
        _ = look.failed()
        if look.after != place { next = PendingCursor([look.after]) }
      }
    }
    return found
  }
}
