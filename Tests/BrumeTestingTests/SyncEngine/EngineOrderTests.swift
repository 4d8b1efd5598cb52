import BrumeKit
import BrumeTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct EngineOrderTests {
  private let zone = NotesApp.zoneID

  @Test func `a fetch sends its events in the documented order`() async throws {
    let fixture = try await SyncEngineFixture()
    fixture.phone.write("x", to: "a")
    try await fixture.phone.engine.sendChanges()
    try await fixture.laptop.engine.fetchChanges()
    #expect(
      fixture.laptop.events == [
        "willFetchChanges", "fetchedDatabaseChanges", "stateUpdate", "willFetchRecordZoneChanges",
        "fetchedRecordZoneChanges", "stateUpdate", "didFetchRecordZoneChanges", "didFetchChanges",
      ])
  }

  @Test func `a send sends its events in the documented order`() async throws {
    let fixture = try await SyncEngineFixture()
    fixture.phone.makeZone()
    fixture.phone.write("x", to: "a")
    try await fixture.phone.engine.sendChanges()
    #expect(
      fixture.phone.events.filter { $0 != "stateUpdate" } == [
        "willSendChanges", "sentDatabaseChanges", "sentRecordZoneChanges", "didSendChanges",
      ])
    #expect(
      fixture.phone.events.last == "didSendChanges" || fixture.phone.events.last == "stateUpdate")
  }

  @Test func `the first sync reports the account first`() async throws {
    let server = try await LocalServer()
    let app = try NotesApp(try await server.device("phone", of: "alice"))
    try await app.engine.fetchChanges()
    #expect(app.events.prefix(2) == ["signIn", "stateUpdate"])
  }

  @Test func `will and did come in pairs, also when the network fails in between`() async throws {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    fixture.phone.write("x", to: "a")
    fixture.server.faults.add(
      .error(.networkFailure, on: .fetchDatabaseChanges), .error(.networkFailure, on: .saveRecords))
    _ = try await failure { try await fixture.phone.engine.fetchChanges() }
    _ = try await failure { try await fixture.phone.engine.sendChanges() }
    #expect(fixture.server.faults.waiting == 0)
    #expect(
      fixture.phone.events.filter { $0 != "stateUpdate" } == [
        "willFetchChanges", "didFetchChanges", "willSendChanges", "didSendChanges",
      ])
  }

  @Test func `what the app asks for is manual, what the engine does by itself is scheduled`()
    async throws
  {
    let server = try await LocalServer()
    let reasons = Mutex<Set<String>>([])
    for isAutomatic in [true, false] {
      let name = isAutomatic ? "phone" : "laptop"
      // Nobody is signed in, so that nothing happens before somebody listens.
      let app = try NotesApp(
        try await server.device(name, of: nil), automatically: isAutomatic)
      app.onEvent.withLock {
        $0 = { event in
          guard case .didFetchChanges(let did) = event else { return }
          reasons.withLock { _ = $0.insert("\(name) \(did.context.reason == .manual)") }
        }
      }
      try await server.signIn(name, as: "alice")
      if !isAutomatic { try await app.engine.fetchChanges() }
      try await app.until { reasons.withLock { $0.contains { $0.hasPrefix(name) } } }
    }
    #expect(reasons.withLock { $0 } == ["phone false", "laptop true"])
  }

  @Test func `changes that the app keeps track of itself are asked for once it says so`()
    async throws
  {
    let server = try await LocalServer()
    let phone = try NotesApp(try await server.device("phone", of: "alice"), automatically: true)
    phone.makeZone()
    try await phone.until { phone.engine.state.pendingDatabaseChanges.isEmpty }
    let asked = Mutex(0)
    phone.onBatch.withLock { $0 = { asked.withLock { $0 += 1 } } }
    phone.engine.state.hasPendingUntrackedChanges = true
    try await phone.until { asked.withLock { $0 } > 0 }
    phone.engine.state.hasPendingUntrackedChanges = false
    #expect(phone.pending.isEmpty)
  }

  @Test func `an engine on the public database stops the program`() async {
    await #expect(processExitsWith: .failure) {
      final class Nobody: CKSyncEngineDelegate {
        func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {}
        func nextRecordZoneChangeBatch(
          _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
        ) async -> CKSyncEngine.RecordZoneChangeBatch? { nil }
      }
      let database = CKContainer(identifier: "iCloud.test").publicCloudDatabase
      _ = CKSyncEngine(
        CKSyncEngine.Configuration(
          database: database, stateSerialization: nil, delegate: Nobody()))
    }
  }

  @Test func `a fetch without changes reports nothing`() async throws {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    try await fixture.laptop.engine.fetchChanges()
    #expect(!fixture.laptop.events.contains("fetchedRecordZoneChanges"))
    #expect(fixture.laptop.events.first == "willFetchChanges")
    #expect(fixture.laptop.events.last == "didFetchChanges")
  }

  @Test func `zones that go are reported with their reason`() async throws {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    let reasons = Mutex<[CKDatabase.DatabaseChange.Deletion.Reason]>([])
    fixture.laptop.onEvent.withLock {
      $0 = { event in
        guard case .fetchedDatabaseChanges(let changes) = event else { return }
        reasons.withLock { $0 += changes.deletions.map(\.reason) }
      }
    }
    try await fixture.server.purgeZone("Notes", of: "alice")
    try await fixture.laptop.engine.fetchChanges()
    #expect(reasons.withLock { $0 } == [.purged])
    #expect(fixture.laptop.notes.isEmpty)
  }

  @Test func `prioritized zones come first, and scopes leave zones out`() async throws {
    let fixture = try await SyncEngineFixture()
    let other = CKRecordZone.ID(zoneName: "Other")
    try await fixture.database.save(CKRecordZone(zoneID: other))
    fixture.phone.write("1", to: "n")
    fixture.phone.write("2", to: "o", zone: other)
    try await fixture.phone.engine.sendChanges(.init(scope: .zoneIDs([other])))
    #expect(fixture.phone.pending == [.saveRecord(NotesApp.id("n"))])
    try await fixture.phone.engine.sendChanges(.init(scope: .recordIDs([NotesApp.id("n")])))

    try await fixture.laptop.engine.fetchChanges(.init(scope: .allExcluding([zone, other])))
    #expect(fixture.laptop.notes.isEmpty)
    #expect(Set(fixture.laptop.engine.state.zoneIDsWithUnfetchedServerChanges) == [zone, other])
    let order = Mutex<[String]>([])
    fixture.laptop.onEvent.withLock {
      $0 = { event in
        guard case .willFetchRecordZoneChanges(let will) = event else { return }
        order.withLock { $0.append(will.zoneID.zoneName) }
      }
    }
    for first in [other, zone] {
      fixture.laptop.priority.withLock { $0 = [first] }
      fixture.phone.write(first.zoneName, to: "n")
      fixture.phone.write(first.zoneName, to: "o", zone: other)
      try await fixture.phone.engine.sendChanges()
      try await fixture.laptop.engine.fetchChanges()
    }
    #expect(order.withLock { $0 } == ["Other", "Notes", "Notes", "Other"])
  }

  /// Notes and another zone on the phone, of two pages each, which come in these pieces. `change` is made after the first.
  private func fetchInPieces(
    _ change: @escaping @Sendable (NotesApp, _ other: CKRecordZone.ID) -> Void
  ) async throws -> (fixture: SyncEngineFixture, pieces: [String]) {
    let fixture = try await SyncEngineFixture(smallLimits: true)
    let (laptop, phone) = (fixture.laptop, fixture.phone)
    let other = CKRecordZone.ID(zoneName: "Other")
    laptop.engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: other))])
    for zone in [zone, other] {
      for number in 0..<15 { laptop.write("x", to: "\(zone.zoneName) \(number)", zone: zone) }
      try await laptop.engine.sendChanges()
    }
    let pieces = Mutex<[String]>([])
    phone.priority.withLock { $0 = [zone] }
    phone.onEvent.withLock {
      $0 = { [unowned phone] event in
        guard case .fetchedRecordZoneChanges(let fetched) = event else { return }
        let records = fetched.modifications.map(\.record.recordID)
        pieces.withLock { $0.append("\(records.count) of \(records[0].zoneID.zoneName)") }
        change(phone, other)
      }
    }
    try await phone.engine.fetchChanges()
    return (fixture, pieces.withLock { $0 })
  }

  @Test func `a zone that gets priority amid the pages of another comes before the rest of them`()
    async throws
  {
    let (fixture, pieces) = try await fetchInPieces { phone, other in
      phone.priority.withLock { $0 = [other] }
    }
    #expect(pieces == ["10 of Notes", "10 of Other", "5 of Other", "5 of Notes"])
    #expect(fixture.phone.notes == fixture.laptop.notes)
    for name in ["willFetchRecordZoneChanges", "didFetchRecordZoneChanges"] {
      #expect(fixture.phone.events.count { $0 == name } == 3)
    }
  }

  @Test func `a zone that is not wanted any more amid its pages waits for the next fetch`()
    async throws
  {
    let (fixture, pieces) = try await fetchInPieces { [zone] phone, _ in
      phone.scope.withLock { $0 = .allExcluding([zone]) }
    }
    #expect(pieces == ["10 of Notes", "10 of Other", "5 of Other"])
    #expect(fixture.phone.engine.state.zoneIDsWithUnfetchedServerChanges == [zone])
    fixture.phone.onEvent.withLock { $0 = nil }
    fixture.phone.scope.withLock { $0 = nil }
    try await fixture.phone.engine.fetchChanges()
    #expect(fixture.phone.notes == fixture.laptop.notes)
  }

  @Test func `CHG-30 a zone's expired token begins anew, and a database's too`() async throws {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    fixture.server.faults.add(.expiredToken, .expiredToken)
    fixture.phone.write("x", to: "b")
    try await fixture.phone.engine.sendChanges()
    try await fixture.laptop.engine.fetchChanges()
    #expect(fixture.server.faults.waiting == 0)
    #expect(fixture.laptop.notes == ["a": "a", "b": "x"])
  }

  @Test func `CHG-05 after an expired token deletions are reported too, also after a crash`()
    async throws
  {
    let fixture = try await SyncEngineFixture(notes: ["a", "b", "c"])
    fixture.phone.delete("b")
    try await fixture.phone.engine.sendChanges()
    // The zone's token expires, and the network fails before the zone came again.
    fixture.server.faults.add(
      .expiredToken.zone("Notes").device("laptop"),
      .error(.networkFailure, on: .fetchZoneChanges).device("laptop"))
    _ = try await failure { try await fixture.laptop.engine.fetchChanges() }
    #expect(fixture.server.faults.waiting == 0)
    let next = try NotesApp(fixture.server.restartedDevice("laptop"), disk: fixture.laptop.disk)
    #expect(next.notes == ["a": "a", "b": "b", "c": "c"])
    try await next.engine.fetchChanges()
    #expect(next.notes == ["a": "a", "c": "c"])
  }

  @Test func `ENG-14 a batch takes 250 changes, and each batch is reported once`() async throws {
    let fixture = try await SyncEngineFixture()
    let sizes = Mutex<[Int]>([])
    fixture.phone.onEvent.withLock {
      $0 = { event in
        guard case .sentRecordZoneChanges(let sent) = event else { return }
        sizes.withLock { $0.append(sent.savedRecords.count) }
      }
    }
    for number in 0..<450 { fixture.phone.write("\(number)", to: "n\(number)") }
    try await fixture.phone.engine.sendChanges()
    #expect(sizes.withLock { $0 } == [250, 200])
    #expect(fixture.phone.pending.isEmpty)
    try await fixture.laptop.engine.fetchChanges()
    #expect(fixture.laptop.notes.count == 450)
  }

  @Test func `a batch whose records are too large together goes in halves, and is reported once`()
    async throws
  {
    let fixture = try await SyncEngineFixture()
    fixture.server.faults.add(
      .error(.limitExceeded, on: .saveRecords), .error(.limitExceeded, on: .saveRecords))
    for number in 0..<8 { fixture.phone.write("\(number)", to: "n\(number)") }
    try await fixture.phone.engine.sendChanges()
    #expect(fixture.phone.pending.isEmpty)
    #expect(try await fixture.stored().count == 8)
    #expect(fixture.phone.events.filter { $0 == "sentRecordZoneChanges" }.count == 1)
  }

  @Test func `ENG-15 a batch of 250 changes is sent`() async throws {
    let fixture = try await SyncEngineFixture()
    let app = HandMadeBatches(fixture.database)
    let ids = (0..<250).map { NotesApp.id("n\($0)") }
    app.engine.state.add(pendingRecordZoneChanges: ids.map { .saveRecord($0) })
    let records = ids.map { id in
      let record = CKRecord(recordType: "Note", recordID: id)
      record["text"] = "x"
      return record
    }
    app.batches.withLock { $0 = [.init(recordsToSave: records)] }
    try await app.engine.sendChanges()
    #expect(app.failures.withLock { $0.isEmpty })
    #expect(try await fixture.stored().count == 250)
  }

  @Test func `ENG-15 a batch of more than 250 changes fails, and nothing of it is sent`()
    async throws
  {
    let fixture = try await SyncEngineFixture()
    let app = HandMadeBatches(fixture.database)
    let ids = (0..<251).map { NotesApp.id("n\($0)") }
    app.engine.state.add(pendingRecordZoneChanges: ids.map { .saveRecord($0) })
    app.batches.withLock {
      $0 = [.init(recordsToSave: ids.map { CKRecord(recordType: "Note", recordID: $0) })]
    }
    let error = try await failure { try await app.engine.sendChanges() }
    #expect(error.code == .partialFailure)
    #expect(error.partialErrorsByItemID?.count == 251)
    #expect(
      app.failures.withLock { $0.map(\.code) } == Array(repeating: .limitExceeded, count: 251))
    #expect(app.engine.state.pendingRecordZoneChanges.isEmpty)
    #expect(try await fixture.stored().isEmpty)
  }

  @Test func `ENG-16 a batch with a change outside of the scope fails the send`() async throws {
    let fixture = try await SyncEngineFixture()
    let app = HandMadeBatches(fixture.database)
    let ids = ["in", "out"].map { NotesApp.id($0) }
    app.engine.state.add(pendingRecordZoneChanges: ids.map { .saveRecord($0) })
    app.batches.withLock {
      $0 = [.init(recordsToSave: ids.map { CKRecord(recordType: "Note", recordID: $0) })]
    }
    let error = try await failure {
      try await app.engine.sendChanges(.init(scope: .recordIDs([ids[0]])))
    }
    #expect(error.code == .invalidArguments && error.localizedDescription.contains("'out'"))
    #expect(app.engine.state.pendingRecordZoneChanges.count == 2)
    #expect(try await fixture.stored().isEmpty)
  }

  @Test func `a delegate that syncs from an event gets an error`() async throws {
    let fixture = try await SyncEngineFixture()
    let phone = fixture.phone
    let code = Mutex<CKError.Code?>(nil)
    phone.onEvent.withLock {
      $0 = { event in
        guard case .willFetchChanges = event else { return }
        do { try await phone.engine.sendChanges() } catch {
          code.withLock { $0 = (error as? CKError)?.code }
        }
      }
    }
    try await phone.engine.fetchChanges()
    #expect(code.withLock { $0 } == .invalidArguments)
  }

  @Test func `a task that a delegate began may sync when the event is handled`() async throws {
    let fixture = try await SyncEngineFixture()
    let phone = fixture.phone
    phone.write("x", to: "a")
    let (handled, sink) = AsyncStream<Void>.makeStream()
    let begun = Mutex<Task<Void, any Error>?>(nil)
    phone.onEvent.withLock {
      $0 = { event in
        guard case .didFetchChanges = event else { return }
        let task = Task {
          for await _ in handled {}
          try await phone.engine.sendChanges()
        }
        begun.withLock { $0 = task }
      }
    }
    try await phone.engine.fetchChanges()
    sink.finish()
    try await #require(begun.withLock { $0 }).value
    #expect(try await fixture.stored() == ["a": "x"])
  }

  @Test func `a delegate goes on with what it handles when everything is cancelled`()
    async throws
  {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    let laptop = try NotesApp(fixture.server.restartedDevice("laptop"))
    let isCancelled = Mutex<Bool?>(nil)
    laptop.onEvent.withLock {
      $0 = { event in
        guard case .fetchedRecordZoneChanges = event else { return }
        await laptop.engine.cancelOperations()
        isCancelled.withLock { $0 = Task.isCancelled }
      }
    }
    let error = try await failure { try await laptop.engine.fetchChanges() }
    #expect(error.code == .operationCancelled)
    #expect(isCancelled.withLock { $0 } == false)
    #expect(laptop.notes == ["a": "a"])
  }

  @Test func `cancelling ends a fetch, and the next one works`() async throws {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    let laptop = try NotesApp(fixture.server.restartedDevice("laptop"))
    laptop.onEvent.withLock {
      $0 = { event in
        if case .fetchedDatabaseChanges = event { await laptop.engine.cancelOperations() }
      }
    }
    let error = try await failure { try await laptop.engine.fetchChanges() }
    #expect(error.code == .operationCancelled)
    laptop.onEvent.withLock { $0 = nil }
    try await laptop.engine.fetchChanges()
    #expect(laptop.notes == ["a": "a"])
  }

  @Test func `a state survives JSON, and its pending changes with it`() async throws {
    let fixture = try await SyncEngineFixture()
    fixture.phone.write("x", to: "a")
    try await fixture.phone.until { fixture.phone.disk.pending == ["a"] }
    let next = try NotesApp(fixture.server.restartedDevice("phone"), disk: fixture.phone.disk)
    #expect(next.pending == [.saveRecord(NotesApp.id("a"))])
  }
}

/// An app that hands out batches which it made itself.
private final class HandMadeBatches: CKSyncEngineDelegate {
  let batches = Mutex<[CKSyncEngine.RecordZoneChangeBatch]>([])
  let failures = Mutex<[CKError]>([])
  private let made = Mutex<CKSyncEngine?>(nil)
  var engine: CKSyncEngine {
    guard let engine = made.withLock({ $0 }) else { preconditionFailure("made in init") }
    return engine
  }

  init(_ database: CKDatabase) {
    made.withLock { $0 = CKSyncEngine(whenAsked: database, self) }
  }

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    guard case .sentRecordZoneChanges(let sent) = event else { return }
    failures.withLock { $0 += sent.failedRecordSaves.map(\.error) }
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    batches.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }
}
