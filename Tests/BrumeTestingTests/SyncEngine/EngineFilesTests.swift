// Batches whose records have more files than the server keeps without a record.

import BrumeKit
import BrumeTesting
import Foundation
import Synchronization
import Testing

/// An app whose records have a photo and a thumbnail.
private final class PhotoApp: CKSyncEngineDelegate {
  private let file: URL
  private let made = Mutex<CKSyncEngine?>(nil)
  /// The records that were saved, and why others were not.
  let saved = Mutex<[String]>([])
  let failures = Mutex<[CKError.Code]>([])
  /// How often answers were reported.
  let reports = Mutex(0)

  init(_ file: URL) { self.file = file }

  func makeEngine(_ database: CKDatabase) -> CKSyncEngine {
    let engine = CKSyncEngine(whenAsked: database, self)
    made.withLock { $0 = engine }
    return engine
  }

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    guard case .sentRecordZoneChanges(let sent) = event else { return }
    reports.withLock { $0 += 1 }
    saved.withLock { $0 += sent.savedRecords.map(\.recordID.recordName) }
    failures.withLock { $0 += sent.failedRecordSaves.map(\.error.code) }
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    let file = file
    return await CKSyncEngine.RecordZoneChangeBatch(
      pendingChanges: syncEngine.state.pendingRecordZoneChanges
    ) { id in
      let record = CKRecord(recordType: "Photo", recordID: id)
      for key in ["photo", "thumbnail"] { record[key] = CKAsset(fileURL: file) }
      return record
    }
  }
}

@Suite(.timeLimit(.minutes(10))) struct EngineFilesTests {
  @Test func `a batch of more files than the server keeps without records is saved in one event`()
    async throws
  {
    let file = FileManager.default.temporaryDirectory.appending(path: "photo-\(UUID().uuidString)")
    try Data("photo".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let server = try await LocalServer()
    let database = try await server.device("phone", of: "alice").privateCloudDatabase
    try await database.save(CKRecordZone(zoneID: NotesApp.zoneID))
    let app = PhotoApp(file)
    let engine = app.makeEngine(database)
    // Of 400 uploads the server knows without a record.
    let ids = (0..<201).map { NotesApp.id("photo \($0)") }
    engine.state.add(pendingRecordZoneChanges: ids.map { .saveRecord($0) })
    try await engine.sendChanges()
    #expect(app.failures.withLock { $0 } == [])
    #expect(Set(app.saved.withLock { $0 }) == Set(ids.map(\.recordName)))
    #expect(app.reports.withLock { $0 } == 1)
  }
}
