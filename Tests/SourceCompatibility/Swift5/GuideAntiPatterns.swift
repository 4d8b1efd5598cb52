// swift-format-ignore-file
// The guide to subscriptions and notifications (document 000), chapter "Anti-Patterns". The
// snippets are unchanged but for two things that no compiler takes: "Wrong Subscription Type"
// declares `subscription` twice, so its BAD half has a scope of its own; and "Relying Solely on
// Push" is about UIKit's application delegate alone. The first one is in GuideDuplicates.swift.

import CloudKit
import Foundation

enum GuideAntiPatterns {
  // MARK: Missing NotificationInfo

  static func missingNotificationInfo(_ predicate: NSPredicate) -> CKSubscription {
// BAD: Subscription will fail to save
let subscription = CKQuerySubscription(recordType: "Item", predicate: predicate, options: .firesOnRecordCreation)
database.save(subscription) { _, error in }  // Error!

// GOOD: Always configure notificationInfo
let info = CKSubscription.NotificationInfo()
info.shouldSendContentAvailable = true
subscription.notificationInfo = info
    return subscription
  }

  // MARK: Wrong Subscription Type for Shared Database

  static func wrongTypeForSharedDatabase(_ predicate: NSPredicate) {
// BAD: CKQuerySubscription doesn't work with shared database
let sharedDB = CKContainer.default().sharedCloudDatabase
    do {
let subscription = CKQuerySubscription(recordType: "SharedItem", predicate: predicate, options: .firesOnRecordCreation)
sharedDB.save(subscription) { _, error in }  // Error!
    }

// GOOD: Use CKDatabaseSubscription for shared database
let subscription = CKDatabaseSubscription(subscriptionID: "shared-db-subscription")
let info = CKSubscription.NotificationInfo()
info.shouldSendContentAvailable = true
subscription.notificationInfo = info
sharedDB.save(subscription) { _, _ in }
  }

  // MARK: Not Indexing Predicate Fields

  static func notIndexed() -> NSPredicate {
// BAD: Field not indexed in CloudKit Dashboard
let predicate = NSPredicate(format: "category == %@", "news")
// Error: CKError.invalidArguments when saving subscription

// FIX: Enable "Query" indexing for field in CloudKit Dashboard
    return predicate
  }
}

// MARK: Subscription Manager Pattern

class SubscriptionManager {
    private let subscriptionKey = "cloudkit.subscription.created"

    func ensureSubscriptionExists() {
        guard !UserDefaults.standard.bool(forKey: subscriptionKey) else { return }

        let subscription = CKDatabaseSubscription(subscriptionID: "all-changes")
        let info = CKSubscription.NotificationInfo()
        info.shouldSendContentAvailable = true
        subscription.notificationInfo = info

        let operation = CKModifySubscriptionsOperation(
            subscriptionsToSave: [subscription],
            subscriptionIDsToDelete: nil
        )
        operation.modifySubscriptionsResultBlock = { result in
            if case .success = result {
                UserDefaults.standard.set(true, forKey: self.subscriptionKey)
            }
        }
        database.add(operation)
    }
}
