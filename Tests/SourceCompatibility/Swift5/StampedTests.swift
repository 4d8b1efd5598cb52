import CloudKit
import Foundation
import Testing

@Suite struct StampedTests {
  @Test func `a subclass says what only a server could`() throws {
    let id = CKRecord.ID(recordName: "n")
    let saved = SavedRecord(recordType: "Note", recordID: id)
    saved["title"] = "Tea"
    #expect(saved.recordChangeTag == "saved" && saved.changedKeys() == ["title"])
    let stamped = try StampedRecord(saved, at: Date(timeIntervalSince1970: 7))
    let record: CKRecord = stamped
    #expect(record.modificationDate == record.creationDate)
    #expect(record.creationDate?.timeIntervalSince1970 == 7)
    #expect(record.creatorUserRecordID?.recordName == "somebody")
    #expect(record.recordID == id && record["title"] == "Tea")
    #expect(AbleZone(zoneName: "Notes").capabilities.contains(.sharing))
  }
}
