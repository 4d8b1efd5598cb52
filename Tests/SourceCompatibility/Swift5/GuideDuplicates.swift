// swift-format-ignore-file
// The guide to subscriptions and notifications (document 000), first of its "Anti-Patterns". The
// `...` in the signature of its BAD half stands for UIKit, so only its two statements are here.
//
// Swift 5 only: the GOOD half captures a predicate in a handler that may run anywhere, and
// Foundation on Linux says that predicates must not be (`NSPredicate` is not `Sendable` there).

import CloudKit
import Foundation

enum GuideDuplicates {
  static func bad(_ predicate: NSPredicate) {
    let subscription = CKQuerySubscription(recordType: "Item", predicate: predicate, options: .firesOnRecordCreation)
    database.save(subscription) { _, _ in }
  }

  static func good(_ predicate: NSPredicate) {
// GOOD: Check before creating, use consistent ID
let subscriptionID = "item-creation-subscription"

database.fetch(withSubscriptionID: subscriptionID) { subscription, error in
    if subscription == nil {
        let newSubscription = CKQuerySubscription(
            recordType: "Item",
            predicate: predicate,
            subscriptionID: subscriptionID,
            options: .firesOnRecordCreation
        )
        let info = CKSubscription.NotificationInfo()
        info.shouldSendContentAvailable = true
        newSubscription.notificationInfo = info
        database.save(newSubscription) { _, _ in }
    }
}
  }
}
