// What the events of a send say: which zones and records went, which did not, and why.

import BrumeKit
import BrumeTesting
import Foundation
import Synchronization
import Testing

/// The sent events of an app.
private final class Sent: Sendable {
  private let zones = Mutex<[CKSyncEngine.Event.SentDatabaseChanges]>([])
  private let records = Mutex<[CKSyncEngine.Event.SentRecordZoneChanges]>([])

  init(of app: NotesApp) {
    app.onEvent.withLock {
      $0 = { [weak self] event in
        switch event {
        case .sentDatabaseChanges(let sent): self?.zones.withLock { $0.append(sent) }
        case .sentRecordZoneChanges(let sent): self?.records.withLock { $0.append(sent) }
        default: break
        }
      }
    }
  }

  func lastZones() throws -> CKSyncEngine.Event.SentDatabaseChanges {
    try #require(zones.withLock { $0.last })
  }
  func lastRecords() throws -> CKSyncEngine.Event.SentRecordZoneChanges {
    try #require(records.withLock { $0.last })
  }
}

@Suite(.timeLimit(.minutes(10))) struct EngineSentEventTests {
  private static let other = CKRecordZone.ID(zoneName: "Other")

  @Test func `zones that were saved and deleted are reported by name`() async throws {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    let sent = Sent(of: fixture.phone)
    let state = fixture.phone.engine.state
    state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.other))])
    try await fixture.phone.engine.sendChanges()
    let saved = try sent.lastZones()
    #expect(saved.savedZones.map(\.zoneID) == [Self.other])
    #expect(saved.savedZones.first?.capabilities.contains(.fetchChanges) == true)
    #expect(saved.deletedZoneIDs.isEmpty && saved.failedZoneSaves.isEmpty)
    state.add(pendingDatabaseChanges: [.deleteZone(Self.other)])
    try await fixture.phone.engine.sendChanges()
    let deleted = try sent.lastZones()
    #expect(deleted.deletedZoneIDs == [Self.other] && deleted.savedZones.isEmpty)
    #expect(deleted.failedZoneDeletes.isEmpty && state.pendingDatabaseChanges.isEmpty)
  }

  @Test func `more zones than a request takes go in pieces, each with an event of its own`()
    async throws
  {
    let fixture = try await SyncEngineFixture()
    let sizes = Mutex<[Int]>([])
    fixture.phone.onEvent.withLock {
      $0 = { event in
        guard case .sentDatabaseChanges(let sent) = event else { return }
        sizes.withLock { $0.append(sent.savedZones.count) }
      }
    }
    let state = fixture.phone.engine.state
    state.add(
      pendingDatabaseChanges: (0..<401).map { .saveZone(CKRecordZone(zoneName: "Zone\($0)")) })
    try await fixture.phone.engine.sendChanges()
    #expect(sizes.withLock { $0 } == [200, 200, 1])
    #expect(state.pendingDatabaseChanges.isEmpty)
    let zones = try await fixture.database.allRecordZones()
    #expect(zones.filter { $0.zoneID.zoneName.hasPrefix("Zone") }.count == 401)
  }

  @Test func `zones that could not be saved or deleted are reported with the reason`() async throws
  {
    let fixture = try await SyncEngineFixture()
    let sent = Sent(of: fixture.phone)
    let bad = CKRecordZone.ID(zoneName: "_bad")
    let state = fixture.phone.engine.state
    state.add(pendingDatabaseChanges: [
      .saveZone(CKRecordZone(zoneID: bad)), .saveZone(CKRecordZone(zoneID: Self.other)),
      .deleteZone(CKRecordZone.ID(zoneName: "Nowhere")),
    ])
    let error = try await failure { try await fixture.phone.engine.sendChanges() }
    #expect(error.code == .partialFailure)
    let reported = try sent.lastZones()
    #expect(reported.savedZones.map(\.zoneID) == [Self.other])
    #expect(reported.failedZoneSaves.map(\.zone.zoneID) == [bad])
    #expect(reported.failedZoneSaves.map(\.error.code) == [.invalidArguments])
    #expect(
      reported.failedZoneDeletes.mapValues(\.code)
        == [CKRecordZone.ID(zoneName: "Nowhere"): .zoneNotFound])
  }

  @Test func `records that were deleted are reported, and those that could not be with the reason`()
    async throws
  {
    let fixture = try await SyncEngineFixture(notes: ["a", "b"])
    let sent = Sent(of: fixture.phone)
    fixture.phone.delete("a")
    fixture.phone.delete("x", zone: Self.other)
    _ = try? await fixture.phone.engine.sendChanges()
    // Zones are sent one after the other, each with an event of its own.
    fixture.phone.delete("b")
    _ = try? await fixture.phone.engine.sendChanges()
    #expect(try await fixture.stored().isEmpty)
    let reported = try sent.lastRecords()
    #expect(reported.deletedRecordIDs == [NotesApp.id("b")])
    fixture.phone.delete("x", zone: Self.other)
    let error = try await failure { try await fixture.phone.engine.sendChanges() }
    #expect(error.code == .partialFailure)
    let failed = try sent.lastRecords()
    #expect(failed.deletedRecordIDs.isEmpty && failed.savedRecords.isEmpty)
    #expect(
      failed.failedRecordDeletes.mapValues(\.code)
        == [NotesApp.id("x", zone: Self.other): .zoneNotFound])
  }

  @Test func `what is taken back before it was sent is not sent`() async throws {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    let state = fixture.phone.engine.state
    fixture.phone.write("new", to: "b")
    fixture.phone.delete("a")
    state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.other))])
    state.remove(pendingRecordZoneChanges: [
      .saveRecord(NotesApp.id("b")), .saveRecord(NotesApp.id("a")),
    ])
    #expect(state.pendingRecordZoneChanges == [.deleteRecord(NotesApp.id("a"))])
    state.remove(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.other))])
    try await fixture.phone.engine.sendChanges()
    #expect(try await fixture.stored().isEmpty)
    #expect(try await fixture.database.allRecordZones().allSatisfy { $0.zoneID != Self.other })
  }

  @Test func `the group that the app names is the one of the operations, and of each batch`()
    async throws
  {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    let group = CKOperationGroup()
    group.name = "the user leaves the screen"
    group.quantity = 2
    group.expectedSendSize = .kilobytes
    let batches = Mutex<[String]>([])
    let app = GroupApp(fixture.database) { group in batches.withLock { $0.append(group) } }
    app.engine.state.add(pendingRecordZoneChanges: [.deleteRecord(NotesApp.id("a"))])
    try await app.engine.sendChanges(.init(scope: .all, operationGroup: group))
    try await app.engine.fetchChanges(.init(scope: .all, operationGroup: group))
    #expect(batches.withLock { $0 }.allSatisfy { $0 == group.operationGroupID })
    #expect(batches.withLock { $0 }.count >= 2)
    let own = CKSyncEngine.SendChangesOptions()
    #expect(own.operationGroup.operationGroupID != group.operationGroupID)
    #expect(
      CKSyncEngine.FetchChangesOptions().operationGroup.operationGroupID != group.operationGroupID)
  }
}

/// An app that looks at the groups of what its engine does.
private final class GroupApp: CKSyncEngineDelegate {
  private let seen: @Sendable (String) -> Void
  private let made = Mutex<CKSyncEngine?>(nil)
  var engine: CKSyncEngine {
    guard let engine = made.withLock({ $0 }) else { preconditionFailure("made in init") }
    return engine
  }

  init(_ database: CKDatabase, _ seen: @escaping @Sendable (String) -> Void) {
    self.seen = seen
    made.withLock { $0 = CKSyncEngine(whenAsked: database, self) }
  }

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {}

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    seen(context.options.operationGroup.operationGroupID)
    return await CKSyncEngine.RecordZoneChangeBatch(
      pendingChanges: syncEngine.state.pendingRecordZoneChanges
    ) { _ in nil }
  }

  func nextFetchChangesOptions(
    _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.FetchChangesOptions {
    seen(context.options.operationGroup.operationGroupID)
    return context.options
  }
}
