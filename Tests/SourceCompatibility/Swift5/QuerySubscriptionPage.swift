// swift-format-ignore-file
// The reference page of CKQuerySubscription (document 002) shows Objective-C; this is its example
// written in Swift, statement by statement, with its comments.

import CloudKit
import Foundation

enum QuerySubscriptionPage {
  static func subscribe(
    recordZone: CKRecordZone, defaults: UserDefaults = .standard
  ) -> CKModifySubscriptionsOperation? {
    // Only proceed if the subscription doesn't already exist.
    if defaults.bool(forKey: "didCreateQuerySubscription") == false {

      // Define a predicate that matches records with a tags field
      // that contains the word 'Swift'.
      let predicate = NSPredicate(format: "tags CONTAINS 'Swift'")

      // Create a subscription and scope it to the 'FeedItem' record type.
      // Provide a unique identifier for the subscription and declare the
      // circumstances for invoking it.
      let options: CKQuerySubscription.Options = .firesOnRecordCreation
      let subscription = CKQuerySubscription(
        recordType: "FeedItem",
        predicate: predicate,
        subscriptionID: "tagged-feed-changes",
        options: options)

      // Further specialize the subscription to only evaluate
      // records in a specific record zone
      subscription.zoneID = recordZone.zoneID

      // Configure the notification so that the system delivers it silently
      // and, therefore, doesn't require permission from the user.
      let notificationInfo = CKSubscription.NotificationInfo()
      notificationInfo.shouldSendContentAvailable = true
      subscription.notificationInfo = notificationInfo

      // Create an operation that saves the subscription to the server.
      let operation = CKModifySubscriptionsOperation(
        subscriptionsToSave: [subscription],
        subscriptionIDsToDelete: nil)

      operation.modifySubscriptionsCompletionBlock = { subscriptions, deleted, error in
        if error != nil {
          // Handle the error.
        } else {
          // Record that the system successfully creates the subscription
          // to prevent unnecessary trips to the server in later launches.
          defaults.set(true, forKey: "didCreateQuerySubscription")
        }
      }

      // Set an appropriate QoS and add the operation to the private
      // database's operation queue to execute it.
      operation.qualityOfService = .utility
      CKContainer.default().privateCloudDatabase.add(operation)
      return operation
    }
    return nil
  }

  /// What the page says to do when a push comes: query for the same again.
  static func refresh(_ subscription: CKQuerySubscription) -> CKQueryOperation? {
    guard let recordType = subscription.recordType else { return nil }
    let query = CKQuery(recordType: recordType, predicate: subscription.predicate)
    let operation = CKQueryOperation(query: query)
    operation.zoneID = subscription.zoneID
    return operation
  }
}
