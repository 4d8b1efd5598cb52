// What of the documents' code needs no server, run. The calls that do need one fail here with the
// error that names the missing setting, or before that with the error that the document names.

import CloudKit
import Foundation
import Testing

/// A push as a device receives it.
func push(_ json: String) throws -> [AnyHashable: Any] {
  let object = try JSONSerialization.jsonObject(with: Data(json.utf8))
  return try #require(object as? [AnyHashable: Any])
}

@Suite struct DocumentTests {
  @Test func `000 the guide's notification info has every part that was set`() {
    let info = GuideCreating.notificationInfo()
    #expect(info.alertBody == "You have new data!")
    #expect(info.alertLocalizationArgs == ["arg1", "arg2"])
    #expect(info.soundName == "custom.caf" && info.desiredKeys == ["title", "preview"])
    #expect(info.shouldBadge && info.shouldSendContentAvailable)
  }

  @Test func `000 options are combined`() {
    let subscription = GuideCreating.options(NSPredicate(format: "title == %@", "x"))
    #expect(subscription.querySubscriptionOptions.rawValue == 0b1111)
    #expect(subscription.recordType == "Message")
  }

  @Test func `000 a subscription without notificationInfo fails to save`() async {
    let subscription = CKDatabaseSubscription(subscriptionID: "bare")
    await #expect(throws: CKError.self) { try await database.save(subscription) }
    do {
      try await database.save(subscription)
    } catch {
      #expect((error as? CKError)?.code == .invalidArguments)
      #expect(error.localizedDescription.contains("notificationInfo"))
    }
  }

  @Test func `000 a query subscription in the shared database fails to save`() async {
    let subscription = GuideAntiPatterns.missingNotificationInfo(GuideAntiPatterns.notIndexed())
    do {
      try await CKContainer.default().sharedCloudDatabase.save(subscription)
      Issue.record("it was saved")
    } catch {
      #expect((error as? CKError)?.code == .invalidArguments)
      #expect(error.localizedDescription.contains("CKDatabaseSubscription"))
    }
  }

  @Test func `000 consolidated and silent subscriptions are made`() async throws {
    let zone = CKRecordZone.ID(zoneName: "Z")
    #expect(GuideManaging.oneZoneSubscription(zone).zoneID == zone)
    var created: [String] = []
    try await GuideManaging.deduplicate(zone, existingSubscriptionIDs: []) { created.append($0) }
    #expect(created == ["zone-Z-__defaultOwner__"])
  }

  @Test func `001 only pushes of the sample's own subscription are listened to`() async throws {
    let sync = await PrivateSync(database: CKContainer.default().privateCloudDatabase)
    let subscription = await sync.subscription()
    #expect(subscription.subscriptionType == .recordZone)
    #expect(subscription.zoneID.zoneName == "Contacts")
    try await sync.receive(try push(#"{"ck":{"fet":{"sid":"other","zid":"Contacts"}}}"#))
    #expect(await sync.token == nil)
  }

  @Test func `002 the page's subscription is saved once, then left alone`() throws {
    let defaults = try #require(UserDefaults(suiteName: "query-subscription-page"))
    defaults.set(false, forKey: "didCreateQuerySubscription")
    let zone = CKRecordZone(zoneName: "Feed")
    let operation = try #require(
      QuerySubscriptionPage.subscribe(recordZone: zone, defaults: defaults))
    let saved = try #require(operation.subscriptionsToSave?.first as? CKQuerySubscription)
    #expect(saved.zoneID == zone.zoneID && operation.qualityOfService == .utility)
    #expect(QuerySubscriptionPage.refresh(saved)?.query?.recordType == "FeedItem")
    operation.cancel()
    defaults.set(true, forKey: "didCreateQuerySubscription")
    #expect(QuerySubscriptionPage.subscribe(recordZone: zone, defaults: defaults) == nil)
  }

  @Test func `003 the expert's genres are remembered`() {
    let controller = MyGenresViewController()
    UserDefaults.standard.set(["Jazz"], forKey: "myGenres")
    controller.viewDidLoad()
    #expect(controller.myGenres == ["Jazz"])
  }

  @Test func `004 the old spellings name today's classes`() {
    let (record, zone, info) = SharedChanges.oldSpellings()
    #expect(record == CKRecord.ID(recordName: "r", zoneID: zone))
    #expect(type(of: info) == CKSubscription.NotificationInfo.self)
  }

  @Test func `004 a push of another subscription is let go`() throws {
    let changes = SharedChanges()
    changes.subscriptionIslocallyCached = true
    #expect(changes.subscribe() == nil)
    let body: [String: NSObject] = ["met": NSDictionary(dictionary: ["sid": "other", "dbs": 3])]
    let dictionary: [NSObject: AnyObject] = [
      NSString(string: "ck"): NSDictionary(dictionary: body)
    ]
    changes.receive(dictionary) { Issue.record("it was taken for ours") }
    #expect(changes.sharedDBChangeToken == nil)
  }
}
