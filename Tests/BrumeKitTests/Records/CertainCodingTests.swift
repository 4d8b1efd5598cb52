import Foundation
import Testing

@testable import BrumeKit

/// Classes whose `init(coder:)` cannot give nil, as in Apple's headers.
@Suite struct CertainCodingTests {
  /// What an object writes by itself, to be read by `init(coder:)`, not by an unarchiver.
  private func reader(_ write: (NSKeyedArchiver) -> Void) throws -> NSKeyedUnarchiver {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    write(archiver)
    archiver.finishEncoding()
    let reader = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    reader.requiresSecureCoding = true
    return reader
  }
  private let zone = CKRecordZone.ID(zoneName: "Notes", ownerName: "_u")

  @Test func `a share comes back from its own archive`() throws {
    let list = CKRecord(recordType: "List", recordID: CKRecord.ID(recordName: "l", zoneID: zone))
    let share = CKShare(rootRecord: list)
    share[CKShare.SystemFieldKey.title] = "Shopping"
    share.publicPermission = .readWrite
    let copy = CKShare(coder: try reader(share.encode(with:)))
    #expect(copy.recordID == share.recordID && copy.recordType == CKRecord.SystemType.share)
    #expect(copy[CKShare.SystemFieldKey.title] == "Shopping")
    #expect(copy.publicPermission == .readWrite && copy.rootName == "l")
  }

  @Test func `a share comes back from its system fields`() throws {
    let share = CKShare(recordZoneID: zone)
    share[CKShare.SystemFieldKey.title] = "Shopping"
    share.recordChangeTag = "7"
    let copy = CKShare(coder: try reader(share.encodeSystemFields(with:)))
    #expect(copy.recordID == share.recordID && copy.recordChangeTag == "7")
    #expect(copy.allKeys().isEmpty)
  }

  @Test func `subscriptions come back from their own archives`() throws {
    let query = CKQuerySubscription(
      recordType: "Note", predicate: NSPredicate(format: "stars > 3"), subscriptionID: "q")
    let queryCopy = CKQuerySubscription(coder: try reader(query.encode(with:)))
    #expect(queryCopy.subscriptionID == "q" && queryCopy.recordType == "Note")
    #expect(try queryCopy.predicate.filters() == query.predicate.filters())
    let ofZone = CKRecordZoneSubscription(zoneID: zone, subscriptionID: "z")
    let zoneCopy = CKRecordZoneSubscription(coder: try reader(ofZone.encode(with:)))
    #expect(zoneCopy.zoneID == zone && zoneCopy.subscriptionID == "z")
    let database = CKDatabaseSubscription(subscriptionID: "d")
    database.recordType = "Note"
    let databaseCopy = CKDatabaseSubscription(coder: try reader(database.encode(with:)))
    #expect(databaseCopy.subscriptionID == "d" && databaseCopy.recordType == "Note")
  }

  @Test func `an order by distance comes back from its own archive`() throws {
    let place = CLLocation(latitude: 47, longitude: 8)
    let order = CKLocationSortDescriptor(key: "place", relativeLocation: place)
    let copy = CKLocationSortDescriptor(coder: try reader(order.encode(with:)))
    #expect(copy.fieldKey == "place" && copy.relativeLocation.coordinate.latitude == 47)
  }

  @Test func `an archive of something else gives objects that stand for nothing`() throws {
    func empty() throws -> NSKeyedUnarchiver { try reader { $0.encode(1, forKey: "something") } }
    let share = CKShare(coder: try empty())
    #expect(share.recordChangeTag == nil && share.allKeys().isEmpty && share.url == nil)
    let query = CKQuerySubscription(coder: try empty())
    #expect(query.recordType == "" && query.querySubscriptionOptions == [])
    #expect(CKRecordZoneSubscription(coder: try empty()).zoneID == .default)
    #expect(UUID(uuidString: CKDatabaseSubscription(coder: try empty()).subscriptionID) != nil)
    #expect(CKLocationSortDescriptor(coder: try empty()).fieldKey == "")
    #expect(CKSubscription(coder: try empty()) == nil)
  }
}
