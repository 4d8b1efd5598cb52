// What a participant's engine reports when a part of what is shared goes, or all of it.

import BrumeKit
import BrumeTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct EngineSharedTests {
  private let server: LocalServer
  private let alice: CKDatabase
  private let bob: NotesApp
  private let share: CKShare

  /// A note and one below it, which alice shares with bob.
  init() async throws {
    server = try await LocalServer()
    let root = CKRecord(recordType: "Note", recordID: NotesApp.id("root"))
    root["text"] = "root"
    share = try await server.share(root, from: "alice", with: "bob")
    alice = try await server.device("alice", of: "alice").privateCloudDatabase
    let child = CKRecord(recordType: "Note", recordID: NotesApp.id("child"))
    child["text"] = "child"
    child.parent = CKRecord.Reference(recordID: root.recordID, action: .none)
    try await alice.save(child)
    bob = try NotesApp(try await server.device("bob", of: "bob"), isShared: true)
    try await bob.engine.fetchChanges()
  }

  @Test func `what leaves a share is gone, and the rest of the zone comes again`() async throws {
    #expect(bob.notes["root"] == "root" && bob.notes["child"] == "child")
    let child = try await alice.record(for: NotesApp.id("child"))
    child.parent = nil
    try await alice.save(child)
    try await bob.engine.fetchChanges()
    #expect(bob.notes["child"] == nil && bob.notes["root"] == "root")
  }

  @Test func `ENG-11 a save that the share does not allow is reported and not sent again`()
    async throws
  {
    let current = try #require(try await alice.record(for: share.recordID) as? CKShare)
    let guest = try #require(current.participants.last)
    guest.permission = .readOnly
    try await alice.save(current)
    let zone = try #require(bob.disk.content.withLock { $0.notes.keys.first?.zoneID })
    let reported = Mutex<[CKRecord.ID: CKError.Code]>([:])
    bob.onEvent.withLock {
      $0 = { event in
        guard case .sentRecordZoneChanges(let sent) = event else { return }
        for failed in sent.failedRecordSaves {
          reported.withLock { $0[failed.record.recordID] = failed.error.code }
        }
      }
    }
    bob.write("not mine", to: "root", zone: zone)
    let error = try await failure { try await bob.engine.sendChanges() }
    let root = NotesApp.id("root", zone: zone)
    #expect(error.failedItems == [root: .permissionFailure])
    #expect(reported.withLock { $0 } == [root: .permissionFailure])
    #expect(bob.pending.isEmpty)
    #expect(try await alice.record(for: NotesApp.id("root"))["text"] == "root")
  }

  @Test func `a share that ends is noticed though the database's token has expired`()
    async throws
  {
    _ = try await alice.deleteRecord(withID: share.recordID)
    server.faults.add(.error(.changeTokenExpired, on: .fetchDatabaseChanges).device("bob"))
    bob.forgetEvents()
    try await bob.engine.fetchChanges()
    #expect(server.faults.waiting == 0)
    #expect(bob.notes.isEmpty)
    try await bob.engine.fetchChanges()
    #expect(bob.events.filter { $0 == "fetchedDatabaseChanges" }.count == 1, "reported once")
  }

  @Test(arguments: [true, false])
  func `a share that ends after records were sent and before the first fetch is noticed:`(
    ends: Bool
  ) async throws {
    let tablet = try NotesApp(try await server.device("tablet", of: "bob"), isShared: true)
    // The app has looked up what it accepted.
    let found = bob.disk.content.withLock { $0.notes }
    tablet.disk.content.withLock { $0.notes = found }
    let zone = try #require(found.keys.first?.zoneID)
    tablet.write("from the tablet", to: "root", zone: zone)
    try await tablet.engine.sendChanges()
    #expect(try await alice.record(for: NotesApp.id("root"))["text"] == "from the tablet")
    if ends { _ = try await alice.deleteRecord(withID: share.recordID) }
    let gone = Mutex<[CKRecordZone.ID]>([])
    tablet.onEvent.withLock {
      $0 = { event in
        guard case .fetchedDatabaseChanges(let changes) = event else { return }
        gone.withLock { $0 += changes.deletions.map(\.zoneID) }
      }
    }
    for _ in 0..<2 { try await tablet.engine.fetchChanges() }
    #expect(gone.withLock { $0 } == (ends ? [zone] : []))
    #expect(tablet.notes["root"] == (ends ? nil : "from the tablet"))
  }
}
