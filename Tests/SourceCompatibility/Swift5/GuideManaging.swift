// swift-format-ignore-file
// The guide to subscriptions and notifications (document 000), chapters "Subscription Management"
// and "Best Practices". The snippets are unchanged; around each stands a function with what it
// takes for granted.

import CloudKit
import Foundation

enum GuideManaging {
  static func list() async throws {
let subscriptions = try await database.allSubscriptions()

for subscription in subscriptions {
    print("ID: \(subscription.subscriptionID)")
    print("Type: \(type(of: subscription))")
    
    if let zoneSubscription = subscription as? CKRecordZoneSubscription {
        print("Zone: \(zoneSubscription.zoneID)")
    }
}
  }

  static func delete() async throws {
// Delete by ID
try await database.deleteSubscription(withID: "my-subscription-id")

// Delete multiple
let operation = CKModifySubscriptionsOperation(
    subscriptionsToSave: nil,
    subscriptionIDsToDelete: ["sub1", "sub2", "sub3"]
)
database.add(operation)
  }

  static func update() async throws {
// Fetch existing
let subscription = try await database.subscription(for: "my-subscription-id")

// Modify and re-save
if var querySubscription = subscription as? CKQuerySubscription {
    querySubscription.notificationInfo?.alertBody = "Updated alert text"
    try await database.save(querySubscription)
}
  }

  // MARK: Check Subscription Exists

  struct Checker {
func ensureSubscriptionExists(id: String, create: () -> CKSubscription) async throws {
    do {
        _ = try await database.subscription(for: id)
        print("Subscription already exists")
    } catch let error as CKError where error.code == .unknownItem {
        // Doesn't exist - create it
        let subscription = create()
        try await database.save(subscription)
        print("Subscription created")
    }
}
  }

  // MARK: Best Practices

  static func useSilentPushes(_ notificationInfo: CKSubscription.NotificationInfo) {
// For background sync, always use silent pushes
notificationInfo.shouldSendContentAvailable = true

// Don't set alertBody for silent pushes
// notificationInfo.alertBody = nil  // Default
  }

  static func deduplicate(
    _ zoneID: CKRecordZone.ID, existingSubscriptionIDs: Set<String>,
    creating: (_ id: String) async throws -> Void
  ) async throws {
    func createSubscription(id: String) async throws { try await creating(id) }
// Create unique, deterministic subscription IDs
let subscriptionID = "zone-\(zoneID.zoneName)-\(zoneID.ownerName)"

// Check before creating
if !existingSubscriptionIDs.contains(subscriptionID) {
    try await createSubscription(id: subscriptionID)
}
  }

  struct Activation {
func applicationDidBecomeActive() {
    Task {
        // Always fetch changes on activation
        await syncManager.fetchAllChanges()
    }
}
  }

  static func markAsRead(_ notification: CKNotification) -> CKMarkNotificationsReadOperation {
// Mark notification as read to prevent re-delivery
let operation = CKMarkNotificationsReadOperation(notificationIDsToMarkRead: [notification.notificationID!])
container.add(operation)
    return operation
  }

  static func limitPayload(_ notificationInfo: CKSubscription.NotificationInfo) {
// Only include essential keys
notificationInfo.desiredKeys = ["title"]  // Not all fields

// Large payloads may be truncated
  }

  static func oneZoneSubscription(_ zoneID: CKRecordZone.ID) -> CKRecordZoneSubscription {
// CloudKit limits subscriptions per database
// If you hit limits, consolidate subscriptions

// Instead of per-record-type subscriptions:
// let taskSub = CKQuerySubscription(recordType: "Task", ...)
// let noteSub = CKQuerySubscription(recordType: "Note", ...)

// Use one zone subscription:
let zoneSub = CKRecordZoneSubscription(zoneID: zoneID)
    return zoneSub
  }
}
