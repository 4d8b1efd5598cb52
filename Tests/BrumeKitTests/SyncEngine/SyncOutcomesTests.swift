import Foundation
import Testing

@testable import BrumeKit

@Suite struct SyncOutcomesTests {
  @Test func `ZON-05 a zone that was to be deleted and is gone already is gone`() {
    let answers: [CKRecordZone.ID: Result<Void, any Error>] = [
      CKRecordZone.ID(zoneName: "Deleted"): .success(()),
      CKRecordZone.ID(zoneName: "Gone"): .failure(CKError(.zoneNotFound)),
      CKRecordZone.ID(zoneName: "Purged"): .failure(CKError(.userDeletedZone)),
      CKRecordZone.ID(zoneName: "Kept"): .failure(CKError(.permissionFailure)),
    ]
    let sent = SentZones([], Array(answers.keys), saves: { _ in nil }, deletes: { answers[$0] })
    #expect(Set(sent.event.goneZoneIDs.map(\.zoneName)) == ["Deleted", "Gone", "Purged"])
    #expect(Set(sent.event.failedZoneDeletes.keys.map(\.zoneName)) == ["Gone", "Purged", "Kept"])
    #expect(sent.unsent.isEmpty)
  }

  @Test(arguments: [true, false])
  func `ATM-07 who fails because another one of the batch has to wait, waits too`(isAtomic: Bool) {
    let ids = ["Z", "Y"].flatMap { zone in
      ["a", "b"].map { CKRecord.ID(recordName: $0, zoneID: CKRecordZone.ID(zoneName: zone)) }
    }
    let answers: [CKRecord.ID: Result<CKRecord, any Error>] = [
      ids[0]: .failure(CKError(.zoneBusy)), ids[1]: .failure(CKError(.batchRequestFailed)),
      ids[2]: .failure(CKError(.unknownItem)), ids[3]: .failure(CKError(.batchRequestFailed)),
    ]
    let batch = CKSyncEngine.RecordZoneChangeBatch(
      recordsToSave: ids.map { CKRecord(recordType: "Note", recordID: $0) }, atomicByZone: isAtomic)
    let sent = SentRecords(batch, saves: { answers[$0] }, deletes: { _ in nil })
    #expect(sent.unsent == ids.prefix(isAtomic ? 2 : 1).map { .saveRecord($0) })
    let failed = sent.event.failedRecordSaves.map(\.record.recordID)
    #expect(failed == Array(ids.suffix(isAtomic ? 2 : 3)))
    #expect(sent.passing?.code == .zoneBusy)
  }
}
