import BrumeModel
import Foundation
import Testing

@testable import BrumeKit

@Suite struct SubscriptionTests {
  private func info() -> CKSubscription.NotificationInfo {
    let info = CKSubscription.NotificationInfo()
    info.shouldSendContentAvailable = true
    return info
  }

  @Test func `options have Apple's numbers`() {
    let options: CKQuerySubscription.Options = [.firesOnRecordUpdate, .firesOnce]
    #expect(options.rawValue == 0b1010)
    #expect(CKQuerySubscription.Options.firesOnRecordCreation.rawValue == 1)
    #expect(CKQuerySubscription.Options.firesOnRecordDeletion.rawValue == 4)
  }

  @Test func `what is left out has Apple's defaults`() {
    let query = CKQuerySubscription(recordType: "Note", predicate: NSPredicate(value: true))
    #expect(UUID(uuidString: query.subscriptionID) != nil)
    #expect(query.querySubscriptionOptions.rawValue == 0b111)
    #expect(query.notificationInfo == nil && query.zoneID == nil)
    #expect(query.subscriptionType == .query)
    #expect(CKDatabaseSubscription().subscriptionType == .database)
    let info = CKSubscription.NotificationInfo()
    #expect(info.alertBody == nil && info.desiredKeys == nil && info.alertLocalizationArgs == nil)
    #expect(!info.shouldBadge && !info.shouldSendContentAvailable && !info.shouldSendMutableContent)
  }

  @Test func `a notification info that was set is a copy that can be changed in place`() {
    let subscription = CKDatabaseSubscription(subscriptionID: "all")
    let original = info()
    subscription.notificationInfo = original
    original.alertBody = "later"
    #expect(subscription.notificationInfo?.alertBody == nil)
    subscription.notificationInfo?.alertBody = "in place"
    #expect(subscription.notificationInfo?.alertBody == "in place")
  }

  @Test func `a query subscription survives archiving and copying`() throws {
    let subscription = CKQuerySubscription(
      recordType: "FeedItem", predicate: NSPredicate(format: "tags CONTAINS 'Swift'"),
      subscriptionID: "feed", options: [.firesOnRecordCreation, .firesOnce])
    subscription.zoneID = CKRecordZone.ID(zoneName: "Feed")
    let details = CKSubscription.NotificationInfo(
      alertBody: "b", alertLocalizationKey: "k", alertLocalizationArgs: ["x", "y"], title: "t",
      soundName: "default", desiredKeys: ["z"], shouldBadge: true, category: "c",
      collapseIDKey: "i")
    subscription.notificationInfo = details
    let expected = try subscription.model(in: .private)
    let restored = try through(subscription)
    #expect(try restored.model(in: .private) == expected)
    let copy = try #require(subscription.copy() as? CKQuerySubscription)
    #expect(try copy.model(in: .private) == expected)
    copy.notificationInfo?.title = "other"
    #expect(subscription.notificationInfo?.title == "t")
  }

