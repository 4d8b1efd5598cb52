// When an engine that syncs only when asked announces the account, also where an app makes several
// engines in a row, as one does that makes its engine late and once more in a task at its start.

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

  init(_ database: CKDatabase) { self.database = database }

  /// The engine; the first to ask makes it.
  var engine: CKSyncEngine { current.withLock { $0 } ?? makeEngine() }

  /// Makes an engine in the place of the one that there is.
  @discardableResult
  func makeEngine() -> CKSyncEngine {
    var configuration = CKSyncEngine.Configuration(
      database: database, stateSerialization: kept.withLock { $0 }, delegate: self)
    configuration.automaticallySync = false
    let engine = CKSyncEngine(configuration)
    current.withLock { $0 = engine }
    return engine
  }

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
      guard !ids.isEmpty else { return }
      engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: NotesApp.zoneID))])
      engine.state.add(pendingRecordZoneChanges: ids.map { .saveRecord($0) })
    default: break
    }
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    await CKSyncEngine.RecordZoneChangeBatch(
      pendingChanges: syncEngine.state.pendingRecordZoneChanges
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
}
