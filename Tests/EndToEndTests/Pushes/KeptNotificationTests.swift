// The notifications that the server keeps: PSH-17, PSH-20.

import BrumeKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct KeptNotificationTests {
  private static func fetch(
    _ device: Device, since token: CKServerChangeToken? = nil
  ) async throws -> (notifications: [CKNotification], token: CKServerChangeToken) {
    let operation = CKFetchNotificationChangesOperation(previousServerChangeToken: token)
    var (found, last, error) = ([CKNotification](), nil as CKServerChangeToken?, nil as CKError?)
    operation.notificationChangedBlock = { found.append($0) }
    operation.fetchNotificationChangesCompletionBlock = {
      last = $0
      error = $1 as? CKError
    }
    await device.run(operation)
    #expect(error == nil && !operation.moreComing)
    return (found, try #require(last))
  }

  @Test(arguments: StorageEngine.allCases)
  func `PSH-17 notifications are fetched by token, and marking one as read reaches all devices`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.save("zero", ["n": 0])
      let inbox = try await Inbox(laptop)
      try await laptop.database.save(
        CKQuerySubscription.of("Note", id: "notes").alerting("n", keys: ["n"]))
      try await phone.save("a", ["n": 1])
      let push = try await inbox.next()
      let first = try await Self.fetch(laptop)
      #expect(first.notifications.map(\.notificationID) == [push.notificationID])
      let kept = try #require(first.notifications.first as? CKQueryNotification)
      #expect(kept.recordID == .named("a") && kept.recordFields?["n"] as? Int == 1)
      #expect(kept.isPruned, "so that the app fetches the record")
      #expect(try await Self.fetch(laptop, since: first.token).notifications.isEmpty)

      let id = try #require(push.notificationID)
      let operation = CKMarkNotificationsReadOperation(notificationIDsToMarkRead: [id])
      var marked: [CKNotification.ID]?
      operation.markNotificationsReadCompletionBlock = { ids, _ in marked = ids }
      await laptop.run(operation)
      #expect(marked == [id])
      let second = try await Self.fetch(phone, since: first.token)
      #expect(second.notifications.map(\.notificationType) == [.readNotification])
      #expect(second.notifications.map(\.notificationID) == [id])
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `PSH-20 a kept notification has the desired keys that its push had no room for`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.save("zero", ["title": ""])
      let inbox = try await Inbox(laptop)
      let alert = String(repeating: "A", count: 3800)
      try await laptop.database.save(
        CKQuerySubscription.of("Note", id: "notes").alerting(alert, keys: ["title"]))
      try await phone.save("a", ["title": String(repeating: "t", count: 300)])
      #expect(try await inbox.next().isPruned)
      let kept = try await Self.fetch(laptop).notifications.first as? CKQueryNotification
      #expect(kept?.recordFields?["title"] as? String == String(repeating: "t", count: 300))
    }
  }
}