  @Test func `zone and database subscriptions survive archiving`() throws {
    let zone = CKRecordZoneSubscription(
      zoneID: CKRecordZone.ID(zoneName: "Notes"), subscriptionID: "z")
    zone.recordType = "Note"
    zone.notificationInfo = info()
    #expect(
      try through(zone).model(in: .private)
        == zone.model(in: .private))
    let database = CKDatabaseSubscription(subscriptionID: "d")
    database.notificationInfo = info()
    let restored = try through(database as CKSubscription)
    #expect(restored is CKDatabaseSubscription)
    #expect(try restored.model(in: .shared) == database.model(in: .shared))
  }

  @Test func `the server's words become the same subscription`() throws {
    var details = NotificationInfo()
    details.alert.literal = "new"
    let models = [
      Subscription(
        id: "q",
        kind: .query(
          Query(
            recordType: "Whistles", filters: [Filter(.equals, .field("genre"), .string("Jazz"))]),
          zone: ZoneID(name: "Z"), firesOn: [.create, .delete], firesOnce: true),
        info: details),
      Subscription(id: "z", kind: .zone(ZoneID(name: "Z"), recordType: "A"), info: details),
      Subscription(id: "d", kind: .database(recordType: nil), info: details),
    ]
    for model in models {
      let subscription = CKSubscription.make(model, from: Viewpoint(scope: .private))
      #expect(try subscription.model(in: .private) == model)
    }
  }

  @Test func `a strange subscription of the server is no reason to stop`() throws {
    let model = Subscription(
      id: "", kind: .query(Query(recordType: ""), zone: nil, firesOn: [], firesOnce: false),
      info: nil)
    let subscription = CKSubscription.make(model, from: Viewpoint(scope: .public))
    #expect(subscription.subscriptionType == .query)
  }

  // MARK: Refusals

  private func refusal(_ subscription: CKSubscription, _ scope: DatabaseScope) -> CKError? {
    do {
      _ = try subscription.model(in: scope)
      return nil
    } catch { return error as? CKError }
  }

  @Test func `SUB-26 a subscription without notificationInfo is refused with what to set`()
    throws
  {
    let error = try #require(refusal(CKDatabaseSubscription(subscriptionID: "all"), .private))
    #expect(error.code == .invalidArguments)
    #expect(error.localizedDescription.contains("'all' has no notificationInfo"))
    #expect(error.localizedDescription.contains("shouldSendContentAvailable"))
  }

  @Test func `SUB-12 SUB-13 the wrong kind for a database is refused with the right one`()
    throws
  {
    let query = CKQuerySubscription(recordType: "A", predicate: NSPredicate(value: true))
    let zone = CKRecordZoneSubscription(zoneID: CKRecordZone.ID(zoneName: "Z"))
    let database = CKDatabaseSubscription()
    let wrong: [(CKSubscription, DatabaseScope, String)] = [
      (query, .shared, "CKDatabaseSubscription"), (zone, .shared, "CKDatabaseSubscription"),
      (zone, .public, "CKQuerySubscription"), (database, .public, "CKQuerySubscription"),
    ]
    for (subscription, scope, right) in wrong {
      subscription.notificationInfo = info()
      let error = try #require(refusal(subscription, scope))
      #expect(error.code == .invalidArguments)
      #expect(error.localizedDescription.contains(right))
      #expect(error.localizedDescription.contains(subscription.subscriptionID))
    }
    for scope in [DatabaseScope.public, .private] { #expect(refusal(query, scope) == nil) }
    for scope in [DatabaseScope.private, .shared] { #expect(refusal(database, scope) == nil) }
    #expect(refusal(zone, .private) == nil)
  }

  @Test func `a predicate that CloudKit does not support is refused`() throws {
    let subscription = CKQuerySubscription(
      recordType: "A", predicate: NSPredicate(format: "a == 1 OR b == 2"))
    subscription.notificationInfo = info()
    let error = try #require(refusal(subscription, .public))
    #expect(error.code == .invalidArguments)
  }

  @Test func `a predicate that CloudKit does not support fails to be archived`() throws {
    let subscription = CKQuerySubscription(
      recordType: "A", predicate: NSPredicate(format: "a == 1 OR b == 2"), subscriptionID: "q")
    #expect(throws: (any Error).self) {
      try NSKeyedArchiver.archivedData(withRootObject: subscription, requiringSecureCoding: true)
    }
    let operation = CKModifySubscriptionsOperation(subscriptionsToSave: [subscription])
    let container = ScriptedServer { _, _ in [] }.container
    operation.database = container.publicCloudDatabase
    #expect(LongLived.content(of: operation) == nil)
    #expect(operation.database === container.publicCloudDatabase)
  }

  @Test func `wrong use is a programming error`() async {
    await #expect(processExitsWith: .failure) {
      _ = CKQuerySubscription(
        recordType: "A", predicate: NSPredicate(value: true), options: .firesOnce)
    }
    await #expect(processExitsWith: .failure) {
      _ = CKQuerySubscription(recordType: "", predicate: NSPredicate(value: true))
    }
    await #expect(processExitsWith: .failure) { _ = CKDatabaseSubscription(subscriptionID: "") }
  }
}
