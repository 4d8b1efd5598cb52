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
}
