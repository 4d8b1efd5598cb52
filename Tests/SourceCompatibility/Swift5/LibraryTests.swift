import CloudKit
import Foundation
import Testing

@Suite struct LibraryTests {
  @Test func `a library judges errors by their codes`() {
    #expect(verdict(CKError(.serverRecordChanged)) == .merge)
    #expect(verdict(CKError(.zoneBusy, userInfo: [CKErrorRetryAfterKey: 7])) == .retry(after: 7))
    #expect(verdict(CKError(.changeTokenExpired)) == .startOver)
    #expect(verdict(CocoaError(.fileNoSuchFile)) == .giveUp)
  }

  @Test func `a library keeps system fields and tokens as data`() throws {
    let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a"))
    record["title"] = "left behind"
    let back = try #require(CKRecord(systemFieldsData: record.systemFieldsData))
    #expect(back.recordID == record.recordID && back.allKeys().isEmpty)
    #expect(CKRecord(systemFieldsData: Data("nonsense".utf8)) == nil)
    let state = SyncState(
      zoneTokens: ["Z": Data([1])], systemFields: ["a": record.systemFieldsData])
    let kept = try JSONDecoder().decode(SyncState.self, from: JSONEncoder().encode(state))
    #expect(kept.systemFields == state.systemFields)
  }

  @Test func `sharing options are kept and archived`() throws {
    let options = SharingController(container: CKContainer(identifier: "iCloud.a")).options
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: options, requiringSecureCoding: true)
    let back = try NSKeyedUnarchiver.unarchivedObject(
      ofClass: CKAllowedSharingOptions.self, from: data)
    #expect(back?.allowedParticipantPermissionOptions == .any)
    #expect(back?.allowedParticipantAccessOptions == .specifiedRecipientsOnly)
    #expect(back?.allowsAccessRequests == true)
  }
}
