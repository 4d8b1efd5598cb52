// Archives that nobody of ours wrote: numbers, dates and names that stop a program which trusts them.

import BrumeModel
import Foundation
import Testing

@testable import BrumeKit

@Suite struct OddArchiveTests {
  /// Values under the keys of a class, to be read by its `init(coder:)`. As in an app that makes a reader by itself, the
  /// first value that cannot be decoded stops the program.
  private func reader(_ write: (NSKeyedArchiver) -> Void) throws -> NSKeyedUnarchiver {
    let archiver = NSKeyedArchiver(requiringSecureCoding: false)
    write(archiver)
    archiver.finishEncoding()
    return try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
  }

  @Test func `a negative number of abilities is bits, and is written again`() throws {
    let coder = try reader { archiver in
      archiver.encode(CKRecordZone.ID(zoneName: "Z"), forKey: "zoneID")
      archiver.encode(-1, forKey: "capabilities")
    }
    let zone = try #require(CKRecordZone(coder: coder))
    #expect(zone.capabilities.rawValue == .max)
    let again = try reader { zone.encode(with: $0) }
    #expect(CKRecordZone(coder: again)?.capabilities == zone.capabilities)
  }

  @Test func `values of Apple's that name no changed keys are read`() throws {
    let coder = try reader {
      $0.encode(NSDictionary(dictionary: ["a": NSString(string: "x")]), forKey: "RecordValues")
    }
    let read = try #require(AppleRecordValues(coder: coder))
    #expect(read.values["a"] as? NSString == NSString(string: "x"))
    #expect(read.originals.isEmpty && read.changes.isEmpty)
  }

  @Test func `a query that an archive has nothing of can be copied and archived`() throws {
    let query = CKQuery(coder: try reader { $0.encode(1, forKey: "something") })
    #expect((query.copy() as? CKQuery)?.recordType == "")
    #expect(CKQuery(coder: try reader { query.encode(with: $0) }).recordType == "")
  }

  @Test func `a subscription of no kind is not read`() throws {
    let archive = try reader { $0.encodeText("s", "subscriptionID") }
    #expect(CKSubscription(coder: archive) == nil)
    #expect(CKDatabaseSubscription(coder: archive).subscriptionID == "s")
  }

  @Test func `a zone ID without a name is not read`() throws {
    let coder = try reader { archiver in
      archiver.encodeText("", "zoneName")
      archiver.encodeText("_o", "ownerName")
    }
    #expect(CKRecordZone.ID(coder: coder) == nil)
  }

  @Test(arguments: [Double.nan, .infinity, -1e300, 1e300])
  func `a date that is none counts as not there`(seconds: Double) throws {
    let id = CKRecord.ID(recordName: "a")
    let ours = try reader { archiver in
      archiver.encodeText("Note", "recordType")
      archiver.encode(id, forKey: "recordID")
      archiver.encode(seconds, forKey: "creationDate")
    }
    let record = try #require(CKRecord(coder: ours))
    #expect(record.recordID == id && record.creationDate == nil)
    let apples = try reader { archiver in
      archiver.encodeText("Note", AppleKey.recordType)
      archiver.encode(id, forKey: AppleKey.recordID)
      archiver.encode(NSDate(timeIntervalSinceReferenceDate: seconds), forKey: "RecordMtime")
    }
    let other = try #require(CKRecord(coder: apples))
    #expect(other.recordID == id && other.modificationDate == nil)
  }

  @Test(arguments: [Double.nan, .infinity, -1e300, 1e300])
  func `a date that is none is refused as a field's, and missing in a place`(seconds: Double)
    throws
  {
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    let record = CKRecord(recordType: "Note")
    record["due"] = date
    #expect(throws: CKError.self) { try record.saveOperation(.ifServerRecordUnchanged) }
    let place = CLLocation(
      coordinate: CLLocationCoordinate2D(latitude: 1, longitude: 2), altitude: 0,
      horizontalAccuracy: 0, verticalAccuracy: 0, timestamp: date)
    #expect(Location(place).timestamp == nil)
    #expect(Milliseconds(date) == (seconds < 0 ? .min : .max))
  }

  @Test(arguments: [
    ("recordType", "recordID", "parent"), ("RecordType", "RecordID", "ParentReference"),
  ])
  func `a parent with an action is read without it`(keys: (String, String, String)) throws {
    let id = CKRecord.ID(recordName: "a")
    let coder = try reader { archiver in
      archiver.encodeText("Note", keys.0)
      archiver.encode(id, forKey: keys.1)
      archiver.encode(CKRecord.Reference(recordID: id, action: .deleteSelf), forKey: keys.2)
    }
    let record = try #require(CKRecord(coder: coder))
    let other = CKRecord(recordType: "Note")
    other.parent = record.parent
    #expect(other.parent == CKRecord.Reference(recordID: id, action: CKRecord.ReferenceAction.none))
  }

  @Test func `the text that Foundation writes for nothing is kept wherever a text may be`() throws {
    let odd = "$null"
    let record = CKRecord(
      recordType: odd,
      recordID: CKRecord.ID(
        recordName: odd, zoneID: CKRecordZone.ID(zoneName: odd, ownerName: odd)))
    record["title"] = odd
    record["other"] = "x"
    record["tags"] = ["a", odd, "b"]
    let archive = try NSKeyedArchiver.archivedData(
      withRootObject: record, requiringSecureCoding: true)
    let back = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: archive))
    #expect(back.recordID == record.recordID && back.recordType == odd)
    #expect(back["title"] == odd && back["other"] == "x" && back["tags"] == ["a", odd, "b"])
    #expect(back.changedKeys().sorted() == ["other", "tags", "title"])
    let list = try reader { $0.encodeTexts(["a", odd], "list") }
    #expect(list.texts("list") == ["a", odd])
  }

  @Test func `a list in a list is left out of a record that is read`() throws {
    var deep = NSArray(object: NSString(string: "x"))
    for _ in 1...10 { deep = NSArray(object: deep) }
    let coder = try reader { archiver in
      archiver.encodeText("Note", "recordType")
      archiver.encode(CKRecord.ID(recordName: "a"), forKey: "recordID")
      archiver.encode(
        NSDictionary(dictionary: ["deep": deep, "tags": NSArray(object: NSString(string: "x"))]),
        forKey: "fields")
    }
    let record = try #require(CKRecord(coder: coder))
    #expect(record.allKeys() == ["tags"] && record["tags"] == ["x"])
  }
}
