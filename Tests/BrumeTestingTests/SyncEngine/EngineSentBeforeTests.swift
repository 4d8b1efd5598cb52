// An app that has sent records to a zone of which it has fetched nothing: its first fetch says which of them are gone.

import BrumeKit
import BrumeTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct EngineSentBeforeTests {
  @Test(arguments: [false, true])
  func `a record that was sent before the first fetch, and changes between its pages, is there`(
    isKilled: Bool
  ) async throws {
    let fixture = try await SyncEngineFixture(smallLimits: true)
    let server = fixture.server
    let tablet = try NotesApp(try await server.device("tablet", of: "alice"))
    for number in 0..<15 { fixture.laptop.write("old", to: "n\(number)") }
    try await fixture.laptop.engine.sendChanges()
    tablet.write("mine", to: "x")
    try await tablet.send()
    let database = fixture.database
    let deletions = Mutex<[CKRecord.ID]>([])
    let change: @Sendable (CKSyncEngine.Event) async throws -> Void = { event in
      guard case .fetchedRecordZoneChanges(let page) = event else { return }
      deletions.withLock { $0 += page.deletions.map(\.recordID) }
      guard page.modifications.count == 10 else { return }
      let record = try await database.record(for: NotesApp.id("x"))
      record["text"] = "theirs"
      try await database.save(record)
    }
    let note: @Sendable (CKSyncEngine.Event) async -> Void = { event in
      do { try await change(event) } catch { Issue.record(error) }
    }
    tablet.onEvent.withLock { $0 = note }
    if isKilled {
      server.faults.add(
        .error(.networkFailure, on: .fetchZoneChanges).device("tablet").skipping(1))
      _ = try await failure { try await tablet.engine.fetchChanges() }
      let next = try NotesApp(server.restartedDevice("tablet"), disk: tablet.disk.found)
      next.onEvent.withLock { $0 = note }
      try await next.engine.fetchChanges()
      #expect(next.notes["x"] == "theirs" && next.notes.count == 16)
    } else {
      try await tablet.engine.fetchChanges()
      #expect(tablet.notes["x"] == "theirs" && tablet.notes.count == 16)
    }
    #expect(deletions.withLock { $0 } == [])
  }
}
