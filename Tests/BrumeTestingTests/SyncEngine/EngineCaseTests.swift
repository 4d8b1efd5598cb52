import BrumeKit
import BrumeTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct EngineCaseTests {
  @Test func `ENG-01 two engines of one user in one process act as two devices`() async throws {
    let world = try await EngineWorld(notes: ["a"])
    #expect(world.laptop.notes == ["a": "a"])
    world.laptop.write("hello", to: "b")
    try await world.laptop.engine.sendChanges()
    try await world.phone.engine.fetchChanges()
    #expect(world.phone.notes == ["a": "a", "b": "hello"])
  }

  @Test func `ENG-02 a save into a missing zone is handed back, and works after the zone is saved`()
    async throws
  {
    let world = try await EngineWorld()
    try await world.server.deleteZone("Notes", of: "alice")
    world.phone.write("x", to: "a")
    let error = try await engineFailure { try await world.phone.engine.sendChanges() }
    #expect(error.failedItems == [NotesApp.id("a"): .zoneNotFound])
    #expect(world.phone.engine.state.pendingDatabaseChanges.count == 1)
    #expect(world.phone.pending == [.saveRecord(NotesApp.id("a"))])
    try await world.phone.engine.sendChanges()
    #expect(world.phone.pending.isEmpty)
    #expect(try await world.stored() == ["a": "x"])
  }

  @Test
  func `ENG-03 a save of a record that was deleted elsewhere is unknownItem, then a new record`()
    async throws
  {
    let world = try await EngineWorld(notes: ["a"])
    world.laptop.delete("a")
    try await world.laptop.engine.sendChanges()
    world.phone.write("again", to: "a")
    let error = try await engineFailure { try await world.phone.engine.sendChanges() }
    #expect(error.failedItems == [NotesApp.id("a"): .unknownItem])
    #expect(world.phone.pending == [.saveRecord(NotesApp.id("a"))])
    try await world.phone.engine.sendChanges()
    #expect(try await world.stored() == ["a": "again"])
  }

  @Test
  func `ENG-04 a conflict is handed back once, and the merged record goes with the next send`()
    async throws
  {
    let world = try await EngineWorld(notes: ["a"])
    world.laptop.write("laptop", to: "a")
    try await world.laptop.engine.sendChanges()
    world.phone.write("phone", to: "a")
    let error = try await engineFailure { try await world.phone.engine.sendChanges() }
    #expect(error.failedItems == [NotesApp.id("a"): .serverRecordChanged])
    #expect(world.phone.pending == [.saveRecord(NotesApp.id("a"))])
    #expect(try await world.stored() == ["a": "laptop"])
    try await world.phone.engine.sendChanges()
    #expect(world.phone.pending.isEmpty)
    #expect(try await world.stored() == ["a": "phone"])
  }

  @Test func `ENG-05 a rename on one device is seen on the other`() async throws {
    let world = try await EngineWorld(notes: ["a"])
    world.phone.write("renamed", to: "a")
    try await world.phone.engine.sendChanges()
    try await world.laptop.engine.fetchChanges()
    #expect(world.laptop.notes == ["a": "renamed"])
  }

  @Test func `ENG-06 a pending save without a record is dropped, and the others are sent`()
    async throws
  {
    let world = try await EngineWorld()
    world.phone.engine.state.add(pendingRecordZoneChanges: [.saveRecord(NotesApp.id("ghost"))])
    world.phone.write("x", to: "a")
    try await world.phone.engine.sendChanges()
    #expect(world.phone.pending.isEmpty)
    #expect(try await world.stored() == ["a": "x"])
  }

  @Test func `ENG-07 records of a type that the app does not know arrive like others`() async throws
  {
    let world = try await EngineWorld()
    let seen = Mutex<[String]>([])
    world.laptop.onEvent.withLock {
      $0 = { event in
        guard case .fetchedRecordZoneChanges(let changes) = event else { return }
        seen.withLock { $0 += changes.modifications.map(\.record.recordType) }
      }
    }
    let future = CKRecord(recordType: "Future", recordID: NotesApp.id("f"))
    try await world.database.save(future)
    try await world.laptop.engine.fetchChanges()
    #expect(seen.withLock { $0 } == ["Future"])
  }

  @Test func `ENG-08 what was written while no engine ran is sent by the next one`() async throws {
    let world = try await EngineWorld(notes: ["a", "b"])
    world.phone.write("later", to: "a")
    world.phone.delete("b")
    try await world.phone.until { world.phone.disk.pending == ["a", "b"] }
    let next = try NotesApp(world.server.restartedDevice("phone"), disk: world.phone.disk)
    #expect(next.pending == [.saveRecord(NotesApp.id("a")), .deleteRecord(NotesApp.id("b"))])
    try await next.engine.sendChanges()
    #expect(try await world.stored() == ["a": "later"])
  }

  @Test func `ENG-09 a record that changes while it is being sent is sent again`() async throws {
    let world = try await EngineWorld(notes: ["a"])
    let phone = world.phone
    phone.write("first", to: "a")
    phone.onEvent.withLock {
      $0 = { event in
        if case .sentRecordZoneChanges = event {
          phone.onEvent.withLock { $0 = nil }
        } else {
          return
        }
        phone.write("second", to: "a")
      }
    }
    try await phone.engine.sendChanges()
    #expect(phone.pending == [.saveRecord(NotesApp.id("a"))])
    phone.onEvent.withLock { $0 = nil }
    try await phone.engine.sendChanges()
    #expect(try await world.stored() == ["a": "second"])
  }

  @Test func `ENG-09 a deletion that gave way to a save is not sent`() async throws {
    let world = try await EngineWorld(notes: ["a"])
    world.phone.delete("a")
    world.phone.write("back", to: "a")
    #expect(world.phone.pending == [.saveRecord(NotesApp.id("a"))])
  }

  @Test func `ENG-10 pending changes go when the app asks, as before it leaves the screen`()
    async throws
  {
    let world = try await EngineWorld()
    world.phone.write("x", to: "a")
    try await world.phone.engine.sendChanges(.init(scope: .all))
    #expect(try await world.stored() == ["a": "x"])
  }

  @Test(arguments: [CKError.Code.permissionFailure, .serverRejectedRequest, .invalidArguments])
  func `ENG-11 ENG-12 a refused save is told and not sent again`(code: CKError.Code) async throws {
    let world = try await EngineWorld()
    world.server.faults.add(.error(code).record("a"))
    let seen = Mutex<[CKError.Code]>([])
    world.phone.onEvent.withLock {
      $0 = { event in
        guard case .sentRecordZoneChanges(let sent) = event else { return }
        seen.withLock { $0 += sent.failedRecordSaves.map(\.error.code) }
      }
    }
    world.phone.write("x", to: "a")
    world.phone.write("y", to: "b")
    let error = try await engineFailure { try await world.phone.engine.sendChanges() }
    #expect(error.failedItems == [NotesApp.id("a"): code])
    #expect(seen.withLock { $0 } == [code])
    #expect(world.phone.pending.isEmpty)
    #expect(try await world.stored() == ["b": "y"])
  }

  @Test func `ENG-13 by default the other changes of a failing zone are saved`() async throws {
    let world = try await EngineWorld()
    #expect(!CKSyncEngine.RecordZoneChangeBatch().atomicByZone)
    world.server.faults.add(.error(.permissionFailure).record("a"))
    world.phone.write("x", to: "a")
    world.phone.write("y", to: "b")
    try await world.phone.send()
    #expect(try await world.stored() == ["b": "y"])
  }

  @Test func `ENG-13 in an atomic batch they come back as batchRequestFailed`() async throws {
    let world = try await EngineWorld()
    world.phone.isAtomic.withLock { $0 = true }
    world.server.faults.add(.error(.permissionFailure).record("a"))
    let seen = Mutex<[String: CKError.Code]>([:])
    world.phone.onEvent.withLock {
      $0 = { event in
        guard case .sentRecordZoneChanges(let sent) = event else { return }
        for failed in sent.failedRecordSaves {
          seen.withLock { $0[failed.record.recordID.recordName] = failed.error.code }
        }
      }
    }
    world.phone.write("x", to: "a")
    world.phone.write("y", to: "b")
    try await world.phone.send()
    #expect(seen.withLock { $0 } == ["a": .permissionFailure, "b": .batchRequestFailed])
    #expect(try await world.stored().isEmpty)
  }
}
