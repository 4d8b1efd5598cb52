// What an engine does about failures that do not pass: nothing of the app's waits behind them, and
// nothing of the server's is skipped.

import BrumeKit
import BrumeTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct EngineFailureTests {
  private let other = CKRecordZone(zoneName: "Other")

  /// The changed records that are reported to an app.
  private final class ReportedSaves: Sendable {
    private let records = Mutex<[String: Bool]>([:])

    init(_ app: NotesApp) {
      app.onEvent.withLock {
        $0 = { [weak self] event in
          guard case .fetchedRecordZoneChanges(let changes) = event else { return }
          for record in changes.modifications.map(\.record) {
            let hasFile = (record["file"] as? CKAsset)?.fileURL != nil
            self?.records.withLock { $0[record.recordID.recordName] = hasFile }
          }
        }
      }
    }

    /// Names, and whether the record came with a file.
    var all: [String: Bool] { records.withLock { $0 } }
  }

  @Test(arguments: [CKError.Code.incompatibleVersion, .badContainer, .internalError])
  func `zone changes that fail as a whole are reported, and records do not wait for them`(
    code: CKError.Code
  ) async throws {
    let fixture = try await SyncEngineFixture()
    let failed = Mutex<[CKError.Code]>([])
    fixture.phone.onEvent.withLock {
      $0 = { event in
        guard case .sentDatabaseChanges(let sent) = event else { return }
        failed.withLock { $0 += sent.failedZoneSaves.map(\.error.code) }
      }
    }
    fixture.phone.engine.state.add(pendingDatabaseChanges: [.saveZone(other)])
    fixture.phone.write("x", to: "a")
    fixture.server.faults.add(.error(code, on: .saveZones))
    let error = try await failure { try await fixture.phone.engine.sendChanges() }
    #expect(error.code == .partialFailure)
    #expect((error.partialErrorsByItemID?[other.zoneID] as? CKError)?.code == code)
    #expect(failed.withLock { $0 } == [code])
    #expect(fixture.phone.engine.state.pendingDatabaseChanges.isEmpty)
    #expect(try await fixture.stored() == ["a": "x"])
  }

  @Test func `zone changes that fail for a while stay pending, and so do the records`()
    async throws
  {
    let fixture = try await SyncEngineFixture()
    fixture.phone.engine.state.add(pendingDatabaseChanges: [.saveZone(other)])
    fixture.phone.write("x", to: "a")
    fixture.server.faults.add(.throttled(retryAfter: 3, on: .saveZones))
    let error = try await failure { try await fixture.phone.engine.sendChanges() }
    #expect(error.code == .requestRateLimited)
    #expect(!fixture.phone.events.contains("sentDatabaseChanges"))
    #expect(fixture.phone.engine.state.pendingDatabaseChanges == [.saveZone(other)])
    try await fixture.phone.engine.sendChanges()
    #expect(fixture.phone.engine.state.pendingDatabaseChanges.isEmpty)
    #expect(try await fixture.stored() == ["a": "x"])
  }

  @Test(arguments: [CKError.Code.internalError, .permissionFailure, .limitExceeded])
  func `a zone that could not be fetched is fetched next time from where it was`(
    code: CKError.Code
  ) async throws {
    let fixture = try await SyncEngineFixture(notes: ["a", "b"])
    fixture.phone.write("x", to: "a")
    fixture.phone.delete("b")
    try await fixture.phone.engine.sendChanges()
    fixture.server.faults.add(.error(code, on: .fetchZoneChanges))
    try await fixture.laptop.engine.fetchChanges()
    #expect(fixture.server.faults.waiting == 0)
    #expect(fixture.laptop.notes == ["a": "a", "b": "b"])
    #expect(fixture.laptop.engine.state.zoneIDsWithUnfetchedServerChanges == [NotesApp.zoneID])
    try await fixture.laptop.engine.fetchChanges()
    #expect(fixture.laptop.notes == ["a": "x"], "the deletion too, which a new beginning lacks")
    #expect(fixture.laptop.engine.state.zoneIDsWithUnfetchedServerChanges.isEmpty)
  }

  @Test func `CHG-11 a file that cannot be fetched now holds its zone back until it can`()
    async throws
  {
    let fixture = try await SyncEngineFixture()
    try await saveWithFile("a", in: fixture.database)
    let reported = ReportedSaves(fixture.laptop)
    fixture.server.faults.add(.error(.networkFailure, on: .fetchAssets))
    let error = try await failure { try await fixture.laptop.engine.fetchChanges() }
    #expect(error.code == .networkFailure)
    #expect(reported.all.isEmpty)
    try await fixture.laptop.engine.fetchChanges()
    #expect(reported.all == ["a": true])
  }

  /// The record is asked for once more, for another address.
  @Test func `CHG-11 a file that is refused under its address holds its zone back until it comes`()
    async throws
  {
    let fixture = try await SyncEngineFixture()
    try await saveWithFile("a", in: fixture.database)
    try await saveWithFile("b", in: fixture.database)
    let reported = ReportedSaves(fixture.laptop)
    fixture.server.faults.add(.error(.permissionFailure, on: .fetchAssets).times(2))
    let error = try await failure { try await fixture.laptop.engine.fetchChanges() }
    #expect(error.code == .serverResponseLost)
    #expect(reported.all.isEmpty && fixture.server.faults.waiting == 0)
    try await fixture.laptop.engine.fetchChanges()
    #expect(reported.all == ["a": true, "b": true])
  }

  @Test func `CHG-11 a zone that is held back keeps no other zone waiting`() async throws {
    let fixture = try await SyncEngineFixture()
    try await fixture.database.save(other)
    try await saveWithFile("a", in: fixture.database)
    let id = NotesApp.id("o", zone: other.zoneID)
    try await fixture.database.save(CKRecord(recordType: "Note", recordID: id))
    fixture.laptop.priority.withLock { $0 = [NotesApp.zoneID] }
    fixture.server.faults.add(.error(.networkFailure, on: .fetchAssets))
    let error = try await failure { try await fixture.laptop.engine.fetchChanges() }
    #expect(error.code == .networkFailure)
    #expect(fixture.laptop.notes(in: NotesApp.zoneID).isEmpty)
    #expect(fixture.laptop.notes(in: other.zoneID) == ["o"])
    try await fixture.laptop.engine.fetchChanges()
    #expect(fixture.laptop.notes(in: NotesApp.zoneID) == ["a"])
  }

  @Test func `an engine that gets no subscription fetches all the same`() async throws {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    fixture.server.faults.add(.error(.permissionFailure, on: .saveSubscriptions).always)
    let tablet = try NotesApp(
      try await fixture.server.device("tablet", of: "alice"), automatically: true)
    try await tablet.until { tablet.notes == ["a": "a"] }
  }

  @Test func `FET-10 a record whose file is gone comes without it`() async throws {
    let fixture = try await SyncEngineFixture()
    try await saveWithFile("a", in: fixture.database)
    try await saveWithFile("b", in: fixture.database)
    let reported = ReportedSaves(fixture.laptop)
    fixture.server.faults.add(.error(.assetNotAvailable, on: .fetchAssets))
    try await fixture.laptop.engine.fetchChanges()
    #expect(reported.all == ["a": false, "b": true])
  }

  private func saveWithFile(_ name: String, in database: CKDatabase) async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data("\(name) \(UUID())".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let record = CKRecord(recordType: "Photo", recordID: NotesApp.id(name))
    record["file"] = CKAsset(fileURL: file)
    try await database.save(record)
  }
}
