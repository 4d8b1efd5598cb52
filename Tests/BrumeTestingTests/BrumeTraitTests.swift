// What a test of an app needs, in few lines: a server by a trait, sharing, pushes, and its whole state.

import BrumeKit
import BrumeTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct BrumeTraitTests {
  private let zone = CKRecordZone.ID(zoneName: "Notes")

  private func note(_ name: String, _ text: String) -> CKRecord {
    let record = CKRecord(recordType: "Note", recordID: .init(recordName: name, zoneID: zone))
    record["text"] = text
    return record
  }

  private func watch(_ database: CKDatabase, _ id: String) async throws {
    let subscription = CKDatabaseSubscription(subscriptionID: id)
    subscription.notificationInfo = CKSubscription.NotificationInfo(alertBody: "News")
    try await database.save(subscription)
  }

  // MARK: The trait

  @Test(.brume(users: "alice", "bob")) func `each test has users with a device each`() async throws
  {
    let server = try LocalServer.current
    let alice = try await server["alice"].userRecordID()
    #expect(alice != (try await server["bob"].userRecordID()))
    #expect(try await server["alice"].privateCloudDatabase.allRecordZones().count == 1)
    try await server["alice"].privateCloudDatabase.save(CKRecordZone(zoneID: zone))
  }

  @Suite(.brume(users: "alice")) struct Suites {
    /// What one test saves, the other one does not find.
    @Test(arguments: [1, 2]) func `a suite gives a server to each test`(number: Int) async throws {
      let database = try LocalServer.current["alice"].privateCloudDatabase
      #expect(try await database.allRecordZones().count == 1)
      try await database.save(CKRecordZone(zoneName: "Notes"))
    }
  }

  @Test func `a test without the trait has no server`() {
    #expect(throws: NoServer.self) { try LocalServer.current }
  }

  // MARK: What apps meet

  @Test(.brume(users: "alice", "bob")) func `a participant who may only read cannot save`()
    async throws
  {
    let server = try LocalServer.current
    try await server.share(note("list", "Milk"), from: "alice", with: "bob", permission: .readOnly)
    let shared = server["bob"].sharedCloudDatabase
    let theirs = try #require(try await shared.allRecordZones().first).zoneID
    let list = try await shared.record(for: .init(recordName: "list", zoneID: theirs))
    list["text"] = "Oat milk"
    let error = await #expect(throws: CKError.self) { try await shared.save(list) }
    #expect(error?.code == .permissionFailure)
  }

  @Test(.brume(users: "alice", "bob")) func `a shared zone comes with a push`() async throws {
    let server = try LocalServer.current
    try await watch(server["bob"].sharedCloudDatabase, "shared")
    try await server.share(zone, from: "alice", with: "bob")
    try await server["alice"].privateCloudDatabase.save(note("list", "Milk"))
    let push = try await server.push(to: "bob") { $0 is CKDatabaseNotification }
    #expect(push.subscriptionID == "shared")
  }

  @Test(.brume(users: "alice", "bob")) func `a shared zone goes while its participant saves`()
    async throws
  {
    let server = try LocalServer.current
    let own = server["bob"].privateCloudDatabase
    try await own.save(CKRecordZone(zoneID: zone))
    try await server.share(zone, from: "alice", with: "bob")
    let shared = server["bob"].sharedCloudDatabase
    let theirs = try #require(try await shared.allRecordZones().first).zoneID
    server.faults.add(.deletedZone)
    let item = CKRecord(recordType: "Note", recordID: .init(recordName: "a", zoneID: theirs))
    let error = await #expect(throws: CKError.self) { try await shared.save(item) }
    #expect(error?.code == .zoneNotFound && server.faults.waiting == 0)
    #expect(try await server["alice"].privateCloudDatabase.allRecordZones().count == 1)
    #expect(try await own.recordZone(for: zone).zoneID == zone)
  }

  @Test(.brume(users: "alice")) func `a purged zone differs from a deleted one`() async throws {
    let server = try LocalServer.current
    let database = server["alice"].privateCloudDatabase
    try await database.save(CKRecordZone(zoneID: zone))
    let token = try await database.databaseChanges(since: nil).changeToken
    try await server.purgeZone("Notes", of: "alice")
    let changes = try await database.databaseChanges(since: token)
    #expect(changes.deletions.map(\.reason) == [.purged])
  }

  @Test(.brume(users: "alice", "bob")) func `who switches the account finds other data`()
    async throws
  {
    let server = try LocalServer.current
    let database = server["alice"].privateCloudDatabase
    try await database.save(CKRecordZone(zoneID: zone))
    try await server.signIn("alice", as: "bob")
    #expect(try await database.allRecordZones().map(\.zoneID.zoneName) == ["_defaultZone"])
    try server.signOut("alice")
    let error = await #expect(throws: CKError.self) { try await database.allRecordZones() }
    #expect(error?.code == .notAuthenticated)
  }

  // MARK: Pushes

  @Test(.brume(users: "alice", "bob")) func `a push that did not come says what came instead`()
    async throws
  {
    let server = try LocalServer.current
    try await watch(server["alice"].privateCloudDatabase, "mine")
    let laptop = try await server.device("laptop", of: "alice").privateCloudDatabase
    try await laptop.save(CKRecordZone(zoneID: zone))
    let error = await #expect(throws: NoSuchPush.self) { try await server.push(to: "bob") }
    #expect(
      error?.description == """
        no such push for the device 'bob'
        what waits for devices:
          alice: subscription 'mine', private database changed, alert "News"
        """)
    try await server.push(to: "alice")
    let second = await #expect(throws: NoSuchPush.self) { try await server.push(to: "alice") }
    #expect(
      second?.description == """
        no such push for the device 'alice'
        no push waits for any device
        """)
    let unknown = await #expect(throws: NoSuchPush.self) { try await server.push(to: "laptop") }
    #expect(unknown?.description.contains("registerForPushes(\"laptop\")") == true)
  }

  @Test(.brume(users: "alice", "bob"))
  func `of two who ask for a device's push at once one gets it, and one that there is none`()
    async throws
  {
    let server = try LocalServer.current
    try await watch(server["bob"].privateCloudDatabase, "mine")
    let database = try await server.device("laptop", of: "bob").privateCloudDatabase
    try await database.save(CKRecordZone(zoneID: zone))
    try await server.push(to: "bob")
    for number in 0..<100 {
      try await database.save(note("\(number)", "Milk"))
      async let one = try? server.push(to: "bob")
      async let other = try? server.push(to: "bob")
      let got = await [one, other].compactMap(\.self)
      #expect(got.count == 1, "push \(number)")
    }
  }

  @Test(.brume(users: "alice"))
  func `a push is not given to anybody when its account goes while it is looked at`() async throws {
    let server = try LocalServer.current
    try await watch(server["alice"].privateCloudDatabase, "mine")
    let laptop = try await server.device("laptop", of: "alice").privateCloudDatabase
    try await laptop.save(CKRecordZone(zoneID: zone))
    await #expect(throws: NoSuchPush.self) {
      try await server.push(to: "alice") { _ in
        try? server.signOut("alice")
        return true
      }
    }
  }

  @Test(.brume(users: "alice")) func `pushes pass their faults on the way to a device`()
    async throws
  {
    let server = try LocalServer.current
    try await watch(server["alice"].privateCloudDatabase, "mine")
    server.faults.add(.droppedPush)
    let laptop = try await server.device("laptop", of: "alice").privateCloudDatabase
    try await laptop.save(CKRecordZone(zoneID: zone))
    await #expect(throws: NoSuchPush.self) { try await server.push(to: "alice") }
    server.faults.add(.duplicatedPush)
    try await laptop.save(note("a", "Milk"))
    let first = try await server.push(to: "alice")
    #expect(first.notificationID != (try await server.push(to: "alice").notificationID))
  }

  @Test(.brume(users: "alice"), arguments: ["mine", "notes"])
  func `each of two pushes of one change is taken once`(subscription: String) async throws {
    let server = try LocalServer.current
    let laptop = try await server.device("laptop", of: "alice").privateCloudDatabase
    try await laptop.save(CKRecordZone(zoneID: zone))
    let own = server["alice"].privateCloudDatabase
    try await watch(own, "mine")
    let notes = CKRecordZoneSubscription(zoneID: zone, subscriptionID: "notes")
    notes.notificationInfo = CKSubscription.NotificationInfo(alertBody: "News")
    try await own.save(notes)
    try await laptop.save(note("a", "Milk"))
    try await server.push(to: "alice") { $0.subscriptionID == subscription }
    await #expect(throws: NoSuchPush.self) {
      try await server.push(to: "alice") { $0.subscriptionID == subscription }
    }
  }

  @Test(.brume(users: "alice")) func `whoever looks for a push may ask the server meanwhile`()
    async throws
  {
    let server = try LocalServer.current
    try await watch(server["alice"].privateCloudDatabase, "mine")
    let laptop = try await server.device("laptop", of: "alice").privateCloudDatabase
    try await laptop.save(CKRecordZone(zoneID: zone))
    let container = try await server.push(to: "alice") {
      $0.containerIdentifier == server["alice"].containerIdentifier
    }.containerIdentifier
    #expect(container == server["alice"].containerIdentifier)
  }

  @Test(.brume(users: "alice")) func `pushes that were not taken go with the account`()
    async throws
  {
    let server = try LocalServer.current
    try await watch(server["alice"].privateCloudDatabase, "mine")
    let laptop = try await server.device("laptop", of: "alice").privateCloudDatabase
    try await laptop.save(CKRecordZone(zoneID: zone))
    await #expect(throws: NoSuchPush.self) { try await server.push(to: "alice") { _ in false } }
    try await server.signIn("alice", as: "bob")
    await #expect(throws: NoSuchPush.self) { try await server.push(to: "alice") }
  }

  // MARK: The whole state

  @Test(.brume(users: "alice", "bob")) func `the whole state of a server is a text`() async throws {
    let server = try LocalServer.current
    try await watch(server["bob"].sharedCloudDatabase, "shared")
    let root = note("list", "Milk")
    root["count"] = 2
    try await server.share(root, from: "alice", with: "bob")
    let item = note("item", "1 l")
    item.parent = CKRecord.Reference(record: root, action: .none)
    try await server["alice"].privateCloudDatabase.save(item)
    try await server.push(to: "bob")
    #expect(
      try await server.snapshot() == """
        alice, private
          zone Notes
            Note "item": text "1 l", parent "list"
            Note "list": count 2, text "Milk"
            share of "list": alice OWNER READ_WRITE ACCEPTED, bob USER READ_WRITE ACCEPTED
        bob's subscriptions, shared
          shared: database
        """)
  }
}
