// When an engine that syncs only when asked announces the account, also where an app makes several
// engines in a row, as one does that makes its engine late and once more in a task at its start. And what an
// engine does that was replaced.

import BrumeKit
import BrumeTesting
import Foundation
import Synchronization
import Testing

/// An app that uploads all it has when somebody signs in, to whatever engine is its engine then.
private final class UploadingApp: CKSyncEngineDelegate {
  let database: CKDatabase
  let events = Mutex<[String]>([])
  private let titles = Mutex<[String]>([])
  private let kept = Mutex<CKSyncEngine.State.Serialization?>(nil)
  private let current = Mutex<CKSyncEngine?>(nil)
  /// Makes another engine once, while it handles the next change of the account.
  let replacesEngine = Mutex(false)
  /// The engine that it makes then syncs by itself.
  let makesAutomatic = Mutex(false)
  /// Adds to the engine that an event comes from; otherwise to whatever engine is the app's by then.
  let addsToSender = Mutex(false)

  init(_ database: CKDatabase) { self.database = database }

  /// The engine; the first to ask makes it.
  var engine: CKSyncEngine { current.withLock { $0 } ?? makeEngine() }

  /// Makes an engine in the place of the one that there is.
  @discardableResult
  func makeEngine(automatically: Bool = false) -> CKSyncEngine {
    var configuration = CKSyncEngine.Configuration(
      database: database, stateSerialization: kept.withLock { $0 }, delegate: self)
    configuration.automaticallySync = automatically
    let engine = CKSyncEngine(configuration)
    current.withLock { $0 = engine }
    return engine
  }

  func letGoOfEngine() { current.withLock { $0 = nil } }

  func put(_ title: String) {
    titles.withLock { $0.append(title) }
    engine.state.add(pendingRecordZoneChanges: [.saveRecord(NotesApp.id(title))])
  }

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    if event.name != "stateUpdate" { events.withLock { $0.append(event.name) } }
    switch event {
    case .stateUpdate(let update): kept.withLock { $0 = update.stateSerialization }
    case .accountChange:
      let ids = titles.withLock { $0.map { NotesApp.id($0) } }
      if replacesEngine.withLock({ Self.take(&$0) }) {
        makeEngine(automatically: makesAutomatic.withLock { $0 })
      }
      guard !ids.isEmpty else { return }
      let state = (addsToSender.withLock { $0 } ? syncEngine : engine).state
      state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: NotesApp.zoneID))])
      state.add(pendingRecordZoneChanges: ids.map { .saveRecord($0) })
    default: break
    }
  }

  private static func take(_ flag: inout Bool) -> Bool {
    defer { flag = false }
    return flag
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    await CKSyncEngine.RecordZoneChangeBatch(
      pendingChanges: syncEngine.state.pendingRecordZoneChanges
    ) { CKRecord(recordType: "Note", recordID: $0) }
  }
}

/// An app on whose device somebody else signs in as soon as a record was sent.
private final class SwitchedApp: CKSyncEngineDelegate {
  private let server: LocalServer
  private let made = Mutex<CKSyncEngine?>(nil)

  init(_ server: LocalServer) { self.server = server }

  func makeEngine(_ database: CKDatabase) -> CKSyncEngine {
    let engine = CKSyncEngine(whenAsked: database, self)
    made.withLock { $0 = engine }
    return engine
  }

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    if event.name == "sentRecordZoneChanges" { try? await server.signIn("phone", as: "bob") }
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    await CKSyncEngine.RecordZoneChangeBatch(
      pendingChanges: Array(syncEngine.state.pendingRecordZoneChanges.prefix(1))
    ) { CKRecord(recordType: "Note", recordID: $0) }
  }
}

