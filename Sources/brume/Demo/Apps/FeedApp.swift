// Document 002: a query subscription on a list field, limited to one zone, silent; saved with an
// operation. The notifications only say that something changed, so a query follows.

import BrumeKit
import Foundation

actor FeedApp: DemoApp {
  private let container: CKContainer
  private var database: CKDatabase { container.privateCloudDatabase }
  private let recordZone = CKRecordZone(zoneName: "Feed")

  init(container: CKContainer) { self.container = container }

  func perform(_ command: String, _ arguments: [String]) async throws -> String {
    switch command {
    case "launch": return try await launch()
    case "post": return try await post(title: arguments[0], tags: Array(arguments.dropFirst()))
    case "burst": return try await burst(count: Int(arguments[0]) ?? 0)
    case "subscribe-large": return try await subscribeLarge()
    case "post-large": return try await postLarge("essay-1")
    case "subscribe-zone": return try await subscribeZone()
    default: throw UnknownDemoCommand(command)
    }
  }

  private func launch() async throws -> String {
    try await database.save(recordZone)
    _ = try await post(title: "Hello", tags: ["Welcome"])
    let subscription = CKQuerySubscription(
      recordType: "FeedItem", predicate: NSPredicate(format: "tags CONTAINS 'Swift'"),
      subscriptionID: "tagged-feed-changes", options: .firesOnRecordCreation)
    subscription.zoneID = recordZone.zoneID
    let notificationInfo = CKSubscription.NotificationInfo()
    notificationInfo.shouldSendContentAvailable = true
    subscription.notificationInfo = notificationInfo
    try await save(subscription)
    return "zone Feed and subscription tagged-feed-changes are there"
  }

  private func save(_ subscription: CKSubscription) async throws {
    let operation = CKModifySubscriptionsOperation(
      subscriptionsToSave: [subscription], subscriptionIDsToDelete: nil)
    operation.qualityOfService = .utility
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      operation.modifySubscriptionsCompletionBlock = { _, _, error in
        if let error { done.resume(throwing: error) } else { done.resume() }
      }
      database.add(operation)
    }
  }

  private func post(title: String, tags: [String]) async throws -> String {
    let item = CKRecord(
      recordType: "FeedItem",
      recordID: CKRecord.ID(recordName: UUID().uuidString, zoneID: recordZone.zoneID))
    item["title"] = title
    item["tags"] = tags
    try await database.save(item)
    return "posted '\(title)' tagged \(tags.joined(separator: ", "))"
  }

  private func burst(count: Int) async throws -> String {
    let items = (1...count).map { number in
      let item = CKRecord(
        recordType: "Note",
        recordID: CKRecord.ID(recordName: "note-\(number)", zoneID: recordZone.zoneID))
      item["text"] = "Note \(number)"
      return item
    }
    for item in items { try await database.save(item) }
    return "saved \(count) notes one after the other"
  }

  private func countNotes() async throws -> Int {
    let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
    return try await database.records(matching: query, inZoneWith: recordZone.zoneID)
      .matchResults.count
  }

  private func subscribeZone() async throws -> String {
    let subscription = CKRecordZoneSubscription(
      zoneID: recordZone.zoneID, subscriptionID: "feed-zone")
    subscription.recordType = "Note"
    let info = CKSubscription.NotificationInfo()
    info.shouldSendContentAvailable = true
    subscription.notificationInfo = info
    try await save(subscription)
    return "subscribed to notes in the zone"
  }

  private func subscribeLarge() async throws -> String {
    // A development server learns a record type from the first record of it.
    _ = try await postLarge("essay-0")
    let subscription = CKQuerySubscription(
      recordType: "Essay", predicate: NSPredicate(value: true),
      subscriptionID: "essays", options: .firesOnRecordCreation)
    subscription.zoneID = recordZone.zoneID
    let info = CKSubscription.NotificationInfo()
    info.alertBody = String(repeating: "A new essay. ", count: 280)
    info.desiredKeys = ["title", "summary"]
    subscription.notificationInfo = info
    try await save(subscription)
    return "subscribed to essays with a long alert and two desired keys"
  }

  private func postLarge(_ name: String) async throws -> String {
    let essay = CKRecord(
      recordType: "Essay", recordID: CKRecord.ID(recordName: name, zoneID: recordZone.zoneID))
    essay["title"] = String(repeating: "Title ", count: 60)
    essay["summary"] = String(repeating: "Summary ", count: 200)
    try await database.save(essay)
    return "posted an essay with large fields"
  }

  func received(_ notification: CKNotification) async throws -> String {
    guard notification.subscriptionID == "tagged-feed-changes" else {
      return notification.isPruned
        ? "pruned: fetch for the rest" : "\(try await countNotes()) notes"
    }
    let query = CKQuery(
      recordType: "FeedItem", predicate: NSPredicate(format: "tags CONTAINS 'Swift'"))
    let (matches, _) = try await database.records(
      matching: query, inZoneWith: recordZone.zoneID)
    let titles = try matches.map { try $0.1.get()["title"] as? String ?? "" }.sorted()
    return "queried: [\(titles.joined(separator: ", "))]"
  }
}
