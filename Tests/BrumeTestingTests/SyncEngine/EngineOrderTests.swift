import BrumeKit
import BrumeTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct EngineOrderTests {
  private let zone = NotesApp.zoneID

  @Test func `a fetch tells its events in the documented order`() async throws {
    let world = try await EngineWorld()
    world.phone.write("x", to: "a")
    try await world.phone.engine.sendChanges()
    try await world.laptop.engine.fetchChanges()
    #expect(
      world.laptop.events == [
        "willFetchChanges", "fetchedDatabaseChanges", "stateUpdate", "willFetchRecordZoneChanges",
        "fetchedRecordZoneChanges", "stateUpdate", "didFetchRecordZoneChanges", "didFetchChanges",
      ])
  }

  @Test func `a send tells its events in the documented order`() async throws {
    let world = try await EngineWorld()
    world.phone.makeZone()
    world.phone.write("x", to: "a")
    try await world.phone.engine.sendChanges()
    #expect(
      world.phone.events.filter { $0 != "stateUpdate" } == [
        "willSendChanges", "sentDatabaseChanges", "sentRecordZoneChanges", "didSendChanges",
      ])
    #expect(world.phone.events.last == "didSendChanges" || world.phone.events.last == "stateUpdate")
  }

  @Test func `the first sync tells of the account first`() async throws {
    let server = try await LocalServer()
    let app = try NotesApp(try await server.device("phone", of: "alice"))
    try await app.engine.fetchChanges()
    #expect(app.events.prefix(2) == ["signIn", "stateUpdate"])
  }

  @Test func `will and did come in pairs, also when the network fails in between`() async throws {
    let world = try await EngineWorld(notes: ["a"])
    world.phone.write("x", to: "a")
    world.server.faults.add(
      .error(.networkFailure, on: .fetchDatabaseChanges), .error(.networkFailure, on: .saveRecords))
    _ = try await engineFailure { try await world.phone.engine.fetchChanges() }
    _ = try await engineFailure { try await world.phone.engine.sendChanges() }
    #expect(world.server.faults.waiting == 0)
    #expect(
      world.phone.events.filter { $0 != "stateUpdate" } == [
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

  @Test func `nothing new is told as nothing`() async throws {
    let world = try await EngineWorld(notes: ["a"])
    try await world.laptop.engine.fetchChanges()
    #expect(!world.laptop.events.contains("fetchedRecordZoneChanges"))
    #expect(world.laptop.events.first == "willFetchChanges")
    #expect(world.laptop.events.last == "didFetchChanges")
  }

  @Test func `zones that go are told with their reason`() async throws {
    let world = try await EngineWorld(notes: ["a"])
    let reasons = Mutex<[CKDatabase.DatabaseChange.Deletion.Reason]>([])
    world.laptop.onEvent.withLock {
      $0 = { event in
        guard case .fetchedDatabaseChanges(let changes) = event else { return }
        reasons.withLock { $0 += changes.deletions.map(\.reason) }
      }
    }
    try await world.server.purgeZone("Notes", of: "alice")
    try await world.laptop.engine.fetchChanges()
    #expect(reasons.withLock { $0 } == [.purged])
    #expect(world.laptop.notes.isEmpty)
  }

  @Test func `prioritized zones come first, and scopes leave zones out`() async throws {
    let world = try await EngineWorld()
    let other = CKRecordZone.ID(zoneName: "Other")
    try await world.database.save(CKRecordZone(zoneID: other))
    world.phone.write("1", to: "n")
    world.phone.write("2", to: "o", zone: other)
    try await world.phone.engine.sendChanges(.init(scope: .zoneIDs([other])))
    #expect(world.phone.pending == [.saveRecord(NotesApp.id("n"))])
    try await world.phone.engine.sendChanges(.init(scope: .recordIDs([NotesApp.id("n")])))

    try await world.laptop.engine.fetchChanges(.init(scope: .allExcluding([zone, other])))
    #expect(world.laptop.notes.isEmpty)
    #expect(Set(world.laptop.engine.state.zoneIDsWithUnfetchedServerChanges) == [zone, other])
    let order = Mutex<[String]>([])
    world.laptop.onEvent.withLock {
      $0 = { event in
        guard case .willFetchRecordZoneChanges(let will) = event else { return }
        order.withLock { $0.append(will.zoneID.zoneName) }
      }
    }
    for first in [other, zone] {
      world.laptop.priority.withLock { $0 = [first] }
      world.phone.write(first.zoneName, to: "n")
      world.phone.write(first.zoneName, to: "o", zone: other)
      try await world.phone.engine.sendChanges()
      try await world.laptop.engine.fetchChanges()
    }
    #expect(order.withLock { $0 } == ["Other", "Notes", "Notes", "Other"])
  }

  @Test func `CHG-30 a zone's expired token begins anew, and a database's too`() async throws {
    let world = try await EngineWorld(notes: ["a"])
    world.server.faults.add(.expiredToken, .expiredToken)
    world.phone.write("x", to: "b")
    try await world.phone.engine.sendChanges()
    try await world.laptop.engine.fetchChanges()
    #expect(world.server.faults.waiting == 0)
    #expect(world.laptop.notes == ["a": "a", "b": "x"])
  }

  @Test func `CHG-05 after an expired token deletions are told too, also after a crash`()
    async throws
  {
    let world = try await EngineWorld(notes: ["a", "b", "c"])
    world.phone.delete("b")
    try await world.phone.engine.sendChanges()
    // The zone's token expires, and the network fails before the zone came again.
    world.server.faults.add(
      .expiredToken.zone("Notes").device("laptop"),
      .error(.networkFailure, on: .fetchZoneChanges).device("laptop"))
    _ = try await engineFailure { try await world.laptop.engine.fetchChanges() }
    #expect(world.server.faults.waiting == 0)
    let next = try NotesApp(world.server.restartedDevice("laptop"), disk: world.laptop.disk)
    #expect(next.notes == ["a": "a", "b": "b", "c": "c"])
    try await next.engine.fetchChanges()
    #expect(next.notes == ["a": "a", "c": "c"])
  }

  @Test func `more changes than one request takes are sent in several batches`() async throws {
    let world = try await EngineWorld()
    for number in 0..<450 { world.phone.write("\(number)", to: "n\(number)") }
    try await world.phone.engine.sendChanges()
    #expect(world.phone.events.filter { $0 == "sentRecordZoneChanges" }.count == 3)
    #expect(world.phone.pending.isEmpty)
    try await world.laptop.engine.fetchChanges()
    #expect(world.laptop.notes.count == 450)
  }

  @Test func `a batch that is too large for the server is sent in halves`() async throws {
    let world = try await EngineWorld()
    world.server.faults.add(
      .error(.limitExceeded, on: .saveRecords), .error(.limitExceeded, on: .saveRecords))
    for number in 0..<8 { world.phone.write("\(number)", to: "n\(number)") }
    try await world.phone.engine.sendChanges()
    #expect(world.phone.pending.isEmpty)
    #expect(try await world.stored().count == 8)
    #expect(world.phone.events.filter { $0 == "sentRecordZoneChanges" }.count == 3)
  }

  @Test func `a delegate that syncs from an event is told that it must not`() async throws {
    let world = try await EngineWorld()
    let phone = world.phone
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

  @Test func `cancelling ends a fetch, and the next one works`() async throws {
    let world = try await EngineWorld(notes: ["a"])
    let laptop = try NotesApp(world.server.restartedDevice("laptop"))
    laptop.onEvent.withLock {
      $0 = { event in
        if case .fetchedDatabaseChanges = event { await laptop.engine.cancelOperations() }
      }
    }
    let error = try await engineFailure { try await laptop.engine.fetchChanges() }
    #expect(error.code == .operationCancelled)
    laptop.onEvent.withLock { $0 = nil }
    try await laptop.engine.fetchChanges()
    #expect(laptop.notes == ["a": "a"])
  }

  @Test func `a state survives JSON, and its pending changes with it`() async throws {
    let world = try await EngineWorld()
    world.phone.write("x", to: "a")
    try await world.phone.until { world.phone.disk.pending == ["a"] }
    let next = try NotesApp(world.server.restartedDevice("phone"), disk: world.phone.disk)
    #expect(next.pending == [.saveRecord(NotesApp.id("a"))])
  }
}
