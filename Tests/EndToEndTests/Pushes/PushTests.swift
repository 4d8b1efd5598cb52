// What pushes look like and how they arrive: PSH-02 to PSH-05, PSH-07, PSH-15, PSH-16, PSH-18.

import BrumeKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PushTests {
  @Test(arguments: StorageEngine.allCases)
  func `PSH-02 PSH-03 a silent push wakes the app and names container, user, zone and itself`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let inbox = try await Inbox(laptop)
      try await laptop.database.save(CKDatabaseSubscription(subscriptionID: "all").silent())
      try await laptop.database.save(
        CKRecordZoneSubscription(zoneID: .named("Z"), subscriptionID: "zone").silent())
      try await phone.save("a")
      var kinds: Set<String> = []
      for _ in 1...2 {
        let userInfo = try await inbox.userInfo()
        let push = Push(userInfo)
        #expect(push.aps?["content-available"] as? Int == 1 && push.aps?.count == 1)
        let ck = try #require(push.ck)
        #expect(ck["ce"] as? Int == 2 && ck["cid"] as? String == EndToEndFixture.containerName)
        #expect(ck["ckuserid"] as? String == (try await laptop.container.userRecordID()).recordName)
        #expect((ck["nid"] as? String)?.isEmpty == false)
        let part = try #require(push.about)
        #expect(part["dbs"] as? Int == 1 && part["zid"] as? String == "Z")
        #expect(part["zoid"] as? String != nil)
        kinds.insert(try #require(part["sid"] as? String))
        let notification = try #require(CKNotification(fromRemoteNotificationDictionary: userInfo))
        #expect(notification.containerIdentifier == EndToEndFixture.containerName)
        #expect(!notification.isPruned && notification.notificationID != nil)
        if let zone = notification as? CKRecordZoneNotification {
          #expect(zone.recordZoneID == .named("Z") && zone.databaseScope == .private)
          #expect(ck["fet"] != nil)
        } else {
          #expect(notification.notificationType == .database && ck["met"] != nil)
        }
      }
      #expect(kinds == ["all", "zone"])
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `PSH-05 silent pushes in a row merge, visible ones do not`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine, mergingPushes: 3_600_000) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.save("zero", ["n": 0])
      let inbox = try await Inbox(laptop)
      try await laptop.database.save(
        CKRecordZoneSubscription(zoneID: .named("Z"), subscriptionID: "zone").silent())
      try await laptop.database.save(
        CKQuerySubscription.of("Note", where: "n > 8", id: "visible").alerting("n"))
      try await phone.save("r1", ["n": 1])
      #expect(try await inbox.next().subscriptionID == "zone")
      for number in 2...10 { try await phone.save("r\(number)", ["n": number]) }
      #expect(try await inbox.nextQuery().recordID == .named("r9"))
      #expect(try await inbox.nextQuery().recordID == .named("r10"))
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `PSH-07 pushes from before the app listens are kept and delivered in order`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.save("zero", ["n": 0])
      // Saving a subscription is enough to be known as a device.
      try await laptop.database.save(CKQuerySubscription.of("Note", id: "notes").alerting("n"))
      for number in 1...3 { try await phone.save("r\(number)", ["n": number]) }
      let inbox = try await Inbox(laptop)
      for number in 1...3 {
        #expect(try await inbox.nextQuery().recordID == .named("r\(number)"))
      }
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `a push that was handled does not come again, one that was not does`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.save("zero", ["n": 0])
      try await laptop.database.save(CKQuerySubscription.of("Note", id: "notes").alerting("n"))
      for number in 1...3 { try await phone.save("r\(number)", ["n": number]) }
      let first = try await Inbox(laptop)
      #expect(try await first.nextQuery().recordID == .named("r1"))
      // Coming back for the second says that the first was handled.
      #expect(try await first.nextQuery().recordID == .named("r2"))
      let again = try await Inbox(try await fixture.device("alice", "laptop"))
      let next = try await again.nextQuery().recordID
      #expect(next == .named("r2") || next == .named("r1"))
      var last = next
      while last != .named("r3") { last = try await again.nextQuery().recordID }
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `PSH-15 localised texts are filled from the record's fields`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.save("zero", ["title": "", "by": ""])
      let inbox = try await Inbox(laptop)
      let info = CKSubscription.NotificationInfo()
      info.alertLocalizationKey = "NEW_NOTE"
      info.alertLocalizationArgs = ["title", "missing", "by"]
      info.titleLocalizationKey = "TITLE"
      info.titleLocalizationArgs = ["by"]
      info.subtitle = "Sub"
      info.soundName = "default"
      info.category = "NOTE"
      info.alertActionLocalizationKey = "OPEN"
      info.alertLaunchImage = "launch.png"
      let subscription = CKQuerySubscription.of("Note", id: "notes")
      subscription.notificationInfo = info
      try await laptop.database.save(subscription)
      try await phone.save("a", ["title": "Hello", "by": "Ada"])
      let push = try await inbox.nextQuery()
      #expect(push.alertLocalizationKey == "NEW_NOTE")
      #expect(push.alertLocalizationArgs == ["Hello", "", "Ada"])
      #expect(push.titleLocalizationKey == "TITLE" && push.titleLocalizationArgs == ["Ada"])
      #expect(push.subtitle == "Sub" && push.soundName == "default" && push.category == "NOTE")
      #expect(push.alertActionLocalizationKey == "OPEN" && push.alertLaunchImage == "launch.png")
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `PSH-16 the badge rises by one with each push until the app sets it`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.save("zero")
      let inbox = try await Inbox(laptop)
      let subscription = CKQuerySubscription.of("Note", id: "notes").alerting("n")
      subscription.notificationInfo?.shouldBadge = true
      try await laptop.database.save(subscription)
      for number in 1...2 {
        try await phone.save("r\(number)")
        #expect(try await inbox.next().badge?.intValue == number)
      }
      let operation = CKModifyBadgeOperation(badgeValue: 0)
      var error: (any Error)?
      operation.modifyBadgeCompletionBlock = { error = $0 }
      await laptop.run(operation)
      #expect(error == nil)
      try await phone.save("r3")
      #expect(try await inbox.next().badge == 1)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `PSH-04 PSH-18 what is too large for a push is left out, desired keys first`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.save("zero", ["one": "", "two": ""])
      let inbox = try await Inbox(laptop)
      let alert = String(repeating: "A", count: 3700)
      try await laptop.database.save(
        CKQuerySubscription.of("Note", id: "notes").alerting(alert, keys: ["one", "two"]))
      try await phone.save(
        "a", ["one": String(repeating: "1", count: 99), "two": String(repeating: "2", count: 99)])
      let push = try await inbox.nextQuery()
      #expect(push.isPruned && push.alertBody == alert)
      #expect(push.recordFields?.isEmpty ?? true)
      #expect(push.recordID == .named("a") && push.queryNotificationReason == .recordCreated)
    }
  }
}
