// Document 000, "Subscription Management" and "Best Practices".

import BrumeKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct GuideManagingTests {
  @Test(arguments: StorageEngine.allCases)
  func `000 subscriptions are listed, updated and deleted, one and many`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, _) = try await fixture.pair()
      let database = phone.database
      try await phone.save("a", type: "Item", ["category": "news"])
      try await database.save(
        CKRecordZoneSubscription(zoneID: .named("Z"), subscriptionID: "sub1").silent())
      try await database.save(CKDatabaseSubscription(subscriptionID: "sub2").silent())
      try await database.save(CKQuerySubscription.of("Item", id: "sub3").silent())
      try await database.save(
        CKQuerySubscription.of("Item", where: "category == 'news'", id: "my-subscription-id")
          .alerting("Alert text"))

      let subscriptions = try await database.allSubscriptions()
      #expect(subscriptions.count == 4)
      for subscription in subscriptions {
        if let zoneSubscription = subscription as? CKRecordZoneSubscription {
          #expect(zoneSubscription.zoneID == .named("Z"))
        }
      }
      let subscription = try await database.subscription(for: "my-subscription-id")
      if let querySubscription = subscription as? CKQuerySubscription {
        querySubscription.notificationInfo?.alertBody = "Updated alert text"
        try await database.save(querySubscription)
      }
      let updated = try await database.subscription(for: "my-subscription-id")
      #expect(updated.notificationInfo?.alertBody == "Updated alert text")

      try await database.deleteSubscription(withID: "my-subscription-id")
      let operation = CKModifySubscriptionsOperation(
        subscriptionsToSave: nil, subscriptionIDsToDelete: ["sub1", "sub2", "sub3"])
      await phone.run(operation)
      #expect(try await database.allSubscriptions().isEmpty)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `000 a subscription is created when it does not exist, and only then`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let phone = try await fixture.device("alice", "phone")
      let app = GuideApp(phone.container, database: phone.database)
      var created = 0
      for _ in 1...3 {
        try await app.ensureSubscriptionExists(id: "all-changes") {
          created += 1
          return CKDatabaseSubscription(subscriptionID: "all-changes").silent()
        }
      }
      #expect(created == 1)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `000 what was missed is fetched when the app becomes active`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let app = GuideApp(laptop.container, database: laptop.database)
      // No subscription, so no push ever comes.
      try await phone.save("a")
      await withCheckedContinuation { done in
        app.fetchChangesForZones([.named("Z")]) { done.resume() }
      }
      #expect(app.records.keys.map(\.recordName) == ["a"])
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `000 a notification that was marked as read counts as read everywhere`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let inbox = try await Inbox(laptop)
      try await laptop.database.save(CKDatabaseSubscription(subscriptionID: "all").silent())
      try await phone.save("a")
      let notification = try await inbox.next()
      let operation = CKMarkNotificationsReadOperation(
        notificationIDsToMarkRead: [notification.notificationID!])
      var error: (any Error)?
      operation.markNotificationsReadCompletionBlock = { error = $1 }
      await laptop.run(operation)
      #expect(error == nil)
      let fetch = CKFetchNotificationChangesOperation(previousServerChangeToken: nil)
      var types: [CKNotification.NotificationType] = []
      fetch.notificationChangedBlock = { types.append($0.notificationType) }
      await phone.run(fetch)
      #expect(types == [.readNotification])
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `000 the subscription manager saves its subscription once`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let phone = try await fixture.device("alice", "phone")
      let manager = SubscriptionManager(phone)
      await manager.ensureSubscriptionExists()
      #expect(manager.isCreated)
      try await phone.database.deleteSubscription(withID: "all-changes")
      await manager.ensureSubscriptionExists()
      #expect(try await phone.database.allSubscriptions().isEmpty)
    }
  }
}

/// The guide's pattern; the flag is a property where the guide has the user's defaults.
private final class SubscriptionManager {
  private let device: Device
  private(set) var isCreated = false

  init(_ device: Device) { self.device = device }

  func ensureSubscriptionExists() async {
    guard !isCreated else { return }

    let subscription = CKDatabaseSubscription(subscriptionID: "all-changes")
    let info = CKSubscription.NotificationInfo()
    info.shouldSendContentAvailable = true
    subscription.notificationInfo = info

    let operation = CKModifySubscriptionsOperation(
      subscriptionsToSave: [subscription], subscriptionIDsToDelete: nil)
    var isSaved = false
    operation.modifySubscriptionsResultBlock = { result in
      if case .success = result { isSaved = true }
    }
    await device.run(operation)
    isCreated = isSaved
  }
}
