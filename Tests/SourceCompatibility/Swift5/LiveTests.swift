// The documents' code against a server: run under `brume exec --users alice,bob -- swift test
// --filter LiveTests`. Without a server these tests are skipped.

import CloudKit
import Foundation
import Testing

private let variables = ProcessInfo.processInfo.environment

/// A device of its own of one of the two users.
private func device(_ name: String, of user: String) throws -> CKContainer {
  Brume.container(try Brume.Configuration(environmentOf: user, deviceID: name + UUID().uuidString))
}

private func saveTypes(_ database: CKDatabase) async throws {
  let task = CKRecord(recordType: "Task")
  task["priority"] = "low"
  task["isComplete"] = 0
  let item = CKRecord(recordType: "Item")
  item["category"] = "none"
  try await database.save(task)
  try await database.save(item)
}

@Suite(.enabled(if: variables["BRUME_URL"] != nil), .serialized) struct LiveTests {
  @Test func `000 the guide's subscriptions are saved, listed, updated and deleted`() async throws {
    let container = CKContainer.default()
    try await saveTypes(container.publicCloudDatabase)
    try await container.privateCloudDatabase.save(CKRecordZone(zoneName: "MyZone"))
    let zone = try await GuideCreating.zoneSubscription(container.privateCloudDatabase)
    let query = try await GuideCreating.querySubscription(container.publicCloudDatabase)
    let whole = try await GuideCreating.databaseSubscription(container.privateCloudDatabase)
    let privateIDs = try await container.privateCloudDatabase.allSubscriptions()
      .map(\.subscriptionID)
    #expect(Set(privateIDs).isSuperset(of: [zone.subscriptionID, whole.subscriptionID]))
    let fetched = try await container.publicCloudDatabase.subscription(for: query.subscriptionID)
    #expect(fetched.notificationInfo?.alertBody == "New high-priority task!")
    #expect((fetched as? CKQuerySubscription)?.querySubscriptionOptions.rawValue == 0b111)
    try await GuideManaging.list()
    for id in privateIDs { try await container.privateCloudDatabase.deleteSubscription(withID: id) }
    try await container.publicCloudDatabase.deleteSubscription(withID: query.subscriptionID)
    #expect(try await container.privateCloudDatabase.allSubscriptions().isEmpty)
  }

  @Test func `000 a subscription is created when it does not exist, and left alone when it does`()
    async throws
  {
    var made = 0
    for _ in 0..<2 {
      try await GuideManaging.Checker().ensureSubscriptionExists(id: "checked") {
        made += 1
        let subscription = CKDatabaseSubscription(subscriptionID: "checked")
        subscription.notificationInfo = CKSubscription.NotificationInfo(
          shouldSendContentAvailable: true)
        return subscription
      }
    }
    #expect(made == 1)
    try await database.deleteSubscription(withID: "checked")
  }

  @Test func `000 a predicate on a field without an index is refused when saving`() async throws {
    let subscription = CKQuerySubscription(
      recordType: "Item", predicate: NSPredicate(format: "noSuchField == %@", "news"))
    subscription.notificationInfo = CKSubscription.NotificationInfo(alertBody: "x")
    do {
      try await CKContainer.default().publicCloudDatabase.save(subscription)
      Issue.record("it was saved")
    } catch {
      #expect((error as? CKError)?.code == .invalidArguments)
    }
  }

  @Test func `000 fetching zone changes stores the token and the records`() async throws {
    let zone = CKRecordZone(zoneName: "Handled-\(UUID().uuidString)")
    try await database.save(zone)
    let name = UUID().uuidString
    try await database.save(
      CKRecord(
        recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zone.zoneID)))
    let handler = NotificationHandler()
    await withCheckedContinuation { done in
      handler.fetchZoneChanges(zoneID: zone.zoneID) { done.resume() }
    }
    #expect(LocalStore.shared.records.contains(name))
    #expect(loadChangeToken(for: zone.zoneID) != nil)
  }

  @Test func `001 a contact that one device adds arrives at the other by a push`() async throws {
    let (one, two) = (try device("one", of: "alice"), try device("two", of: "alice"))
    let first = await PrivateSync(database: one.privateCloudDatabase)
    let second = await PrivateSync(database: two.privateCloudDatabase)
    try await first.initializeOnce()
    try await second.initializeOnce()
    try await Brume.registerForRemoteNotifications(for: two)
    try await first.addContact(named: "Grace")
    var pushes = Brume.remoteNotifications(for: two).makeAsyncIterator()
    while await !second.contacts.values.contains("Grace") {
      guard let userInfo = await pushes.next() else { break }
      let notification = CKNotification(fromRemoteNotificationDictionary: userInfo)
      #expect(notification is CKRecordZoneNotification)
      try await second.receive(userInfo)
    }
    #expect(await second.contacts.values.contains("Grace"))
    #expect(try await second.storedToken() != nil)
  }

  @Test func `002 the page's subscription is saved, and its query finds the record again`()
    async throws
  {
    let zone = CKRecordZone(zoneName: "Feed-\(UUID().uuidString)")
    try await database.save(zone)
    let item = CKRecord(
      recordType: "FeedItem", recordID: CKRecord.ID(recordName: "f", zoneID: zone.zoneID))
    item["tags"] = ["Swift", "Linux"]
    try await database.save(item)
    let defaults = try #require(UserDefaults(suiteName: "live-\(UUID().uuidString)"))
    let operation = try #require(
      QuerySubscriptionPage.subscribe(recordZone: zone, defaults: defaults))
    await withCheckedContinuation { done in
      let after = BlockOperation { done.resume() }
      after.addDependency(operation)
      OperationQueue().addOperation(after)
    }
    let saved = try await database.subscription(for: "tagged-feed-changes")
    let subscription = try #require(saved as? CKQuerySubscription)
    #expect(subscription.zoneID == zone.zoneID)
    #expect(defaults.bool(forKey: "didCreateQuerySubscription"))
    let (matches, _) = try await database.records(
      matching: CKQuery(recordType: "FeedItem", predicate: subscription.predicate),
      inZoneWith: zone.zoneID)
    #expect(matches.map(\.0) == [item.recordID])
    try await database.deleteSubscription(withID: "tagged-feed-changes")
  }

  @Test func `004 the shared database is followed through a database subscription`() async throws {
    let changes = SharedChanges()
    let operation = try #require(changes.subscribe())
    await withCheckedContinuation { done in
      let after = BlockOperation { done.resume() }
      after.addDependency(operation)
      OperationQueue().addOperation(after)
    }
    #expect(changes.subscriptionIslocallyCached)
    await withCheckedContinuation { done in changes.fetchSharedChanges { done.resume() } }
    #expect(changes.sharedDBChangeToken != nil)
  }

  @Test func `003 an expert is notified of another user's whistle in the genre`() async throws {
    let bob = try device("bob", of: "bob").publicCloudDatabase
    func publish(_ genre: String) async throws {
      let whistle = CKRecord(recordType: "Whistles")
      whistle["genre"] = genre
      try await bob.save(whistle)
    }
    try await publish("Rock")
    let expert = CKContainer.default()
    let controller = MyGenresViewController()
    controller.myGenres = ["Jazz"]
    controller.saveTapped()
    var questions = 0
    while try await expert.publicCloudDatabase.allSubscriptions().isEmpty, questions < 1000 {
      questions += 1
    }
    try await publish("Blues")
    try await publish("Jazz")
    var pushes = Brume.remoteNotifications(for: expert).makeAsyncIterator()
    var received: CKQueryNotification?
    while received == nil, let userInfo = await pushes.next() {
      received = CKQueryNotification(fromRemoteNotificationDictionary: userInfo)
    }
    #expect(received?.alertBody == "There's a new whistle in the Jazz genre.")
    #expect(received?.soundName == "default" && received?.databaseScope == .public)
    withExtendedLifetime(controller) {}
  }

  @Test func `004 a participant is notified of changes in what was shared`() async throws {
    let alice = try device("a", of: "alice")
    let bob = try device("b", of: "bob")
    let zone = CKRecordZone(zoneName: "Shared-\(UUID().uuidString)")
    try await alice.privateCloudDatabase.save(zone)
    let root = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: "root", zoneID: zone.zoneID))
    let share = CKShare(rootRecord: root)
    share[CKShare.SystemFieldKey.title] = "Trip"
    share.publicPermission = .readWrite
    let saved = try await alice.privateCloudDatabase.modifyRecords(
      saving: [root, share], deleting: [])
    for result in saved.saveResults.values { _ = try result.get() }
    let url = try #require(share.url)

    let metadata = try await bob.shareMetadata(for: url)
    #expect(metadata.share[CKShare.SystemFieldKey.title] as? String == "Trip")
    #expect(metadata.hierarchicalRootRecordID?.recordName == "root")
    let accepted = try await bob.accept(metadata)
    #expect(accepted.currentUserParticipant?.acceptanceStatus == .accepted)
    let subscription = CKDatabaseSubscription(subscriptionID: "shared-\(UUID().uuidString)")
    subscription.notificationInfo = CKSubscription.NotificationInfo(
      shouldSendContentAvailable: true)
    try await bob.sharedCloudDatabase.save(subscription)
    let before = try await bob.sharedCloudDatabase.databaseChanges(since: nil)
    let sharedZone = try #require(
      before.modifications.map(\.zoneID).first { $0.zoneName == zone.zoneID.zoneName })
    #expect(sharedZone.ownerName != CKCurrentUserDefaultName)

    root["title"] = "Packing list"
    try await alice.privateCloudDatabase.save(root)
    var pushes = Brume.remoteNotifications(for: bob).makeAsyncIterator()
    var received: CKDatabaseNotification?
    while received?.subscriptionID != subscription.subscriptionID, let push = await pushes.next() {
      received = CKDatabaseNotification(fromRemoteNotificationDictionary: push)
    }
    #expect(received?.databaseScope == .shared)
    let fetched = try await bob.sharedCloudDatabase.record(
      for: CKRecord.ID(recordName: "root", zoneID: sharedZone))
    #expect(fetched["title"] as? String == "Packing list")
    #expect(fetched.share?.recordID.recordName == share.recordID.recordName)
  }
}
