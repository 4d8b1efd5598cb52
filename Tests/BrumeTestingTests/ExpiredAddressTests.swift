// Files whose addresses run out while others are on their way, as on a machine that sleeps amid a transfer.

import BrumeKit
import BrumeTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct ExpiredAddressTests {
  private let server: LocalServer
  private let database: CKDatabase
  private let zone = CKRecordZone.ID(zoneName: "Z")

  init() async throws {
    server = try await LocalServer()
    database = try await server.device("phone", of: "alice").privateCloudDatabase
    try await database.save(CKRecordZone(zoneID: zone))
  }

  /// A record with files of its own in these fields; they stay until `body` returns.
  private func withRecord(
    _ name: String, _ keys: [String], _ body: (CKRecord) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let record = CKRecord(
      recordType: "Photo", recordID: CKRecord.ID(recordName: name, zoneID: zone))
    for key in keys {
      let file = folder.appending(path: key)
      try Data("\(name) \(key) \(UUID())".utf8).write(to: file)
      record[key] = CKAsset(fileURL: file)
    }
    try await body(record)
  }

  @Test func `a file whose address expired while others were fetched comes by a new one`()
    async throws
  {
    for name in ["a", "b"] {
      try await withRecord(name, ["file"]) { _ = try await database.save($0) }
    }
    let laptop = try await server.device("laptop", of: "alice").privateCloudDatabase
    let found = Mutex<[String: Bool]>([:])
    let operation = CKFetchRecordZoneChangesOperation(
      recordZoneIDs: [zone], configurationsByRecordZoneID: nil)
    operation.recordWasChangedBlock = { [clock = server.clock] id, result in
      let file = (try? result.get()["file"] as? CKAsset)?.fileURL
      found.withLock { $0[id.recordName] = file != nil }
      clock.advance(by: .seconds(5 * 3600))
    }
    try await withCheckedThrowingContinuation { ended in
      operation.fetchRecordZoneChangesResultBlock = { ended.resume(with: $0) }
      laptop.add(operation)
    }
    #expect(found.withLock { $0 } == ["a": true, "b": true])
  }

  /// Nobody has accepted the shares: their roots are in no database of the one who looks.
  @Test func `so does a file of the record behind the URL of a share`() async throws {
    var urls: [URL] = []
    for name in ["a", "b"] {
      try await withRecord(name, ["file"]) { record in
        let share = CKShare(rootRecord: record)
        share.publicPermission = .readOnly
        let saved = try await database.modifyRecords(saving: [record, share], deleting: [])
        let shared = try saved.saveResults[share.recordID]?.get() as? CKShare
        urls.append(try #require(shared?.url))
      }
    }
    let found = Mutex<[Bool]>([])
    let operation = CKFetchShareMetadataOperation(shareURLs: urls)
    operation.shouldFetchRootRecord = true
    operation.perShareMetadataResultBlock = { [clock = server.clock] _, result in
      let file = (try? result.get().rootRecord?["file"] as? CKAsset)?.fileURL
      found.withLock { $0.append(file != nil) }
      clock.advance(by: .seconds(5 * 3600))
    }
    let tablet = try await server.device("tablet", of: "bob")
    try await withCheckedThrowingContinuation { ended in
      operation.fetchShareMetadataResultBlock = { ended.resume(with: $0) }
      tablet.add(operation)
    }
    #expect(found.withLock { $0 } == [true, true])
  }

  @Test func `a file whose address expired while another one was sent goes to a new one`()
    async throws
  {
    try await withRecord("a", ["one", "two"]) { record in
      let operation = CKModifyRecordsOperation(recordsToSave: [record], recordIDsToDelete: nil)
      try await save(operation, waiting: .seconds(16 * 60), amid: "a")
    }
  }

  @Test func `a record is saved with files that went more than an hour before those of another`()
    async throws
  {
    try await withRecord("a", ["one", "two"]) { first in
      try await withRecord("b", ["one", "two"]) { second in
        let operation = CKModifyRecordsOperation(
          recordsToSave: [first, second], recordIDsToDelete: nil)
        try await save(operation, waiting: .seconds(61 * 60), amid: "b")
      }
    }
  }

  /// Saves records, and has the time go by once, amid the files of one.
  private func save(
    _ operation: CKModifyRecordsOperation, waiting time: Duration, amid name: String
  ) async throws {
    let waited = Mutex(false)
    operation.perRecordProgressBlock = { [clock = server.clock] record, part in
      guard record.recordID.recordName == name, part < 1 else { return }
      if waited.withLock({ exchange(&$0, with: true) }) { return }
      clock.advance(by: time)
    }
    let failures = Mutex<[String: CKError.Code]>([:])
    operation.perRecordSaveBlock = { id, result in
      guard case .failure(let error as CKError) = result else { return }
      failures.withLock { $0[id.recordName] = error.code }
    }
    try await withCheckedThrowingContinuation { ended in
      operation.modifyRecordsResultBlock = { ended.resume(with: $0) }
      database.add(operation)
    }
    #expect(waited.withLock { $0 } && failures.withLock { $0 } == [:])
    for record in operation.recordsToSave ?? [] {
      let found = try await database.record(for: record.recordID)
      #expect(["one", "two"].allSatisfy { found[$0] is CKAsset })
    }
  }
}
