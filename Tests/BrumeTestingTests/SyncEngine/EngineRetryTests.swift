import BrumeKit
import BrumeTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct EngineRetryTests {
  @Test(arguments: [
    CKError.Code.networkFailure, .networkUnavailable, .serviceUnavailable, .requestRateLimited,
    .zoneBusy, .accountTemporarilyUnavailable, .serverResponseLost,
  ])
  func `a failure that passes is thrown, not reported, and the change stays pending`(
    code: CKError.Code
  ) async throws {
    let fixture = try await SyncEngineFixture()
    fixture.server.faults.add(.error(code, on: .saveRecords))
    fixture.phone.write("x", to: "a")
    let error = try await failure { try await fixture.phone.engine.sendChanges() }
    #expect(error.code == code)
    #expect(!fixture.phone.events.contains("sentRecordZoneChanges"))
    #expect(fixture.phone.pending == [.saveRecord(NotesApp.id("a"))])
    try await fixture.phone.engine.sendChanges()
    #expect(try await fixture.stored() == ["a": "x"])
  }

  @Test func `a fetch that failed between two pages misses nothing that changed before the next`()
    async throws
  {
    let fixture = try await SyncEngineFixture(smallLimits: true)
    for number in 0..<15 { fixture.laptop.write("old", to: "n\(number)") }
    try await fixture.laptop.engine.sendChanges()
    fixture.server.faults.add(
      .error(.networkFailure, on: .fetchZoneChanges).device("phone").skipping(1))
    _ = try await failure { try await fixture.phone.engine.fetchChanges() }
    #expect(fixture.phone.notes.count == 10)
    fixture.laptop.write("new", to: "n0")
    try await fixture.laptop.engine.sendChanges()
    // The app is started anew between the two fetches.
    let next = try NotesApp(
      fixture.server.restartedDevice("phone"), disk: fixture.phone.disk.found)
    try await next.engine.fetchChanges()
    #expect(next.notes == fixture.laptop.notes && next.notes["n0"] == "new")
  }

  @Test func `an engine that syncs by itself waits as long as the server says, and tries again`()
    async throws
  {
    let server = try await LocalServer()
    let phone = try NotesApp(try await server.device("phone", of: "alice"), automatically: true)
    phone.makeZone()
    try await phone.until { phone.engine.state.pendingDatabaseChanges.isEmpty }
    server.faults.add(.throttled(retryAfter: 30, on: .saveRecords))
    phone.write("x", to: "a")
    try await phone.until { server.faults.waiting == 0 }
    try await server.clock.someoneSleeps()
    server.clock.advance(by: .seconds(29))
    #expect(!phone.pending.isEmpty)
    server.clock.advance(by: .seconds(1))
    try await phone.until { phone.pending.isEmpty }
    #expect(phone.notes == ["a": "x"])
  }

  @Test func `changes that are refused, and that the app leaves at that, keep no other waiting`()
    async throws
  {
    let server = try await LocalServer()
    let phone = try NotesApp(try await server.device("phone", of: "alice"), automatically: true)
    phone.makeZone()
    try await phone.until { phone.engine.state.pendingDatabaseChanges.isEmpty }
    for number in 1...4 {
      server.faults.add(.error(.permissionFailure, on: .saveRecords))
      phone.write("x", to: "n\(number)")
      try await phone.until { phone.pending.isEmpty }
    }
    // Nobody moves the clock, by which a pause would end.
    phone.write("y", to: "last")
    try await phone.until { phone.pending.isEmpty }
    let id = NotesApp.id("last")
    let database = try await server.device("laptop", of: "alice").privateCloudDatabase
    #expect(try await database.record(for: id)["text"] as? String == "y")
  }

  @Test func `a change on one device reaches the other by a push, without being asked`()
    async throws
  {
    let server = try await LocalServer()
    let phone = try NotesApp(try await server.device("phone", of: "alice"), automatically: true)
    let laptop = try NotesApp(try await server.device("laptop", of: "alice"), automatically: true)
    phone.makeZone()
    phone.write("hello", to: "a")
    try await laptop.until { laptop.notes == ["a": "hello"] }
    laptop.write("hello yourself", to: "a")
    try await phone.until { phone.notes == ["a": "hello yourself"] && laptop.pending.isEmpty }
  }

  @Test func `PSH-06 one push is enough for the changes of several zones`() async throws {
    let server = try await LocalServer()
    let database = try await server.device("phone", of: "alice").privateCloudDatabase
    let zones = ["Notes", "Other"].map { CKRecordZone.ID(zoneName: $0) }
    for zone in zones { try await database.save(CKRecordZone(zoneID: zone)) }
    let laptop = try NotesApp(try await server.device("laptop", of: "alice"), automatically: true)
    // At its start, and when its stream stands.
    try await laptop.until { laptop.events.count { $0 == "didFetchChanges" } >= 2 }
    server.faults.add(.droppedPush)
    try await database.save(CKRecord(recordType: "Note", recordID: NotesApp.id("n")))
    try await server.pushFaultWasApplied()
    #expect(laptop.notes(in: zones[0]).isEmpty)
    let other = NotesApp.id("n", zone: zones[1])
    try await database.save(CKRecord(recordType: "Note", recordID: other))
    try await laptop.until { zones.allSatisfy { laptop.notes(in: $0) == ["n"] } }
  }

  @Test func `PSH-12 a device whose pushes do not arrive has everything when it fetches`()
    async throws
  {
    let server = try await LocalServer()
    let database = try await server.device("phone", of: "alice").privateCloudDatabase
    try await database.save(CKRecordZone(zoneID: NotesApp.zoneID))
    let laptop = try NotesApp(try await server.device("laptop", of: "alice"), automatically: true)
    // At its start, and when its stream stands.
    try await laptop.until { laptop.events.count { $0 == "didFetchChanges" } >= 2 }
    server.faults.add(.droppedPush)
    try await database.save(CKRecord(recordType: "Note", recordID: NotesApp.id("n")))
    try await server.pushFaultWasApplied()
    #expect(laptop.notes(in: NotesApp.zoneID).isEmpty)
    try await laptop.engine.fetchChanges()
    #expect(laptop.notes(in: NotesApp.zoneID) == ["n"])
  }

  @Test func `an engine that syncs by itself solves a conflict without being asked`() async throws {
    let server = try await LocalServer()
    let phone = try NotesApp(try await server.device("phone", of: "alice"), automatically: true)
    phone.makeZone()
    phone.write("one", to: "a")
    // Nothing is pending a moment before the event says so.
    try await phone.until {
      phone.events.contains("sentRecordZoneChanges") && phone.pending.isEmpty
        && phone.engine.state.pendingDatabaseChanges.isEmpty
    }
    server.faults.add(.conflict)
    phone.forgetEvents()
    phone.write("two", to: "a")
    // Once with the conflict, once with the save. Between the two nothing is pending for a moment.
    try await phone.until {
      phone.events.filter { $0 == "sentRecordZoneChanges" }.count == 2 && phone.pending.isEmpty
    }
    #expect(server.faults.waiting == 0)
    let id = NotesApp.id("a")
    let database = try await server.device("tablet", of: "alice").privateCloudDatabase
    #expect(try await database.record(for: id)["text"] as? String == "two")
  }

  @Test func `SUB-05 the subscription of an app is the engine's too, and stays as the app made it`()
    async throws
  {
    let server = try await LocalServer()
    let device = try await server.device("phone", of: "alice")
    let database = device.privateCloudDatabase
    let partial = CKDatabaseSubscription(subscriptionID: "a-part")
    partial.recordType = "Note"
    let own = CKDatabaseSubscription(subscriptionID: "my-alerts")
    for subscription in [partial, own] {
      let info = CKSubscription.NotificationInfo()
      info.alertBody = "news"
      subscription.notificationInfo = info
      try await database.save(subscription)
    }
    let phone = try NotesApp(device, automatically: true)
    try await phone.until { phone.events.contains("didFetchChanges") }
    let all = try await database.allSubscriptions()
    #expect(all.map(\.subscriptionID).sorted() == ["a-part", "my-alerts"])
    #expect(all.allSatisfy { $0.notificationInfo?.alertBody == "news" })
  }

  @Test func `the engine's subscription is its own if there is none`() async throws {
    let server = try await LocalServer()
    let device = try await server.device("phone", of: "alice")
    let phone = try NotesApp(device, automatically: true)
    try await phone.until { phone.events.contains("didFetchChanges") }
    let all = try await device.privateCloudDatabase.allSubscriptions()
    #expect(all.map(\.subscriptionID) == ["CKSyncEngineDatabaseSubscription-Private"])
    #expect(all.first?.subscriptionType == .database)
  }

  @Test func `an engine that syncs only when asked does nothing by itself`() async throws {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    fixture.phone.write("x", to: "a")
    try await fixture.server.settle()
    #expect(try await fixture.stored() == ["a": "a"])
    #expect(try await fixture.database.allSubscriptions().isEmpty)
  }

  // MARK: Accounts

  @Test func `ACC-04 signing out is reported once, and everything pending is gone`() async throws {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    fixture.phone.write("x", to: "b")
    try fixture.server.signOut("phone")
    let error = try await failure { try await fixture.phone.engine.sendChanges() }
    #expect(error.code == .notAuthenticated)
    _ = try await failure { try await fixture.phone.engine.fetchChanges() }
    #expect(fixture.phone.events.filter { $0 == "signOut" }.count == 1)
    #expect(fixture.phone.pending.isEmpty && fixture.phone.notes.isEmpty)
  }

  @Test func `ACC-04 a session that has ended at the server is no sign-out: what waits is kept`()
    async throws
  {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    let phone = fixture.phone
    phone.write("x", to: "b")
    fixture.server.faults.add(.signedOut.device("phone"))
    let error = try await failure { try await phone.engine.sendChanges() }
    #expect(error.code == .notAuthenticated)
    _ = try await failure { try await phone.engine.fetchChanges() }
    #expect(!phone.events.contains("signOut"))
    #expect(phone.pending == [.saveRecord(NotesApp.id("b"))] && phone.notes.count == 2)
    // The same user signs in: that changes nothing, and the rest is sent.
    fixture.server.faults.clear()
    try await phone.engine.sendChanges()
    #expect(!phone.events.contains { $0.hasPrefix("sign") })
    #expect(try await fixture.stored() == ["a": "a", "b": "x"])
  }

  @Test func `ACC-06 signing in again fetches everything`() async throws {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    try fixture.server.signOut("phone")
    _ = try await failure { try await fixture.phone.engine.fetchChanges() }
    try await fixture.server.signIn("phone", as: "alice")
    try await fixture.phone.engine.fetchChanges()
    #expect(fixture.phone.events.contains("signIn"))
    #expect(fixture.phone.notes == ["a": "a"])
  }

  @Test func `ACC-07 a fetch during which the account goes fails, and nothing of it stays`()
    async throws
  {
    let fixture = try await SyncEngineFixture(smallLimits: true)
    for number in 0..<15 { fixture.laptop.write("x", to: "n\(number)") }
    try await fixture.laptop.engine.sendChanges()
    let (server, phone) = (fixture.server, fixture.phone)
    phone.onEvent.withLock {
      $0 = { event in
        guard case .fetchedRecordZoneChanges(let page) = event else { return }
        #expect(page.modifications.count == 10)
        #expect(throws: Never.self) { try server.signOut("phone") }
      }
    }
    let error = try await failure { try await phone.engine.fetchChanges() }
    #expect(error.code == .notAuthenticated)
    #expect(phone.events.contains("signOut") && phone.notes.isEmpty)
    // No token is left of it either: what came before the change comes again.
    phone.onEvent.withLock { $0 = nil }
    try await server.signIn("phone", as: "alice")
    try await phone.engine.fetchChanges()
    #expect(phone.notes.count == 15)
  }

  @Test func `another user's account is a switch, and nothing of the first one is sent`()
    async throws
  {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    fixture.phone.write("secret", to: "b")
    try await fixture.server.signIn("phone", as: "bob")
    try await fixture.phone.sync()
    #expect(fixture.phone.events.contains("switchAccounts"))
    #expect(fixture.phone.notes.isEmpty && fixture.phone.pending.isEmpty)
  }

  @Test func `a switch while the app did not run is one event`() async throws {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    try fixture.server.signOut("phone")
    try await fixture.server.signIn("phone", as: "bob")
    let next = try NotesApp(fixture.server.restartedDevice("phone"), disk: fixture.phone.disk)
    try await next.engine.fetchChanges()
    #expect(
      next.events.filter { $0.hasPrefix("sign") || $0.hasPrefix("switch") } == ["switchAccounts"])
  }

  @Test func `an engine that syncs by itself stops without an account, and starts with one`()
    async throws
  {
    let server = try await LocalServer()
    let phone = try NotesApp(try await server.device("phone", of: nil), automatically: true)
    phone.makeZone()
    try await server.signIn("phone", as: "alice")
    try await phone.until {
      phone.events.contains("signIn") && phone.events.contains("didFetchChanges")
    }
    phone.makeZone()
    phone.write("x", to: "a")
    try await phone.until {
      phone.pending.isEmpty && phone.events.contains("sentRecordZoneChanges")
    }
  }
}
