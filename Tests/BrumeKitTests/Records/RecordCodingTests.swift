import Foundation
import Testing

@testable import BrumeKit

struct RecordCodingTests {
  private func sample() -> CKRecord {
    let zone = CKRecordZone.ID(zoneName: "Notes", ownerName: "_1")
    let record = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: "n1", zoneID: zone))
    record["title"] = "Milk"
    record["count"] = 3
    record["tags"] = ["a", "b"]
    record["due"] = Date(timeIntervalSince1970: 5)
    record["place"] = CLLocation(latitude: 1, longitude: 2)
    record["list"] = CKRecord.Reference(
      recordID: CKRecord.ID(recordName: "l1", zoneID: zone), action: .deleteSelf)
    record.encryptedValues["secret"] = Data([7])
    record.recordChangeTag = "1e"
    record.creationDate = Date(timeIntervalSince1970: 1)
    record.modificationDate = Date(timeIntervalSince1970: 2)
    record.creatorUserRecordID = CKRecord.ID(recordName: CKCurrentUserDefaultName)
    record.setParent(CKRecord.ID(recordName: "l1", zoneID: zone))
    return record
  }

  @Test func `system fields come back without fields and without changes`() throws {
    let record = sample()
    let coder = NSKeyedArchiver(requiringSecureCoding: true)
    record.encodeSystemFields(with: coder)
    coder.finishEncoding()
    let decoder = try NSKeyedUnarchiver(forReadingFrom: coder.encodedData)
    let back = try #require(CKRecord(coder: decoder))
    #expect(back.recordID == record.recordID)
    #expect(back.recordType == "Note")
    #expect(back.recordChangeTag == "1e")
    #expect(back.creationDate == record.creationDate)
    #expect(back.modificationDate == record.modificationDate)
    #expect(back.creatorUserRecordID == record.creatorUserRecordID)
    #expect(back.lastModifiedUserRecordID == nil)
    #expect(back.parent == record.parent)
    #expect(back.allKeys().isEmpty)
    #expect(back.changedKeys().isEmpty)
    #expect(!back.parentChanged)
  }

  @Test func `a whole record comes back with its fields and changes`() throws {
    let record = sample()
    let back = try through(record)
    #expect(back["title"] == "Milk")
    #expect(back["count"] == 3)
    #expect(back["tags"] == ["a", "b"])
    #expect(back["due"] == Date(timeIntervalSince1970: 5))
    #expect(back["list"] == record["list"] as CKRecord.Reference?)
    #expect(back.encryptedValues["secret"] == Data([7]))
    #expect(Set(back.changedKeys()) == Set(record.changedKeys()))
    #expect(back.parentChanged)
  }

  @Test func `IDs, references and zones come back equal`() throws {
    let id = CKRecord.ID(recordName: "a", zoneID: CKRecordZone.ID(zoneName: "Z", ownerName: "_2"))
    let reference = CKRecord.Reference(recordID: id, action: .deleteSelf)
    let zone = CKRecordZone(zoneID: id.zoneID)
    #expect(try through(id) == id)
    #expect(try through(id.zoneID) == id.zoneID)
    #expect(try through(reference) == reference)
    #expect(try through(zone) == zone)
    #expect(try through(zone).capabilities == zone.capabilities)
  }

  @Test func `a place comes back with all its numbers`() throws {
    let place = CLLocation(
      coordinate: CLLocationCoordinate2D(latitude: 48.1, longitude: -2.5), altitude: 3,
      horizontalAccuracy: 4, verticalAccuracy: 5, course: 6, speed: 7,
      timestamp: Date(timeIntervalSince1970: 8))
    let back = try through(place)
    #expect(back == place)
    #expect(back.course == 6)
    #expect(back.speed == 7)
  }

  @Test func `equal IDs are equal as keys`() {
    let ids = Set([CKRecord.ID(recordName: "a"), CKRecord.ID(recordName: "a")])
    #expect(ids.count == 1)
    #expect(CKRecord.ID(recordName: "a") != CKRecord.ID(recordName: "b"))
    let zone = CKRecordZone.ID(zoneName: "Z")
    #expect(CKRecord.ID(recordName: "a", zoneID: zone) != CKRecord.ID(recordName: "a"))
  }

  @Test func `a degree of longitude on the equator is about 111 kilometres`() {
    let metres = CLLocation(latitude: 0, longitude: 0).distance(
      from: CLLocation(latitude: 0, longitude: 1))
    #expect(abs(metres - 111_195) < 1)
  }
}