@Suite(.timeLimit(.minutes(10))) struct EngineAccountTests {
  private func names(_ database: CKDatabase) async throws -> [String] {
    let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
    let found = try await database.records(matching: query, inZoneWith: NotesApp.zoneID)
    return found.matchResults.map(\.0.recordName).sorted()
  }

  @Test
  func `ENG-17 the account is announced with the first send, so that it finds what was added`()
    async throws
  {
    let server = try await LocalServer()
    let app = UploadingApp(try await server.device("phone", of: "alice").privateCloudDatabase)
    app.makeEngine()
    try await server.settle()
    #expect(app.events.withLock { $0 } == [])
    app.put("a")
    // The zone is saved by who is notified of the account, and the first send works because of that.
    try await app.engine.sendChanges()
    #expect(app.events.withLock { $0 }.first == "signIn")
    #expect(try await names(app.database) == ["a"])
    try await app.engine.sendChanges()
    #expect(app.events.withLock { $0.filter { $0 == "signIn" } }.count == 1)
  }

  @Test func `ENG-17 of engines made in a row the one that is asked announces the account`()
    async throws
  {
    let server = try await LocalServer()
    let app = UploadingApp(try await server.device("phone", of: "alice").privateCloudDatabase)
    // The first gets the change, the second may know of it by the kept state, the third is asked.
    app.put("a")
    app.makeEngine()
    try await server.settle()
    app.makeEngine()
    app.put("b")
    try await app.engine.sendChanges()
    #expect(app.events.withLock { $0.filter { $0 == "signIn" } }.count == 1)
    #expect(try await names(app.database) == ["a", "b"])
    // One that begins with the kept state knows the account already.
    app.makeEngine()
    app.put("c")
    try await app.engine.sendChanges()
    #expect(app.events.withLock { $0.filter { $0 == "signIn" } }.count == 1)
    #expect(try await names(app.database) == ["a", "b", "c"])
  }

  @Test func `ENG-17 a device that only fetches is notified of the account before the records`()
    async throws
  {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    let app = UploadingApp(
      try await fixture.server.device("tablet", of: "alice").privateCloudDatabase)
    for _ in 0..<3 { app.makeEngine() }
    try await app.engine.fetchChanges()
    let events = app.events.withLock { $0 }
    #expect(events.first == "signIn" && events.contains("fetchedRecordZoneChanges"))
    #expect(events.filter { $0 == "signIn" }.count == 1)
    #expect(app.engine.state.pendingRecordZoneChanges.isEmpty)
  }

  @Test func `ACC-05 who signs in has all local records sent, and none is on the server twice`()
    async throws
  {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    let device = try await fixture.server.device("tablet", of: nil)
    let app = UploadingApp(device.privateCloudDatabase)
    app.addsToSender.withLock { $0 = true }
    for title in ["a", "b"] { app.put(title) }
    let refused = try await failure { try await app.engine.sendChanges() }
    #expect(refused.code == .notAuthenticated)
    try await fixture.server.signIn("tablet", as: "alice")
    // The record that is there already is a conflict: what the server has stays.
    let conflict = try await failure { try await app.engine.sendChanges() }
    #expect(conflict.failedItems == [NotesApp.id("a"): .serverRecordChanged])
    #expect(app.events.withLock { $0.contains("signIn") })
    #expect(try await fixture.stored()["a"] == "a")
    #expect(try await names(app.database) == ["a", "b"])
  }

  @Test func `ACC-07 the rest of a send does not go to whoever signs in meanwhile`() async throws {
    let server = try await LocalServer()
    let phone = try await server.device("phone", of: "alice").privateCloudDatabase
    let tablet = try await server.device("tablet", of: "bob").privateCloudDatabase
    for database in [phone, tablet] {
      try await database.save(CKRecordZone(zoneID: NotesApp.zoneID))
    }
    let app = SwitchedApp(server)
    let engine = app.makeEngine(phone)
    engine.state.add(pendingRecordZoneChanges: ["a", "b"].map { .saveRecord(NotesApp.id($0)) })
    let error = try await failure { try await engine.sendChanges() }
    #expect(error.code == .notAuthenticated)
    #expect(try await names(tablet).isEmpty)
    #expect(engine.state.pendingRecordZoneChanges.isEmpty, "they were of who was there before")
  }

  // MARK: Engines that were replaced

  @Test(arguments: [false, true])
  func `ENG-18 an engine that nobody holds any more notifies nobody and sends nothing`(
    automatically: Bool
  ) async throws {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    let device = try await fixture.server.device("tablet", of: "alice")
    let app = UploadingApp(device.privateCloudDatabase)
    try await app.makeEngine(automatically: automatically).fetchChanges()
    let state = app.engine.state
    let isHeld = { [weak engine = app.engine] in engine != nil }
    app.letGoOfEngine()
    while isHeld() {
      try Task.checkCancellation()
      await Task.yield()
    }
    app.events.withLock { $0 = [] }
    // A change of the state, a push and a sign-out would each be a reason to call the app.
    state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneName: "Late"))])
    let next = try NotesApp(device, automatically: true)
    fixture.laptop.write("new", to: "b")
    try await fixture.laptop.engine.sendChanges()
    try await next.until { next.notes.count == 2 }
    try fixture.server.signOut("tablet")
    try await next.until { next.events.contains("signOut") }
    #expect(app.events.withLock { $0 } == [])
    #expect(try await fixture.database.allRecordZones().allSatisfy { $0.zoneID.zoneName != "Late" })
  }

  @Test func `ENG-18 an engine that is made while an event is handled syncs by itself`()
    async throws
  {
    let server = try await LocalServer()
    let app = UploadingApp(try await server.device("phone", of: "alice").privateCloudDatabase)
    app.put("a")
    app.replacesEngine.withLock { $0 = true }
    app.makesAutomatic.withLock { $0 = true }
    _ = try? await app.engine.sendChanges()
    let state = app.engine.state
    while !state.pendingDatabaseChanges.isEmpty || !state.pendingRecordZoneChanges.isEmpty {
      try Task.checkCancellation()
      await Task.yield()
    }
    #expect(try await names(app.database) == ["a"])
  }

  @Test func `ENG-18 an engine that nobody holds any more leaves no state behind`() async throws {
    let server = try await LocalServer()
    let app = UploadingApp(try await server.device("phone", of: "alice").privateCloudDatabase)
    app.makeEngine()
    let isHeld = { [weak state = app.engine.state] in state != nil }
    app.letGoOfEngine()
    #expect(!isHeld())
  }

  @Test func `ENG-18 an engine that is replaced while it sends goes on, and what comes late waits`()
    async throws
  {
    let server = try await LocalServer()
    let app = UploadingApp(try await server.device("phone", of: "alice").privateCloudDatabase)
    app.put("a")
    app.replacesEngine.withLock { $0 = true }
    // The handler adds the zone to the new engine, so the old one sends the record into no zone.
    let error = try await failure { try await app.engine.sendChanges() }
    #expect(error.failedItems == [NotesApp.id("a"): .zoneNotFound])
    try await app.engine.sendChanges()
    #expect(try await names(app.database) == ["a"])
  }

  @Test func `ENG-18 whoever adds to the engine that an event comes from may replace it any time`()
    async throws
  {
    let server = try await LocalServer()
    let app = UploadingApp(try await server.device("phone", of: "alice").privateCloudDatabase)
    app.put("a")
    app.addsToSender.withLock { $0 = true }
    app.replacesEngine.withLock { $0 = true }
    try await app.engine.sendChanges()
    #expect(try await names(app.database) == ["a"])
  }
}
