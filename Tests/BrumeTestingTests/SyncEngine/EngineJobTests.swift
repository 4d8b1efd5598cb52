// What only the engine itself sees of its jobs.

import BrumeTesting
import Synchronization
import Testing

@testable import BrumeKit

/// An app whose record is there only after it was asked for it.
private final class LateApp: CKSyncEngineDelegate {
  private let made = Mutex<CKSyncEngine?>(nil)
  private let isThere = Mutex(false)
  let late = CKSyncEngine.PendingRecordZoneChange.saveRecord(NotesApp.id("late"))

  func makeEngine(_ database: CKDatabase) -> CKSyncEngine {
    let engine = CKSyncEngine(whenAsked: database, self)
    made.withLock { $0 = engine }
    return engine
  }

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {}

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    let state = syncEngine.state
    let changes = state.pendingRecordZoneChanges.filter(context.options.scope.contains)
    return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { [self] id in
      guard isThere.withLock({ $0 }) else {
        // The user writes it just now.
        isThere.withLock { $0 = true }
        state.add(pendingRecordZoneChanges: [late])
        return nil
      }
      let record = CKRecord(recordType: "Note", recordID: id)
      record["text"] = "late"
      return record
    }
  }
}

@Suite(.timeLimit(.minutes(10))) struct EngineJobTests {
  @Test func `ENG-06 a save whose record came while the app was asked stays pending`()
    async throws
  {
    let fixture = try await SyncEngineFixture()
    let app = LateApp()
    let engine = app.makeEngine(fixture.database)
    engine.state.add(pendingRecordZoneChanges: [app.late])
    try await engine.sendChanges()
    #expect(engine.state.pendingRecordZoneChanges == [app.late])
    try await engine.sendChanges()
    #expect(engine.state.pendingRecordZoneChanges.isEmpty)
    #expect(try await fixture.stored() == ["late": "late"])
  }

  @Test func `a send of which all zones failed was of no use once the app wants the same again`()
    async throws
  {
    let fixture = try await SyncEngineFixture()
    let jobs = fixture.phone.engine.jobs
    let context = CKSyncEngine.SendChangesContext(reason: .manual, options: .init())
    jobs.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneName: "_bad"))])
    #expect(try await jobs.send(context), "the app leaves it at that")
    jobs.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneName: "_bad"))])
    #expect(try await !jobs.send(context))
    jobs.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneName: "Good"))])
    #expect(try await jobs.send(context))
    #expect(try await jobs.send(context), "nothing was sent, and nothing failed")
  }

  @Test func `an engine whose stream stands again finds its subscription gone, and makes another`()
    async throws
  {
    let server = try await LocalServer()
    let phone = try NotesApp(try await server.device("phone", of: "alice"), automatically: true)
    // One fetch at the start, and one when the stream stands.
    try await phone.until { phone.events.filter { $0 == "didFetchChanges" }.count > 1 }
    let database = try await server.device("tablet", of: "alice").privateCloudDatabase
    let id = try #require(try await database.allSubscriptions().first).subscriptionID
    try await database.deleteSubscription(withID: id)
    // A stream that stands already is reported once more to an engine that begins to listen.
    let connection = phone.engine.database.connection
    connection.enginePushes.listen(1, connection.session, account: connection.account)
    while try await database.allSubscriptions().isEmpty {
      try Task.checkCancellation()
      await Task.yield()
    }
  }
}
