// Every nested class of Apple's API as the root of an archive.

import BrumeModel
import Foundation
import Testing

@testable import BrumeKit

struct NestedClassCodingTests {
  private static func data(_ object: any NSObject & NSSecureCoding) throws -> Data {
    try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
  }

  @Test func `stand-ins have the names that Foundation writes into archives`() {
    #expect(archivedName(ArchivedRecordID.self) == NSStringFromClass(ArchivedRecordID.self))
  }

  @Test func `each nested class comes back as itself`() throws {
    let id = CKRecord.ID(recordName: "a")
    let cursor = CKQueryOperation.Cursor(
      QueryRequest(query: Query(recordType: "Note")), marker: "m")
    #expect(try through(cursor).request.marker == "m")
    let configuration = CKFetchRecordZoneChangesOperation.ZoneConfiguration(
      resultsLimit: 3, desiredKeys: ["title"])
    #expect(try through(configuration).desiredKeys == ["title"])
    #expect(try through(CKSubscription.NotificationInfo(alertBody: "Hi")).alertBody == "Hi")
    let notification = CKNotification.ID(notification: "n", subscription: "s")
    #expect(try through(notification) == notification)
    let info = CKUserIdentity.LookupInfo(userRecordID: id)
    #expect(try through(info) == info)
    let place = CKShare.Participant.oneTimeURLParticipant()
    #expect(try through(place).participantID == place.participantID)
    let asking = try #require(CKShare.AccessRequester(UserIdentity(user: UserID("_b"))))
    #expect(try through(asking).userIdentity.userRecordID?.recordName == "_b")
    let blocked = try #require(CKShare.BlockedIdentity(UserIdentity(user: UserID("_b"))))
    #expect(try through(blocked).userIdentity.userRecordID?.recordName == "_b")
    #expect(type(of: try through(id)) == CKRecord.ID.self)
  }

  @Test func `lists of nested objects come back`() throws {
    let ids = [CKRecord.ID(recordName: "a"), CKRecord.ID(recordName: "b")]
    let back = try NSKeyedUnarchiver.unarchivedObject(
      ofClasses: [NSArray.self, CKRecord.ID.self],
      from: try Self.data(NSArray(array: ids)))
    #expect(back as? [CKRecord.ID] == ids)
  }

  @Test func `another process reads an archive before it touches anything else`() async throws {
    let zone = CKRecordZone.ID(zoneName: "Z", ownerName: "_2")
    let text = try Self.data(zone).base64EncodedString()
    await #expect(processExitsWith: .success) { [text = text as String] in
      let data = try #require(Data(base64Encoded: text))
      let id = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecordZone.ID.self, from: data)
      #expect(id?.zoneName == "Z" && id?.ownerName == "_2")
    }
  }

  @Test func `system fields written by one process save over the server's in another`()
    async throws
  {
    let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a"))
    record.recordChangeTag = "7"
    record["title"] = "left behind"
    let coder = NSKeyedArchiver(requiringSecureCoding: true)
    record.encodeSystemFields(with: coder)
    let text = coder.encodedData.base64EncodedString()
    await #expect(processExitsWith: .success) { [text = text as String] in
      let coder = try NSKeyedUnarchiver(
        forReadingFrom: try #require(Data(base64Encoded: text)))
      let record = try #require(CKRecord(coder: coder))
      record["title"] = "new"
      let operation = try record.saveOperation(.ifServerRecordUnchanged)
      #expect(operation.kind == .update && operation.record.changeTag == "7")
      #expect(operation.record.fields.keys.sorted() == ["title"])
    }
  }
}
