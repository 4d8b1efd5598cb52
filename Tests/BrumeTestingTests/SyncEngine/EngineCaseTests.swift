import BrumeKit
import BrumeTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct EngineCaseTests {
  @Test func `ENG-01 two engines of one user in one process act as two devices`() async throws {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    #expect(fixture.laptop.notes == ["a": "a"])
    fixture.laptop.write("hello", to: "b")
    try await fixture.laptop.engine.sendChanges()
    try await fixture.phone.engine.fetchChanges()
    #expect(fixture.phone.notes == ["a": "a", "b": "hello"])
  }

  @Test func `ENG-02 a save into a missing zone is returned, and works after the zone is saved`()
    async throws
  {
    let fixture = try await SyncEngineFixture()
    try await fixture.server.deleteZone("Notes", of: "alice")
    fixture.phone.write("x", to: "a")
    let error = try await failure { try await fixture.phone.engine.sendChanges() }
    #expect(error.failedItems == [NotesApp.id("a"): .zoneNotFound])
    #expect(fixture.phone.engine.state.pendingDatabaseChanges.count == 1)
    #expect(fixture.phone.pending == [.saveRecord(NotesApp.id("a"))])
    try await fixture.phone.engine.sendChanges()
    #expect(fixture.phone.pending.isEmpty)
    #expect(try await fixture.stored() == ["a": "x"])
  }

  @Test
  func `ENG-03 a save of a record that was deleted elsewhere is unknownItem, then a new record`()
    async throws
  {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    fixture.laptop.delete("a")
    try await fixture.laptop.engine.sendChanges()
    fixture.phone.write("again", to: "a")
    let error = try await failure { try await fixture.phone.engine.sendChanges() }
    #expect(error.failedItems == [NotesApp.id("a"): .unknownItem])
    #expect(fixture.phone.pending == [.saveRecord(NotesApp.id("a"))])
    try await fixture.phone.engine.sendChanges()
    #expect(try await fixture.stored() == ["a": "again"])
  }

  @Test
  func `ENG-04 a conflict is returned once, and the merged record goes with the next send`()
    async throws
  {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    fixture.laptop.write("laptop", to: "a")
    try await fixture.laptop.engine.sendChanges()
    fixture.phone.write("phone", to: "a")
    let error = try await failure { try await fixture.phone.engine.sendChanges() }
    #expect(error.failedItems == [NotesApp.id("a"): .serverRecordChanged])
    #expect(fixture.phone.pending == [.saveRecord(NotesApp.id("a"))])
    #expect(try await fixture.stored() == ["a": "laptop"])
    try await fixture.phone.engine.sendChanges()
    #expect(fixture.phone.pending.isEmpty)
    #expect(try await fixture.stored() == ["a": "phone"])
  }

  @Test func `SAV-34 an engine sends 444 records in batches below the limit, and all arrive`()
    async throws
  {
    let fixture = try await SyncEngineFixture()
    let sizes = Mutex<[Int]>([])
    fixture.phone.onEvent.withLock {
      $0 = { event in
        guard case .sentRecordZoneChanges(let sent) = event else { return }
        #expect(sent.failedRecordSaves.isEmpty)
        sizes.withLock { $0.append(sent.savedRecords.count) }
      }
    }
    for number in 0..<444 { fixture.phone.write("\(number)", to: "n\(number)") }
    try await fixture.phone.engine.sendChanges()
    let batches = sizes.withLock { $0 }
    #expect(batches.reduce(0, +) == 444 && batches.allSatisfy { $0 <= 400 })
    try await fixture.laptop.engine.fetchChanges()
    let all = (0..<444).map { ("n\($0)", "\($0)") }
    #expect(fixture.laptop.notes == Dictionary(uniqueKeysWithValues: all))
  }

  @Test func `ZON-17 what is saved in the default zone reaches no engine`() async throws {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    let (database, laptop) = (fixture.database, fixture.laptop)
    try await database.save(CKRecord(recordType: "Note"))
    try await laptop.engine.fetchChanges()
    #expect(laptop.notes == ["a": "a"])
    #expect(!laptop.events.contains { $0.hasPrefix("fetched") })
    let error = try await failure {
      _ = try await database.recordZoneChanges(inZoneWith: .default, since: nil)
    }
    #expect(error.code == .invalidArguments)
  }

  @Test func `ENG-05 a rename on one device is seen on the other`() async throws {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    fixture.phone.write("renamed", to: "a")
    try await fixture.phone.engine.sendChanges()
    try await fixture.laptop.engine.fetchChanges()
    #expect(fixture.laptop.notes == ["a": "renamed"])
  }

  @Test func `ENG-06 a pending save without a record is dropped, and the others are sent`()
    async throws
  {
    let fixture = try await SyncEngineFixture()
    fixture.phone.engine.state.add(pendingRecordZoneChanges: [.saveRecord(NotesApp.id("ghost"))])
    fixture.phone.write("x", to: "a")
    try await fixture.phone.engine.sendChanges()
    #expect(fixture.phone.pending.isEmpty)
    #expect(try await fixture.stored() == ["a": "x"])
  }

  @Test func `ENG-07 records of a type that the app does not know arrive like others`() async throws
  {
    let fixture = try await SyncEngineFixture()
    let seen = Mutex<[String]>([])
    fixture.laptop.onEvent.withLock {
      $0 = { event in
        guard case .fetchedRecordZoneChanges(let changes) = event else { return }
        seen.withLock { $0 += changes.modifications.map(\.record.recordType) }
      }
    }
    let future = CKRecord(recordType: "Future", recordID: NotesApp.id("f"))
    try await fixture.database.save(future)
    try await fixture.laptop.engine.fetchChanges()
    #expect(seen.withLock { $0 } == ["Future"])
  }

  @Test func `ENG-08 what was written while no engine ran is sent by the next one`() async throws {
    let fixture = try await SyncEngineFixture(notes: ["a", "b"])
    fixture.phone.write("later", to: "a")
    fixture.phone.delete("b")
    try await fixture.phone.until { fixture.phone.disk.pending == ["a", "b"] }
    let next = try NotesApp(fixture.server.restartedDevice("phone"), disk: fixture.phone.disk)
    #expect(next.pending == [.saveRecord(NotesApp.id("a")), .deleteRecord(NotesApp.id("b"))])
    try await next.engine.sendChanges()
    #expect(try await fixture.stored() == ["a": "later"])
  }

  @Test func `ENG-09 a record that changes while it is being sent is sent again`() async throws {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    let phone = fixture.phone
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
    #expect(try await fixture.stored() == ["a": "second"])
  }

  @Test func `ENG-09 a record that changes after a batch got it is sent again`() async throws {
    let fixture = try await SyncEngineFixture()
    let phone = fixture.phone
    phone.write("first", to: "a")
    phone.write("x", to: "b")
    phone.onRecord.withLock {
      $0 = { id in
        if id != NotesApp.id("b") { return }
        phone.onRecord.withLock { $0 = nil }
        // The user's edits are no part of the delegate's call.
        await Task.detached { phone.write("second", to: "a") }.value
      }
    }
    try await phone.engine.sendChanges()
    #expect(try await fixture.stored() == ["a": "first", "b": "x"])
    #expect(phone.pending == [.saveRecord(NotesApp.id("a"))])
    try await phone.engine.sendChanges()
    #expect(try await fixture.stored() == ["a": "second", "b": "x"])
  }

  @Test func `ENG-09 a deletion that gave way to a save is not sent`() async throws {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    fixture.phone.delete("a")
    fixture.phone.write("back", to: "a")
    #expect(fixture.phone.pending == [.saveRecord(NotesApp.id("a"))])
  }

  @Test func `ENG-10 pending changes go when the app asks, as before it leaves the screen`()
    async throws
  {
    let fixture = try await SyncEngineFixture()
    fixture.phone.write("x", to: "a")
    try await fixture.phone.engine.sendChanges(.init(scope: .all))
    #expect(try await fixture.stored() == ["a": "x"])
  }

  @Test(arguments: [CKError.Code.permissionFailure, .serverRejectedRequest, .invalidArguments])
  func `ENG-11 ENG-12 a refused save is reported and not sent again`(code: CKError.Code)
    async throws
  {
    let fixture = try await SyncEngineFixture()
    fixture.server.faults.add(.error(code).record("a"))
    let seen = Mutex<[CKError.Code]>([])
    fixture.phone.onEvent.withLock {
      $0 = { event in
        guard case .sentRecordZoneChanges(let sent) = event else { return }
        seen.withLock { $0 += sent.failedRecordSaves.map(\.error.code) }
      }
    }
    fixture.phone.write("x", to: "a")
    fixture.phone.write("y", to: "b")
    let error = try await failure { try await fixture.phone.engine.sendChanges() }
    #expect(error.failedItems == [NotesApp.id("a"): code])
    #expect(seen.withLock { $0 } == [code])
    #expect(fixture.phone.pending.isEmpty)
    #expect(try await fixture.stored() == ["b": "y"])
  }

  @Test func `ENG-13 by default the other changes of a failing zone are saved`() async throws {
    let fixture = try await SyncEngineFixture()
    #expect(!CKSyncEngine.RecordZoneChangeBatch().atomicByZone)
    fixture.server.faults.add(.error(.permissionFailure).record("a"))
    fixture.phone.write("x", to: "a")
    fixture.phone.write("y", to: "b")
    try await fixture.phone.send()
    #expect(try await fixture.stored() == ["b": "y"])
  }

  @Test func `ENG-13 in an atomic batch they come back as batchRequestFailed, deletions too`()
    async throws
  {
    let fixture = try await SyncEngineFixture(notes: ["c"])
    let other = CKRecordZone(zoneName: "Other")
    try await fixture.database.save(other)
    fixture.phone.isAtomic.withLock { $0 = true }
    fixture.server.faults.add(.error(.permissionFailure).record("a"))
    let seen = Mutex<[String: CKError.Code]>([:])
    fixture.phone.onEvent.withLock {
      $0 = { event in
        guard case .sentRecordZoneChanges(let sent) = event else { return }
        for failed in sent.failedRecordSaves {
          seen.withLock { $0[failed.record.recordID.recordName] = failed.error.code }
        }
        for (id, error) in sent.failedRecordDeletes {
          seen.withLock { $0[id.recordName] = error.code }
        }
      }
    }
    fixture.phone.write("x", to: "a")
    fixture.phone.write("y", to: "b")
    fixture.phone.delete("c")
    fixture.phone.write("z", to: "o", zone: other.zoneID)
    try await fixture.phone.send()
    #expect(
      seen.withLock { $0 } == [
        "a": .permissionFailure, "b": .batchRequestFailed, "c": .batchRequestFailed,
      ])
    // The zone fails, and no other.
    #expect(try await fixture.storedInAllZones() == ["c": "c", "o": "z"])
  }
}
