// Accounts that are not there or cannot be used: ACC-01, ACC-02, ACC-03, ACC-08.

import BrumeKit
import BrumeTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct AccountCaseTests {
  private let zone = CKRecordZone.ID(zoneName: "Z")

  /// A phone whose calls all fail with an error.
  private func phone(_ code: CKError.Code) async throws -> (LocalServer, CKContainer) {
    let server = try await LocalServer()
    let phone = try await server.device("phone", of: "alice")
    try await phone.privateCloudDatabase.save(CKRecordZone(zoneID: zone))
    server.faults.add(LocalServer.Fault.error(code).always)
    return (server, phone)
  }

  /// The code of each kind of call.
  private func codes(_ database: CKDatabase) async -> [CKError.Code?] {
    func code(_ call: () async throws -> Void) async -> CKError.Code? {
      do { try await call() } catch { return (error as? CKError)?.code }
      return nil
    }
    let record = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: "a", zoneID: zone))
    return [
      await code { _ = try await database.record(for: record.recordID) },
      await code { _ = try await database.records(for: [record.recordID]) },
      await code { _ = try await database.modifyRecords(saving: [record], deleting: []) },
      await code {
        _ = try await database.modifyRecordZones(saving: [], deleting: [self.zone])
      },
    ]
  }

  @Test(arguments: [
    (CKError.Code.accountTemporarilyUnavailable, CKAccountStatus.temporarilyUnavailable),
    (.managedAccountRestricted, .restricted), (.notAuthenticated, .noAccount),
  ])
  func `ACC-02 ACC-03 ACC-08 every call reports what keeps the account from being used`(
    code: CKError.Code, status: CKAccountStatus
  ) async throws {
    let (server, phone) = try await phone(code)
    #expect(await codes(phone.privateCloudDatabase) == [code, code, code, code])
    #expect(try await phone.accountStatus() == status)
    server.faults.clear()
    #expect(try await phone.accountStatus() == .available)
  }

  @Test func `ACC-01 no call of the private or the shared database works without an account`()
    async throws
  {
    let server = try await LocalServer()
    let phone = try await server.device("phone", of: nil)
    for database in [phone.privateCloudDatabase, phone.sharedCloudDatabase] {
      let codes = await codes(database)
      #expect(codes == Array(repeating: .notAuthenticated, count: codes.count))
    }
    #expect(try await phone.accountStatus() == .noAccount)
  }

  @Test func `ACC-01 while the state of the account is not known, calls fail`() async throws {
    let (_, phone) = try await phone(.networkUnavailable)
    #expect(
      await codes(phone.privateCloudDatabase) == Array(repeating: .networkUnavailable, count: 4))
    let status = await withCheckedContinuation { done in
      phone.accountStatus { status, error in
        done.resume(returning: (status, (error as? CKError)?.code))
      }
    }
    #expect(status == (.couldNotDetermine, .networkUnavailable))
  }

  @Test func `ACC-02 an engine keeps what is pending until the account is ready`() async throws {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    let fault = LocalServer.Fault.error(.accountTemporarilyUnavailable).device("phone").always
    fixture.server.faults.add(fault)
    fixture.phone.write("x", to: "a")
    let error = try await failure { try await fixture.phone.sync() }
    #expect(error.code == .accountTemporarilyUnavailable)
    #expect(fixture.phone.notes == ["a": "x"])
    #expect(fixture.phone.pending == [.saveRecord(NotesApp.id("a"))])
    fixture.server.faults.clear()
    try await fixture.phone.sync()
    #expect(try await fixture.stored() == ["a": "x"])
  }
}
