import CloudKit
import Foundation
import Testing

@Suite struct SmallHabitsTests {
  @Test func `a query can be sorted by a record's own property`() {
    #expect(newestFirst("Note").sortDescriptors?.map(\.ascending) == [false, true])
    #expect(newestFirst("Note").sortDescriptors?.compactMap { $0.key }.count == 2)
    let here = CLLocation(latitude: 1, longitude: 2)
    let nearest = CKLocationSortDescriptor(key: "place", relativeLocation: here)
    #expect(nearest.key == "place" && nearest.ascending)
  }

  @Test func `settings are kept by key-value coding`() throws {
    let name = "brume.habits.\(UUID().uuidString)"
    let settings = SyncSettings(defaults: try #require(UserDefaults(suiteName: name)))
    defer { settings.defaults.removePersistentDomain(forName: name) }
    #expect(!settings.isSubscribed)
    settings.isSubscribed = true
    #expect(settings.isSubscribed && settings.defaults.bool(forKey: "isSubscribed"))
  }

  @Test func `one setting of an operation is changed where it is`() {
    let operation = CKFetchRecordsOperation(recordIDs: [])
    impatient(operation)
    #expect(operation.timeoutIntervalForRequest == 15)
    #expect(operation.qualityOfService == .userInitiated)
  }

  @Test func `the name of a person is a text`() {
    var name = PersonNameComponents()
    #expect(name.formatted() == "")
    name.nickname = "Al"
    #expect(name.formatted() == "Al")
    name.givenName = "Alice"
    name.familyName = "Gray"
    #expect(name.formatted() == "Alice Gray")
    #expect(names(in: CKShare(recordZoneID: .default)) == [])
  }

  @Test func `a field is handed on as it was read, whatever asks for it`() {
    let record = CKRecord(recordType: "Note")
    record["title"] = "a"
    record.encryptedValues["secret"] = "b"
    #expect(texts(of: record) { $0 as? String ?? "-" } == ["a"])
    let (plain, sealed): (CKRecordValueProtocol?, CKRecordValueProtocol?) =
      (record["title"], record.encryptedValues["secret"])
    #expect(plain as? String == "a" && sealed as? String == "b")
  }
}
