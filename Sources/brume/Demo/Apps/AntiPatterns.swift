// Document 000, "Anti-Patterns": each mistake, committed; the error that comes back is what the
// director checks.

import BrumeKit
import Foundation

struct AntiPatterns {
  let container: CKContainer

  func commit(_ name: String) async throws -> String {
    switch name {
    case "duplicate": try await duplicate()
    case "missing-info": try await missingNotificationInfo()
    case "query-in-shared": try await queryInSharedDatabase()
    case "not-indexed": try await notIndexed()
    default: throw UnknownDemoCommand(name)
    }
    return "no error"
  }

  /// A new identifier on every launch: the second launch finds the first one's subscription.
  private func duplicate() async throws {
    for _ in 1...2 {
      let subscription = CKQuerySubscription(
        recordType: "Item", predicate: NSPredicate(format: "category == %@", "news"),
        subscriptionID: UUID().uuidString, options: .firesOnRecordCreation)
      subscription.notificationInfo = silent()
      try await container.publicCloudDatabase.save(subscription)
    }
  }

  private func missingNotificationInfo() async throws {
    let subscription = CKQuerySubscription(
      recordType: "Item", predicate: NSPredicate(value: true),
      subscriptionID: UUID().uuidString, options: .firesOnRecordCreation)
    try await container.publicCloudDatabase.save(subscription)
  }

  private func queryInSharedDatabase() async throws {
    let subscription = CKQuerySubscription(
      recordType: "SharedItem", predicate: NSPredicate(value: true),
      subscriptionID: UUID().uuidString, options: .firesOnRecordCreation)
    subscription.notificationInfo = silent()
    try await container.sharedCloudDatabase.save(subscription)
  }

  private func notIndexed() async throws {
    let subscription = CKQuerySubscription(
      recordType: "Item", predicate: NSPredicate(format: "category == %@", "sports"),
      subscriptionID: "not-indexed", options: .firesOnRecordUpdate)
    subscription.notificationInfo = silent()
    try await container.publicCloudDatabase.save(subscription)
  }

  private func silent() -> CKSubscription.NotificationInfo {
    let info = CKSubscription.NotificationInfo()
    info.shouldSendContentAvailable = true
    return info
  }
}
