import CloudKit
import CoreLocation
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

  @Test func `a subclass has its own archive, equality, order and text`() throws {
    let zone = CountedZone(zoneName: "Notes")
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    zone.encode(with: archiver)
    #expect(zone.archived == 1 && zone.description.hasPrefix("counted <CKRecordZone"))
    #expect(LooseID(recordName: "A").isEqual(CKRecord.ID(recordName: "a")))
    #expect(LooseID(recordName: "A").hash == "a".hash)
    let reference = LooseReference(recordID: LooseID(recordName: "A"), action: .none)
    #expect(reference.description == "to A")
    let query = NewestFirst(recordType: "Note", predicate: NSPredicate(value: true))
    #expect(query.sortDescriptors?.first?.key == "creationDate")
    let place = CLLocation(latitude: 1, longitude: 2)
    #expect(NearestFirst(key: "place", relativeLocation: place).relativeLocation === place)
  }
}
