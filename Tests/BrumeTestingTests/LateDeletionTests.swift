// A long-lived operation that is run again almost a day later: it saves record "a" and deletes record "b", which
// somebody has made since; or it leaves a share.

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
    of operation: CKModifyRecordsOperation, in database: CKDatabase
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
      database.add(operation)
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
    let later = try #require(found as? CKModifyRecordsOperation)
    return await failures(of: later, in: try #require(later.database))
  }

  @Test(arguments: [true, false])
  func `where it was never done, the record made since stays, with the server's word for it`(
    isAtomic: Bool
  ) async throws {
    let (server, phone, laptop) = try await devices()
    server.faults.add(.error(.internalError, on: .saveRecords))
    let operation = operation(isAtomic: isAtomic)
    #expect(await failures(of: operation, in: phone.privateCloudDatabase).isEmpty == false)
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

  @Test(arguments: [true, false])
  func `a participant leaves a share late, but not one that he has left and joined again since`(
    joinsAgain: Bool
  ) async throws {
    let server = try await LocalServer()
    let phone = try await server.device("phone", of: "bob", stateDirectory: folder.path)
    let tablet = try await server.device("tablet", of: "bob")
    let share = try await sharedByAlice(on: server)
    let url = try #require(share.url)
    _ = try await tablet.accept(try await tablet.shareMetadata(for: url))
    server.clock.advance(by: .seconds(7_200))
    let shared = try #require(try await tablet.sharedCloudDatabase.allRecordZones().first)
    let id = CKRecord.ID(recordName: share.recordID.recordName, zoneID: shared.zoneID)

    server.faults.add(.error(.internalError, on: .deleteRecords))
    let operation = CKModifyRecordsOperation(recordIDsToDelete: [id])
    operation.configuration.isLongLived = true
    #expect(await failures(of: operation, in: phone.sharedCloudDatabase).isEmpty == false)
    if joinsAgain {
      _ = try await tablet.sharedCloudDatabase.deleteRecord(withID: id)
      _ = try await tablet.accept(try await tablet.shareMetadata(for: url))
    }
    let failures = try await failuresLater(of: operation, on: server)
    #expect(failures[id.recordName]?.code == (joinsAgain ? .serverRecordChanged : nil))
    #expect(try await tablet.sharedCloudDatabase.allRecordZones().isEmpty == !joinsAgain)
  }

  /// A share of alice's that everybody may join who has its address.
  private func sharedByAlice(on server: LocalServer) async throws -> CKShare {
    let database = try await server.device("alice", of: "alice").privateCloudDatabase
    try await database.save(CKRecordZone(zoneID: zone))
    let root = record("a")
    let share = CKShare(rootRecord: root)
    share.publicPermission = .readWrite
    let results = try await database.modifyRecords(saving: [root, share], deleting: [])
    return try #require(try results.saveResults[share.recordID]?.get() as? CKShare)
  }
}
