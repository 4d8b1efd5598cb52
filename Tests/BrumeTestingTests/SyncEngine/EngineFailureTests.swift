// What an engine does about failures that do not pass: nothing of the app's waits behind them, and
// nothing of the server's is skipped.

import BrumeKit
import BrumeTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct EngineFailureTests {
  private let other = CKRecordZone(zoneName: "Other")

  /// The changed records that an app is told.
  private final class Told: Sendable {
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
  func `zone changes that fail as a whole are told, and records do not wait for them`(
    code: CKError.Code
  ) async throws {
    let world = try await EngineWorld()
    let failed = Mutex<[CKError.Code]>([])
    world.phone.onEvent.withLock {
      $0 = { event in
        guard case .sentDatabaseChanges(let sent) = event else { return }
        failed.withLock { $0 += sent.failedZoneSaves.map(\.error.code) }
      }
    }
    world.phone.engine.state.add(pendingDatabaseChanges: [.saveZone(other)])
    world.phone.write("x", to: "a")
    world.server.faults.add(.error(code, on: .saveZones))
    let error = try await engineFailure { try await world.phone.engine.sendChanges() }
    #expect(error.code == .partialFailure)
    #expect((error.partialErrorsByItemID?[other.zoneID] as? CKError)?.code == code)
    #expect(failed.withLock { $0 } == [code])
    #expect(world.phone.engine.state.pendingDatabaseChanges.isEmpty)
    #expect(try await world.stored() == ["a": "x"])
  }

  @Test func `zone changes that fail for a while stay pending, and so do the records`()
    async throws
  {
    let world = try await EngineWorld()
    world.phone.engine.state.add(pendingDatabaseChanges: [.saveZone(other)])
    world.phone.write("x", to: "a")
    world.server.faults.add(.throttled(retryAfter: 3, on: .saveZones))
    let error = try await engineFailure { try await world.phone.engine.sendChanges() }
    #expect(error.code == .requestRateLimited)
    #expect(!world.phone.events.contains("sentDatabaseChanges"))
    #expect(world.phone.engine.state.pendingDatabaseChanges == [.saveZone(other)])
    try await world.phone.engine.sendChanges()
    #expect(world.phone.engine.state.pendingDatabaseChanges.isEmpty)
    #expect(try await world.stored() == ["a": "x"])
  }

  @Test(arguments: [CKError.Code.internalError, .permissionFailure, .limitExceeded])
  func `a zone that could not be fetched is fetched next time from where it was`(
    code: CKError.Code
  ) async throws {
    let world = try await EngineWorld(notes: ["a", "b"])
    world.phone.write("x", to: "a")
    world.phone.delete("b")
    try await world.phone.engine.sendChanges()
    world.server.faults.add(.error(code, on: .fetchZoneChanges))
    try await world.laptop.engine.fetchChanges()
    #expect(world.server.faults.waiting == 0)
    #expect(world.laptop.notes == ["a": "a", "b": "b"])
    #expect(world.laptop.engine.state.zoneIDsWithUnfetchedServerChanges == [NotesApp.zoneID])
    try await world.laptop.engine.fetchChanges()
    #expect(world.laptop.notes == ["a": "x"], "the deletion too, which a new beginning lacks")
    #expect(world.laptop.engine.state.zoneIDsWithUnfetchedServerChanges.isEmpty)
  }

  @Test func `CHG-11 a file that cannot be fetched now holds its zone back until it can`()
    async throws
  {
    let world = try await EngineWorld()
    try await saveWithFile("a", in: world.database)
    let told = Told(world.laptop)
    world.server.faults.add(.error(.networkFailure, on: .fetchAssets))
    let error = try await engineFailure { try await world.laptop.engine.fetchChanges() }
    #expect(error.code == .networkFailure)
    #expect(told.all.isEmpty)
    try await world.laptop.engine.fetchChanges()
    #expect(told.all == ["a": true])
  }

  @Test func `FET-10 a record whose file is gone comes without it`() async throws {
    let world = try await EngineWorld()
    try await saveWithFile("a", in: world.database)
    try await saveWithFile("b", in: world.database)
    let told = Told(world.laptop)
    world.server.faults.add(.error(.assetNotAvailable, on: .fetchAssets))
    try await world.laptop.engine.fetchChanges()
    #expect(told.all == ["a": false, "b": true])
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
