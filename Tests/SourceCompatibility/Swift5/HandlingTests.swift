// The guide's way from a push to the right handler, without a server.

import CloudKit
import Foundation
import Testing

@Suite struct HandlingTests {
  @Test func `000 a push about a deleted record removes it from the local store`() async throws {
    saveLocally(CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "gone")))
    let notification = try #require(
      CKNotification(
        fromRemoteNotificationDictionary: try push(
          #"{"ck":{"qry":{"sid":"s","dbs":1,"fo":3,"rid":"gone","zid":"_defaultZone"}}}"#)))
    await withCheckedContinuation { done in
      NotificationHandler().handleCloudKitNotification(notification) { done.resume() }
    }
    #expect(!LocalStore.shared.records.contains("gone"))
  }

  @Test func `000 a push without its kind is completed and nothing more`() async throws {
    let notification = try #require(
      CKNotification(fromRemoteNotificationDictionary: try push(#"{"ck":{"nid":"n","p":1}}"#)))
    await withCheckedContinuation { done in
      NotificationHandler().handleCloudKitNotification(notification) { done.resume() }
    }
    #expect(notification.isPruned)
  }
}
