// Document 002: a query subscription on a list field, limited to a zone, silent.

import BrumeKit
import Foundation
import Testing

/// The page's example on one device; `didCreate` is its flag in the user's defaults.
private final class FeedApp {
  let device: Device
  let recordZone = CKRecordZone(zoneName: "Feed")
  private(set) var didCreateQuerySubscription = false
  let subscription: CKQuerySubscription
  private(set) var cache: [String] = []

  init(_ device: Device) {
    self.device = device
    let predicate = NSPredicate(format: "tags CONTAINS 'Swift'")
    subscription = CKQuerySubscription(
      recordType: "FeedItem", predicate: predicate, subscriptionID: "tagged-feed-changes",
      options: .firesOnRecordCreation)
    subscription.zoneID = recordZone.zoneID
    let notificationInfo = CKSubscription.NotificationInfo()
    notificationInfo.shouldSendContentAvailable = true
    subscription.notificationInfo = notificationInfo
  }

  /// Answers whether the server was asked.
  func subscribe() async -> Bool {
    guard !didCreateQuerySubscription else { return false }
    let operation = CKModifySubscriptionsOperation(
      subscriptionsToSave: [subscription], subscriptionIDsToDelete: nil)
    var isSaved = false
    operation.modifySubscriptionsCompletionBlock = { subscriptions, deleted, error in
      isSaved = error == nil
    }
    operation.qualityOfService = .utility
    await device.run(operation)
    didCreateQuerySubscription = isSaved
    return true
  }

  /// What the page says to do on a push: the same query again, and its results instead of the cache.
  func refresh() async throws {
    let operation = CKQueryOperation(
      query: CKQuery(recordType: "FeedItem", predicate: subscription.predicate))
    operation.zoneID = subscription.zoneID
    var found: [String] = []
    operation.recordMatchedBlock = { id, _ in found.append(id.recordName) }
    await device.run(operation)
    cache = found.sorted()
  }
}

@Suite(.timeLimit(.minutes(10)))
struct QuerySubscriptionPageTests {
  @Test(arguments: StorageEngine.allCases)
  func `002 items tagged Swift in the zone notify the other device silently, once`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair(zone: "Feed")
      try await phone.makeZone("Other")
      func post(_ name: String, _ tags: [String], zone: String = "Feed") async throws {
        try await phone.save(name, zone: zone, type: "FeedItem", ["tags": tags])
      }
      try await post("zero", ["Welcome"])
      let app = FeedApp(laptop)
      #expect(await app.subscribe() && app.didCreateQuerySubscription)
      #expect(await !app.subscribe())
      let inboxes = (phone: try await Inbox(phone), laptop: try await Inbox(laptop))

      try await post("go", ["Go", "Swiftly"])
      try await post("elsewhere", ["Swift"], zone: "Other")
      try await post("swift", ["Linux", "Swift"])
      let userInfo = try await inboxes.laptop.userInfo()
      let aps = try #require(Push(userInfo).aps)
      #expect(aps["content-available"] as? Int == 1 && aps["alert"] == nil && aps["sound"] == nil)
      let push = CKNotification(fromRemoteNotificationDictionary: userInfo) as? CKQueryNotification
      #expect(push?.subscriptionID == "tagged-feed-changes")
      #expect(push?.recordID == .named("swift", zone: "Feed"))
      try await app.refresh()
      #expect(app.cache == ["swift"])

      // The phone made all of this; the first it is notified of is the laptop's item.
      try await laptop.save("reply", zone: "Feed", type: "FeedItem", ["tags": ["Swift"]])
      #expect(
        try await inboxes.phone.nextQuery().recordID == .named("reply", zone: "Feed"))
    }
  }
}
