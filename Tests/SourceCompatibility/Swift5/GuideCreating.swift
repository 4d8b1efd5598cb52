// swift-format-ignore-file
// The guide to subscriptions and notifications (document 000), chapters "Creating Subscriptions"
// and "Notification Info". Each snippet is unchanged; around it stands a function with what it
// takes for granted.

import CloudKit
import Foundation

enum GuideCreating {
  static func zoneSubscription(_ privateDatabase: CKDatabase) async throws -> CKSubscription {
let zoneID = CKRecordZone.ID(zoneName: "MyZone", ownerName: CKCurrentUserDefaultName)

let subscription = CKRecordZoneSubscription(
    zoneID: zoneID,
    subscriptionID: "zone-changes-\(zoneID.zoneName)"
)

// Configure notification
let notificationInfo = CKSubscription.NotificationInfo()
notificationInfo.shouldSendContentAvailable = true  // Silent push for background fetch

subscription.notificationInfo = notificationInfo

// Save subscription
try await privateDatabase.save(subscription)
    return subscription
  }

  static func querySubscription(_ publicDatabase: CKDatabase) async throws -> CKSubscription {
// Trigger on specific record conditions
let predicate = NSPredicate(format: "priority == %@ AND isComplete == %@", "high", NSNumber(value: false))

let subscription = CKQuerySubscription(
    recordType: "Task",
    predicate: predicate,
    subscriptionID: "high-priority-incomplete",
    options: [.firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion]
)

// Visible notification
let notificationInfo = CKSubscription.NotificationInfo()
notificationInfo.alertBody = "New high-priority task!"
notificationInfo.soundName = "default"
notificationInfo.shouldBadge = true

subscription.notificationInfo = notificationInfo
try await publicDatabase.save(subscription)
    return subscription
  }

  static func options(_ predicate: NSPredicate) -> CKQuerySubscription {
// When to fire
let options: CKQuerySubscription.Options = [
    .firesOnRecordCreation,    // New record matches
    .firesOnRecordUpdate,      // Updated record matches
    .firesOnRecordDeletion,    // Deleted record matched
    .firesOnce                 // Fire only once, then delete subscription
]

let subscription = CKQuerySubscription(
    recordType: "Message",
    predicate: predicate,
    subscriptionID: "new-messages",
    options: options
)
    return subscription
  }

  static func databaseSubscription(_ privateDatabase: CKDatabase) async throws -> CKSubscription {
// Notify when zones are created/deleted
let subscription = CKDatabaseSubscription(subscriptionID: "database-changes")

let notificationInfo = CKSubscription.NotificationInfo()
notificationInfo.shouldSendContentAvailable = true
subscription.notificationInfo = notificationInfo

try await privateDatabase.save(subscription)
    return subscription
  }

  static func notificationInfo() -> CKSubscription.NotificationInfo {
let notificationInfo = CKSubscription.NotificationInfo()

// Silent push (background sync)
notificationInfo.shouldSendContentAvailable = true

// Visible alert
notificationInfo.alertBody = "You have new data!"
notificationInfo.alertLocalizationKey = "NEW_DATA_ALERT"  // Localized
notificationInfo.alertLocalizationArgs = ["arg1", "arg2"]

// Title (iOS 10+)
notificationInfo.title = "CloudKit Update"
notificationInfo.titleLocalizationKey = "ALERT_TITLE"

// Sound
notificationInfo.soundName = "default"  // System sound
notificationInfo.soundName = "custom.caf"  // Custom sound

// Badge
notificationInfo.shouldBadge = true

// Category (for actionable notifications)
notificationInfo.category = "MESSAGE_CATEGORY"

// Include record fields in payload
notificationInfo.desiredKeys = ["title", "preview"]

// Collapse similar notifications
notificationInfo.collapseIDKey = "recordID"
    return notificationInfo
  }
}
