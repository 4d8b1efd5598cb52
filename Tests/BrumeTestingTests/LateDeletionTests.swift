// A long-lived operation that is run again almost a day later: it saves record "a" and deletes record "b", which
// somebody has made since.

import BrumeKit
import BrumeTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) final class LateDeletionTests {
  private let zone = CKRecordZone.ID(zoneName: "Z")
  private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func record(_ name: String) -> CKRecord {
    CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zone))
  }

  private func operation(isAtomic: Bool) -> CKModifyRecordsOperation {
    let operation = CKModifyRecordsOperation(
      recordsToSave: [record("a")], recordIDsToDelete: [record("b").recordID])
    operation.configuration.isLongLived = true
    operation.isAtomic = isAtomic
    return operation
  }

  /// A server with alice's phone, and the database of her laptop with the zone.
  private func devices() async throws -> (LocalServer, phone: CKContainer, laptop: CKDatabase) {
    let server = try await LocalServer()
    let phone = try await server.device("phone", of: "alice", stateDirectory: folder.path)
    let laptop = try await server.device("laptop", of: "alice").privateCloudDatabase
    try await laptop.save(CKRecordZone(zoneID: zone))
    return (server, phone, laptop)
  }

  /// Runs an operation. Answers what failed: records by name, or "operation".
  private func failures(
    of operation: CKModifyRecordsOperation, in container: CKContainer
  ) async -> [String: CKError] {
    await withCheckedContinuation { done in
      operation.modifyRecordsCompletionBlock = { _, _, error in
        var failures: [String: CKError] = [:]
        let items = (error as? CKError)?.partialErrorsByItemID
        for (id, error) in items ?? [:] {
          failures[(id as? CKRecord.ID)?.recordName ?? "?"] = error as? CKError
        }
        if items == nil { failures["operation"] = error as? CKError }
        done.resume(returning: failures)
      }
      container.privateCloudDatabase.add(operation)
    }
  }

  /// Runs it again, in another process.
  private func failuresLater(
    of operation: CKModifyRecordsOperation, on server: LocalServer
  ) async throws -> [String: CKError] {
    // 23 hours and a little.
    server.clock.advance(by: .seconds(82_900))
    let phone = try server.restartedDevice("phone")
    let found = try await phone.longLivedOperation(for: operation.operationID)
    return await failures(of: try #require(found as? CKModifyRecordsOperation), in: phone)
  }

  @Test(arguments: [true, false])
  func `where it was never done, the record made since stays, with the server's word for it`(
    isAtomic: Bool
  ) async throws {
    let (server, phone, laptop) = try await devices()
    server.faults.add(.error(.internalError, on: .saveRecords))
    let operation = operation(isAtomic: isAtomic)
    #expect(await failures(of: operation, in: phone).isEmpty == false)
    let made = try await laptop.save(record("b"))
    let failures = try await failuresLater(of: operation, on: server)
    #expect(failures["b"]?.code == .serverRecordChanged)
    #expect(failures["b"]?.serverRecord?.recordChangeTag == made.recordChangeTag)
    #expect(failures["a"]?.code == (isAtomic ? CKError.Code.batchRequestFailed : nil))
    #expect(failures["a"]?.localizedDescription.contains("malformed") != true)
    let there = try await laptop.records(for: [record("a").recordID, record("b").recordID])
    let names = there.filter { (try? $0.value.get()) != nil }.map(\.key.recordName).sorted()
    #expect(names == (isAtomic ? ["b"] : ["a", "b"]))
  }
}
