// When subscriptions fire: SUB-14, SUB-20, SUB-21, SUB-26, PSH-01, and who is notified. Each test ends
// with a change that must be notified, so that a push that must not come would have come before it.

import BrumeKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct FiringTests {
  @Test(arguments: StorageEngine.allCases)
  func `PSH-01 the other device is notified of a change, its own device never is`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair(zone: "One")
      try await phone.makeZone("Two")
      let inboxes = (phone: try await Inbox(phone), laptop: try await Inbox(laptop))
      for zone in ["One", "Two"] {
        try await phone.database.save(
          CKRecordZoneSubscription(zoneID: .named(zone), subscriptionID: zone).silent())
      }
      try await phone.save("a", zone: "One")
      // Taken before the next comes, which would otherwise stand in for both.
      #expect(try await inboxes.laptop.nextZone().recordZoneID == .named("One"))
      try await laptop.save("a", zone: "Two")
      try await phone.database.deleteRecord(withID: .named("a", zone: "One"))
      #expect(try await inboxes.phone.nextZone().recordZoneID == .named("Two"))
      #expect(try await inboxes.laptop.nextZone().recordZoneID == .named("One"))
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SUB-14 a database subscription fires for custom zones and not for the default one`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let inbox = try await Inbox(laptop)
      try await laptop.database.save(CKDatabaseSubscription(subscriptionID: "all").silent())
      try await phone.save("a", zone: nil)
      try await phone.save("a")
      let push = try await inbox.userInfo()
      let notification = CKNotification(fromRemoteNotificationDictionary: push)
      #expect(notification is CKDatabaseNotification)
      #expect((notification as? CKDatabaseNotification)?.databaseScope == .private)
      #expect(Push(push).about?["zid"] as? String == "Z")
      try await phone.makeZone("New")
      #expect(Push(try await inbox.userInfo()).about?["zid"] as? String == "New")
      try await phone.database.deleteRecordZone(withID: .named("Z"))
      #expect(Push(try await inbox.userInfo()).about?["zid"] as? String == "Z")
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SUB-21 query subscriptions fire for the events they name, with reason and fields`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let record = try await phone.save("a", ["state": "open", "title": "T", "n": 1])
      let inbox = try await Inbox(laptop)
      let condition = "state == 'open'"
      try await laptop.database.save(
        CKQuerySubscription.of(
          "Note", where: condition, id: "all",
          [.firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion]
        ).alerting("Note", keys: ["title", "n"]))
      record["title"] = "U"
      try await phone.database.save(record)
      let updated = try await inbox.nextQuery()
      #expect(updated.queryNotificationReason == .recordUpdated && updated.alertBody == "Note")
      #expect(updated.recordID == .named("a") && updated.databaseScope == .private)
      #expect(updated.recordFields?["title"] as? String == "U")
      #expect(updated.recordFields?["n"] as? Int == 1)
      // It matched before, and does not now.
      record["state"] = "closed"
      try await phone.database.save(record)
      try await phone.save("closed", ["state": "closed"])
      try await phone.save("b", ["state": "open"])
      let created = try await inbox.nextQuery()
      #expect(created.queryNotificationReason == .recordCreated && created.recordID == .named("b"))
      try await phone.database.deleteRecord(withID: .named("closed"))
      try await phone.database.deleteRecord(withID: .named("b"))
      let deleted = try await inbox.nextQuery()
      #expect(deleted.queryNotificationReason == .recordDeleted && deleted.recordID == .named("b"))
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SUB-20 firesOnce fires once, and the subscription is gone`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.save("first", ["n": 0])
      let inbox = try await Inbox(laptop)
      try await laptop.database.save(
        CKQuerySubscription.of(
          "Note", where: "n < 10", id: "once", [.firesOnRecordCreation, .firesOnce]
        ).alerting("once"))
      try await laptop.database.save(
        CKQuerySubscription.of("Note", where: "n == 2", id: "fence").alerting("fence"))
      for number in 1...2 { try await phone.save("r\(number)", ["n": number]) }
      #expect(try await inbox.nextQuery().subscriptionID == "once")
      #expect(try await inbox.nextQuery().subscriptionID == "fence")
      #expect(try await laptop.database.allSubscriptions().map(\.subscriptionID) == ["fence"])
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SUB-20 PSH-16 firesOnce fires once under concurrent saves, and the badge counts one`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.save("first", ["n": 0])
      let inbox = try await Inbox(laptop)
      let once = CKQuerySubscription.of(
        "Note", where: "n < 10", id: "once", [.firesOnRecordCreation, .firesOnce]
      ).alerting("once")
      once.notificationInfo?.shouldBadge = true
      let fence = CKQuerySubscription.of("Note", where: "n == 99", id: "fence").alerting("fence")
      fence.notificationInfo?.shouldBadge = true
      for subscription in [once, fence] { try await laptop.database.save(subscription) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 1...12 {
          group.addTask { _ = try await phone.save("r\(number)", ["n": 1]) }
        }
        try await group.waitForAll()
      }
      try await phone.save("last", ["n": 99])
      let pushes = [try await inbox.nextQuery(), try await inbox.nextQuery()]
      #expect(pushes.map(\.subscriptionID) == ["once", "fence"])
      #expect(pushes.map { $0.badge?.intValue } == [1, 2])
      let operation = CKModifyBadgeOperation(badgeValue: 40)
      await laptop.run(operation)
      try await phone.save("after", ["n": 99])
      #expect(try await inbox.next().badge == 41)
      #expect(try await laptop.database.allSubscriptions().map(\.subscriptionID) == ["fence"])
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SUB-26 a subscription whose notification shows nothing still wakes the app`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let inbox = try await Inbox(laptop)
      let subscription = CKRecordZoneSubscription(zoneID: .named("Z"), subscriptionID: "zone")
      let bare = try await failure { try await laptop.database.save(subscription) }
      #expect(bare.code == .invalidArguments)
      subscription.notificationInfo = CKSubscription.NotificationInfo()
      try await laptop.database.save(subscription)
      try await phone.save("a")
      let push = Push(try await inbox.userInfo())
      #expect(push.aps?["content-available"] as? Int == 1 && push.aps?["alert"] == nil)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `everybody who subscribed is notified of a public record, each in his own words`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let alice = try await fixture.device("alice", "phone")
      let bob = try await fixture.device("bob", "phone")
      try await alice.everybodys.save(alice.record("zero", zone: nil, type: "News", ["n": 0]))
      let inboxes = (alice: try await Inbox(alice), bob: try await Inbox(bob))
      try await alice.everybodys.save(CKQuerySubscription.of("News", id: "a").alerting("for alice"))
      try await bob.everybodys.save(CKQuerySubscription.of("News", id: "a").alerting("for bob"))
      try await alice.everybodys.save(alice.record("one", zone: nil, type: "News", ["n": 1]))
      try await bob.everybodys.save(bob.record("two", zone: nil, type: "News", ["n": 2]))
      let (toAlice, toBob) = (
        try await inboxes.alice.nextQuery(), try await inboxes.bob.nextQuery()
      )
      #expect(toAlice.alertBody == "for alice" && toAlice.recordID?.recordName == "two")
      #expect(toBob.alertBody == "for bob" && toBob.recordID?.recordName == "one")
      #expect(toBob.databaseScope == .public)
      let owner = try await bob.container.userRecordID()
      #expect(toBob.subscriptionOwnerUserRecordID == owner)
    }
  }
}
