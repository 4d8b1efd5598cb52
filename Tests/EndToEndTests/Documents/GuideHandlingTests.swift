// Document 000, "Creating Subscriptions" to "Handling Notifications", between two devices.

import BrumeKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct GuideHandlingTests {
  @Test(arguments: StorageEngine.allCases)
  func `000 a zone subscription keeps the other device's local store in sync`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair(zone: "MyZone")
      let zoneID = CKRecordZone.ID(zoneName: "MyZone", ownerName: CKCurrentUserDefaultName)
      let subscription = CKRecordZoneSubscription(
        zoneID: zoneID, subscriptionID: "zone-changes-\(zoneID.zoneName)")
      let notificationInfo = CKSubscription.NotificationInfo()
      notificationInfo.shouldSendContentAvailable = true
      subscription.notificationInfo = notificationInfo
      try await laptop.database.save(subscription)

      let app = GuideApp(laptop.container, database: laptop.database)
      let inbox = try await Inbox(laptop)
      try await phone.save("a", zone: "MyZone", ["title": "one"])
      #expect(await app.received(try await inbox.userInfo()))
      #expect(app.records.values.map { $0["title"] as String? } == ["one"])
      let token = try #require(app.tokens[zoneID])
      try await phone.database.deleteRecord(withID: .named("a", zone: "MyZone"))
      #expect(await app.received(try await inbox.userInfo()))
      #expect(app.records.isEmpty && app.tokens[zoneID] != token)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `000 a query subscription alerts about high-priority tasks in the public database`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let alice = try await fixture.device("alice", "phone")
      let bob = try await fixture.device("bob", "phone")
      func task(_ name: String, _ priority: String, isComplete: Bool) -> CKRecord {
        bob.record(
          name, zone: nil, type: "Task", ["priority": priority, "isComplete": isComplete])
      }
      try await bob.everybodys.save(task("first", "low", isComplete: true))
      let predicate = NSPredicate(
        format: "priority == %@ AND isComplete == %@", "high", NSNumber(value: false))
      let subscription = CKQuerySubscription(
        recordType: "Task", predicate: predicate, subscriptionID: "high-priority-incomplete",
        options: [.firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion])
      let notificationInfo = CKSubscription.NotificationInfo()
      notificationInfo.alertBody = "New high-priority task!"
      notificationInfo.soundName = "default"
      notificationInfo.shouldBadge = true
      subscription.notificationInfo = notificationInfo
      try await alice.everybodys.save(subscription)

      let app = GuideApp(alice.container, database: alice.everybodys)
      let inbox = try await Inbox(alice)
      try await bob.everybodys.save(task("low", "low", isComplete: false))
      let high = try await bob.everybodys.save(task("high", "high", isComplete: false))
      var push = try await inbox.userInfo()
      let aps = try #require(Push(push).aps)
      #expect(
        (aps["alert"] as? [String: Any])?["body"] as? String ?? aps["alert"] as? String
          == "New high-priority task!")
      #expect(aps["sound"] as? String == "default" && aps["badge"] as? Int == 1)
      #expect(await app.received(push))
      #expect(app.records.keys.map(\.recordName) == ["high"])
      high["note"] = "urgent"
      try await bob.everybodys.save(high)
      push = try await inbox.userInfo()
      #expect(await app.received(push))
      #expect(app.records[high.recordID]?["note"] == "urgent")
      try await bob.everybodys.deleteRecord(withID: high.recordID)
      push = try await inbox.userInfo()
      #expect(await app.received(push) && app.records.isEmpty)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `000 a database subscription notifies of zones that come, change and go`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair(zone: "Old")
      let subscription = CKDatabaseSubscription(subscriptionID: "database-changes")
      let notificationInfo = CKSubscription.NotificationInfo()
      notificationInfo.shouldSendContentAvailable = true
      subscription.notificationInfo = notificationInfo
      try await laptop.database.save(subscription)
      let app = GuideApp(laptop.container, database: laptop.database)
      let inbox = try await Inbox(laptop)
      try await phone.makeZone("New")
      #expect(await app.received(try await inbox.userInfo()))
      #expect(Set(app.tokens.keys) == [.named("Old"), .named("New")])
      try await phone.save("a", zone: "New")
      #expect(await app.received(try await inbox.userInfo()))
      #expect(app.records.keys.map(\.recordName) == ["a"])
      try await phone.database.deleteRecordZone(withID: .named("New"))
      #expect(await app.received(try await inbox.userInfo()))
      #expect(app.deletedZones == [.named("New")] && app.records.isEmpty)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `000 every part of a notification info reaches the device`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.save("zero", type: "Message", ["title": "", "preview": "", "arg1": ""])
      let notificationInfo = CKSubscription.NotificationInfo()
      notificationInfo.shouldSendContentAvailable = true
      notificationInfo.alertBody = "You have new data!"
      notificationInfo.alertLocalizationKey = "NEW_DATA_ALERT"
      notificationInfo.alertLocalizationArgs = ["arg1", "arg2"]
      notificationInfo.title = "CloudKit Update"
      notificationInfo.titleLocalizationKey = "ALERT_TITLE"
      notificationInfo.soundName = "custom.caf"
      notificationInfo.shouldBadge = true
      notificationInfo.category = "MESSAGE_CATEGORY"
      notificationInfo.desiredKeys = ["title", "preview"]
      notificationInfo.collapseIDKey = "recordID"
      let subscription = CKQuerySubscription.of("Message", id: "new-messages")
      subscription.notificationInfo = notificationInfo
      try await laptop.database.save(subscription)
      let inbox = try await Inbox(laptop)
      try await phone.save("a", type: "Message", ["title": "T", "preview": "P", "arg1": "A"])
      let userInfo = try await inbox.userInfo()
      #expect(Push(userInfo).aps?["content-available"] as? Int == 1)
      let push = try #require(
        CKNotification(fromRemoteNotificationDictionary: userInfo) as? CKQueryNotification)
      #expect(push.alertBody == "You have new data!" && push.title == "CloudKit Update")
      #expect(push.alertLocalizationKey == "NEW_DATA_ALERT")
      #expect(push.alertLocalizationArgs == ["A", ""])
      #expect(push.titleLocalizationKey == "ALERT_TITLE" && push.soundName == "custom.caf")
      #expect(push.badge == 1 && push.category == "MESSAGE_CATEGORY")
      #expect(push.recordFields?["title"] as? String == "T")
      #expect(push.recordFields?["preview"] as? String == "P")
    }
  }

  @Test func `000 a push that is not CloudKit's is somebody else's`() async throws {
    let container = Brume.container(
      Brume.Configuration(url: URL(fileURLWithPath: "/"), container: EndToEndFixture.containerName))
    let app = GuideApp(container, database: container.privateCloudDatabase)
    #expect(await !app.received(["aps": ["alert": "x"]]))
  }
}
