import BrumeKit
import BrumeTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct EngineRemadeZoneTests {
  /// The zone goes and comes again, with one other note in it.
  private func remake(_ world: EngineWorld) async throws {
    try await world.database.deleteRecordZone(withID: NotesApp.zoneID)
    try await world.database.save(CKRecordZone(zoneID: NotesApp.zoneID))
    let note = CKRecord(recordType: "Note", recordID: NotesApp.id("new"))
    note["text"] = "second life"
    try await world.database.save(note)
  }

  @Test func `ZON-16 a zone that was deleted and made again is told as deleted, then fetched`()
    async throws
  {
    let world = try await EngineWorld(notes: ["a", "b"])
    try await remake(world)
    try await world.laptop.engine.fetchChanges()
    #expect(world.laptop.notes == ["new": "second life"])
    let told = world.laptop.events.filter { $0 != "stateUpdate" }
    #expect(
      told == [
        "willFetchChanges", "fetchedDatabaseChanges", "fetchedDatabaseChanges",
        "willFetchRecordZoneChanges", "fetchedRecordZoneChanges", "didFetchRecordZoneChanges",
        "didFetchChanges",
      ])
  }

  @Test func `the deletion of an earlier life is told once`() async throws {
    let world = try await EngineWorld(notes: ["a"])
    try await remake(world)
    try await world.laptop.engine.fetchChanges()
    world.laptop.write("mine", to: "mine")
    world.laptop.forgetEvents()
    try await world.laptop.engine.fetchChanges()
    #expect(!world.laptop.events.contains("fetchedDatabaseChanges"))
    #expect(world.laptop.notes == ["new": "second life", "mine": "mine"])
  }

  @Test func `a zone that was told as deleted is not told so again when it comes back`()
    async throws
  {
    let world = try await EngineWorld(notes: ["a"])
    try await world.database.deleteRecordZone(withID: NotesApp.zoneID)
    try await world.laptop.engine.fetchChanges()
    #expect(world.laptop.notes.isEmpty)
    world.laptop.write("kept for later", to: "draft")
    try await world.database.save(CKRecordZone(zoneID: NotesApp.zoneID))
    world.laptop.forgetEvents()
    try await world.laptop.engine.fetchChanges()
    #expect(world.laptop.notes == ["draft": "kept for later"])
  }

  @Test func `an app that is killed after the deletion was told hears of the new content`()
    async throws
  {
    let world = try await EngineWorld(notes: ["a"])
    try await remake(world)
    world.server.faults.add(
      .error(.networkFailure, on: .fetchZoneChanges).device("laptop").skipping(1))
    _ = try await engineFailure { try await world.laptop.engine.fetchChanges() }
    #expect(world.laptop.notes.isEmpty)
    let next = try NotesApp(world.server.restartedDevice("laptop"), disk: world.laptop.disk)
    try await next.engine.fetchChanges()
    #expect(next.notes == ["new": "second life"])
  }
}
