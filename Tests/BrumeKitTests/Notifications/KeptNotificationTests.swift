import BrumeModel
import BrumeWire
import Foundation
import Synchronization
import Testing

@testable import BrumeKit

@Suite struct KeptNotificationTests {
  private static func kept(_ number: Int64, isRead: Bool) -> KeptNotification {
    let notification = BrumeModel.Notification(
      id: "n\(number)", in: ContainerEnvironment(ContainerID("c"), .development), scope: .private,
      subscriptionID: "s", user: UserID("_me"), subject: .zone(ZoneID(name: "Z", ownerName: "_me")))
    return KeptNotification(
      position: number, id: notification.id, subscriptionID: "s",
      payload: PushPayload.encode(notification), isRead: isRead)
  }

  @Test func `PSH-04 PSH-17 kept ones come pruned, with a token, read ones as such`() async {
    let server = ScriptedServer { _, _ in
      Wire.keptNotifications(
        KeptNotificationsPage(
          items: [Self.kept(1, isRead: true), Self.kept(2, isRead: false)], token: "t",
          moreComing: true))
    }
    let journal = Journal()
    let operation = CKFetchNotificationChangesOperation(previousServerChangeToken: nil)
    operation.container = server.container
    operation.notificationChangedBlock = { journal.note("\($0.notificationType) \($0.isPruned)") }
    operation.fetchNotificationChangesCompletionBlock = { [unowned operation] token, error in
      journal.note("\(token?.text ?? "-") \(operation.moreComing) \(code(error))")
    }
    await finish(operation)
    #expect(journal.all == ["readNotification true", "recordZone true", "t true nil"])
  }

  @Test func `marking answers those that were marked`() async throws {
    let pair: JSON = ["notificationID": "n1", "subscriptionID": "s"]
    let answer: JSON = ["notificationIDs": [pair, "n3"]]
    let server = ScriptedServer { _, _ in answer.bytes() }
    let ids = [("n1", "s"), ("n1", "t"), ("n2", "s"), ("n3", nil)].map {
      CKNotification.ID(notification: $0, subscription: $1)
    }
    let journal = Journal()
    let operation = CKMarkNotificationsReadOperation(notificationIDsToMarkRead: ids)
    operation.container = server.container
    operation.markNotificationsReadCompletionBlock = { marked, error in
      let names = marked?.map { "\($0.notification) \($0.subscription ?? "-")" } ?? []
      journal.note("\(names.joined(separator: ", ")), \(code(error))")
    }
    await finish(operation)
    #expect(journal.all == ["n1 s, n3 -, nil"])
    let sent = try #require(server.requests.first?.body?["notificationIDs"]?.array)
    #expect(sent.count == 4 && sent.first == pair && sent.last == "n3")
  }

  @Test func `the badge is set`() async throws {
    let server = ScriptedServer { _, _ in Wire.empty }
    let operation = CKModifyBadgeOperation(badgeValue: 7)
    operation.container = server.container
    let journal = Journal()
    operation.modifyBadgeCompletionBlock = { journal.note(code($0)) }
    await finish(operation)
    #expect(journal.all == ["nil"])
    #expect(try Wire.badge(try #require(server.requests.first?.body)) == 7)
  }
}
