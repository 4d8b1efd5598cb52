import BrumeKit
import Foundation
import Testing

@Suite struct DescriptionTests {
  @Test func `what is printed says which object it is`() {
    let user = CKUserIdentity.LookupInfo(emailAddress: "bob@example.org")
    let share = CKShare(rootRecord: CKRecord(recordType: "Note"))
    let fetch = CKFetchRecordsOperation(recordIDs: [])
    let cases: [(NSObject, String)] = [
      (CKAsset(fileURL: URL(filePath: "/tmp/a")), "<CKAsset: /tmp/a>"),
      (
        CKDatabaseSubscription(subscriptionID: "all"),
        "<CKDatabaseSubscription: subscriptionID=all>"
      ),
      (
        CKRecordZoneSubscription(zoneID: .default, subscriptionID: "zone"),
        "<CKRecordZoneSubscription: subscriptionID=zone>"
      ),
      (user, "<CKUserIdentityLookupInfo: bob@example.org>"),
      (fetch, "<CKFetchRecordsOperation: operationID=\(fetch.operationID)>"),
      (share.owner.userIdentity, "<CKUserIdentity: userRecordID="),
      (share.owner, "role=owner, permission=readWrite, acceptanceStatus=accepted>"),
    ]
    for (object, text) in cases {
      #expect("\(object)".contains(text))
      #expect(object.debugDescription == object.description)
    }
  }

  @Test func `a push says whose subscription it is for`() throws {
    let push: [AnyHashable: Any] = [
      "ck": ["cid": "iCloud.a", "nid": "1", "met": ["sid": "all", "dbs": 1]]
    ]
    let notification = try #require(CKNotification(fromRemoteNotificationDictionary: push))
    #expect("\(notification)" == "<CKDatabaseNotification: subscriptionID=all>")
  }
}
