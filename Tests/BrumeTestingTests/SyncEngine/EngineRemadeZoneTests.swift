import BrumeKit
import BrumeTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct EngineRemadeZoneTests {
  /// The zone goes and comes again, with one other note in it.
  private func remake(_ fixture: SyncEngineFixture) async throws {
    try await fixture.database.deleteRecordZone(withID: NotesApp.zoneID)
    try await fixture.database.save(CKRecordZone(zoneID: NotesApp.zoneID))
    let note = CKRecord(recordType: "Note", recordID: NotesApp.id("new"))
    note["text"] = "second life"
    try await fixture.database.save(note)
  }

  @Test func `ZON-16 a zone that was deleted and made again is reported as deleted, then fetched`()
    async throws
  {
    let fixture = try await SyncEngineFixture(notes: ["a", "b"])
    try await remake(fixture)
    try await fixture.laptop.engine.fetchChanges()
    #expect(fixture.laptop.notes == ["new": "second life"])
    let reported = fixture.laptop.events.filter { $0 != "stateUpdate" }
    #expect(
      reported == [
        "willFetchChanges", "fetchedDatabaseChanges", "fetchedDatabaseChanges",
        "fetchedDatabaseChanges", "willFetchRecordZoneChanges", "fetchedRecordZoneChanges",
        "didFetchRecordZoneChanges", "didFetchChanges",
      ])
  }

  @Test func `ZON-16 a zone that was made again is known to be there when it is empty`()
    async throws
  {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    let zones = Mutex<Set<CKRecordZone.ID>>([])
    fixture.laptop.onEvent.withLock {
      $0 = { event in
        guard case .fetchedDatabaseChanges(let changes) = event else { return }
        zones.withLock {
          $0.formUnion(changes.modifications.map(\.zoneID))
          $0.subtract(changes.deletions.map(\.zoneID))
        }
      }
    }
    try await fixture.database.deleteRecordZone(withID: NotesApp.zoneID)
    try await fixture.database.save(CKRecordZone(zoneID: NotesApp.zoneID))
    try await fixture.laptop.engine.fetchChanges()
    #expect(zones.withLock { $0 } == [NotesApp.zoneID])
    #expect(fixture.laptop.notes.isEmpty)
  }

  @Test func `ZON-16 what was to be deleted in the earlier zone stays in the later one`()
    async throws
  {
    let fixture = try await SyncEngineFixture(notes: ["a", "new"])
    fixture.laptop.delete("new")
    try await remake(fixture)
    try await fixture.laptop.sync()
    #expect(fixture.laptop.pending.isEmpty)
    #expect(fixture.laptop.notes == ["new": "second life"])
    #expect(try await fixture.stored() == ["new": "second life"])
  }

  @Test func `the deletion of an earlier incarnation is reported once`() async throws {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    try await remake(fixture)
    try await fixture.laptop.engine.fetchChanges()
    fixture.laptop.write("mine", to: "mine")
    fixture.laptop.forgetEvents()
    try await fixture.laptop.engine.fetchChanges()
    #expect(!fixture.laptop.events.contains("fetchedDatabaseChanges"))
    #expect(fixture.laptop.notes == ["new": "second life", "mine": "mine"])
  }

  @Test func `a zone that was reported as deleted is not reported again when it comes back`()
    async throws
  {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    try await fixture.database.deleteRecordZone(withID: NotesApp.zoneID)
    try await fixture.laptop.engine.fetchChanges()
    #expect(fixture.laptop.notes.isEmpty)
    fixture.laptop.write("kept for later", to: "draft")
    try await fixture.database.save(CKRecordZone(zoneID: NotesApp.zoneID))
    fixture.laptop.forgetEvents()
    try await fixture.laptop.engine.fetchChanges()
    #expect(fixture.laptop.notes == ["draft": "kept for later"])
  }

  @Test func `ZON-16 so is a zone that the engine made itself, and had fetched nothing of`()
    async throws
  {
    let fixture = try await SyncEngineFixture()
    try await fixture.database.deleteRecordZone(withID: NotesApp.zoneID)
    try await fixture.phone.engine.fetchChanges()
    fixture.phone.makeZone()
    fixture.phone.write("first life", to: "a")
    try await fixture.phone.engine.sendChanges()
    #expect(try await fixture.stored() == ["a": "first life"])
    try await remake(fixture)
    try await fixture.phone.engine.fetchChanges()
    #expect(fixture.phone.notes == ["new": "second life"])
  }

  @Test func `ZON-16 what was sent to an earlier zone that was not fetched is reported as deleted`()
    async throws
  {
    let fixture = try await SyncEngineFixture()
    let (database, laptop) = (fixture.database, fixture.laptop)
    let zone = CKRecordZone(zoneName: "Other")
    try await database.save(zone)
    laptop.write("first life", to: "x", zone: zone.zoneID)
    try await laptop.engine.sendChanges()
    try await database.deleteRecordZone(withID: zone.zoneID)
    try await database.save(zone)
    try await laptop.engine.fetchChanges()
    #expect(laptop.notes(in: zone.zoneID) == [])
  }

  @Test func `ZON-14 also if the engine itself makes the zone again, after a reset`() async throws {
    let fixture = try await SyncEngineFixture()
    let laptop = fixture.laptop
    let zone = CKRecordZone(zoneName: "Other")
    try await fixture.database.save(zone)
    laptop.write("first life", to: "x", zone: zone.zoneID)
    try await laptop.engine.sendChanges()
    try await fixture.server.resetEncryptedData(of: "alice")
    laptop.engine.state.add(pendingDatabaseChanges: [.saveZone(zone)])
    laptop.write("second life", to: "y", zone: zone.zoneID)
    try await laptop.engine.sendChanges()
    try await laptop.engine.fetchChanges()
    #expect(laptop.notes(in: zone.zoneID) == ["y"])
  }

  @Test func `ZON-13 a zone that goes before its records are fetched is reported at once`()
    async throws
  {
    let fixture = try await SyncEngineFixture()
    let (database, laptop) = (fixture.database, fixture.laptop)
    let zone = CKRecordZone(zoneName: "Other")
    try await database.save(zone)
    laptop.write("first life", to: "x", zone: zone.zoneID)
    try await laptop.engine.sendChanges()
    laptop.onEvent.withLock {
      $0 = { event in
        guard case .fetchedDatabaseChanges(let changes) = event, changes.deletions.isEmpty else {
          return
        }
        _ = try? await database.deleteRecordZone(withID: zone.zoneID)
      }
    }
    try await laptop.engine.fetchChanges()
    laptop.onEvent.withLock { $0 = nil }
    #expect(laptop.notes(in: zone.zoneID) == [])
    // Whoever makes it anew hides that it was gone.
    laptop.engine.state.add(pendingDatabaseChanges: [.saveZone(zone)])
    try await laptop.engine.sendChanges()
    try await laptop.engine.fetchChanges()
    #expect(laptop.notes(in: zone.zoneID) == [])
  }

  @Test func `ZON-14 a zone that goes by a reset before its records are fetched says so`()
    async throws
  {
    let fixture = try await SyncEngineFixture()
    let server = fixture.server
    try await fixture.database.save(CKRecord(recordType: "Note", recordID: NotesApp.id("a")))
    let reasons = Mutex<[CKDatabase.DatabaseChange.Deletion.Reason]>([])
    fixture.laptop.onEvent.withLock {
      $0 = { event in
        guard case .fetchedDatabaseChanges(let changes) = event else { return }
        reasons.withLock { $0 += changes.deletions.map(\.reason) }
        if changes.deletions.isEmpty { try? await server.resetEncryptedData(of: "alice") }
      }
    }
    try await fixture.laptop.engine.fetchChanges()
    #expect(reasons.withLock { $0 } == [.encryptedDataReset])
  }

  @Test func `what others saved in a zone that the engine made is fetched`() async throws {
    let fixture = try await SyncEngineFixture()
    let zone = CKRecordZone(zoneName: "Made here")
    fixture.phone.engine.state.add(pendingDatabaseChanges: [.saveZone(zone)])
    try await fixture.phone.engine.sendChanges()
    let id = CKRecord.ID(recordName: "theirs", zoneID: zone.zoneID)
    try await fixture.database.save(CKRecord(recordType: "Note", recordID: id))
    try await fixture.phone.engine.fetchChanges()
    #expect(fixture.phone.notes.keys.contains("theirs"))
  }

  @Test func `an app that is killed after the deletion was reported gets the new content`()
    async throws
  {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    try await remake(fixture)
    fixture.server.faults.add(
      .error(.networkFailure, on: .fetchZoneChanges).device("laptop").skipping(1))
    _ = try await failure { try await fixture.laptop.engine.fetchChanges() }
    #expect(fixture.laptop.notes.isEmpty)
    let next = try NotesApp(fixture.server.restartedDevice("laptop"), disk: fixture.laptop.disk)
    try await next.engine.fetchChanges()
    #expect(next.notes == ["new": "second life"])
  }
}
