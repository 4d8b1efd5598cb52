import BrumeKit
import BrumeTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct DateTests {
  @Test func `a date is the same on another device, encrypted or not`() async throws {
    let server = try await LocalServer()
    let phone = try await server.device("phone", of: "alice").privateCloudDatabase
    let laptop = try await server.device("laptop", of: "alice").privateCloudDatabase
    let zone = CKRecordZone(zoneName: "Notes")
    try await phone.save(zone)
    let date = Date(timeIntervalSinceReferenceDate: 816_906_668.123_456_7)
    let id = CKRecord.ID(recordName: "a", zoneID: zone.zoneID)
    let record = CKRecord(recordType: "Note", recordID: id)
    record["written"] = date
    record.encryptedValues["read"] = date
    record["list"] = [date]
    let saved = try await phone.save(record)
    #expect(saved["written"] as? Date == date)
    let fetched = try await laptop.record(for: id)
    #expect(fetched["written"] as? Date == date)
    #expect(fetched.encryptedValues["read"] as? Date == date)
    let listed = (fetched["list"] as? [Date])?.first
    #expect(abs(try #require(listed).timeIntervalSince(date)) <= 0.001)
    let changes = try await laptop.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
    let fetchedRecord = try changes.modificationResultsByID[id]?.get().record
    #expect(fetchedRecord?["written"] as? Date == date)
  }

  @Test func `a search by a date finds what was saved with its fraction`() async throws {
    let server = try await LocalServer()
    let database = try await server.device("phone", of: "alice").privateCloudDatabase
    let date = Date(timeIntervalSinceReferenceDate: 816_906_668.123_456_7)
    let record = CKRecord(recordType: "Note")
    record["written"] = date
    try await database.save(record)
    for format in ["written == %@", "written >= %@", "written <= %@"] {
      let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: format, date))
      #expect(try await database.records(matching: query).matchResults.count == 1, "\(format)")
    }
  }
}
