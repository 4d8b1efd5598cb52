// swift-format-ignore-file
// The talk notes about shared databases (document 004), in the spelling of their time:
// `CKNotificationInfo` is today's `CKSubscription.NotificationInfo`. What no compiler of today
// takes was changed, and nothing else:
// - the `...` in block bodies stand for the app's code, and have some;
// - "register for notifications" is UIKit;
// - `CKNotification(fromRemoteNotificationDictionary:)` is optional since Swift 3, so
//   `notification.subscriptionID` became `notification?.subscriptionID`;
// - the error of a completion block is `Error?`, not `NSError?`;
// - a closure that is kept must be marked `@escaping`;
// - the application delegate's signature is UIKit's; its body is here.

import CloudKit
import Foundation

final class SharedChanges: @unchecked Sendable {
  var subscriptionIslocallyCached = false
  var subscription: CKDatabaseSubscription?
  var sharedDBChangeToken: CKServerChangeToken?
  var changedZoneIDs: [CKRecordZone.ID] = []
  let sharedDB = CKContainer.default().sharedCloudDatabase

  // MARK: Subscribe to Changes

  func prepareSubscription() {
if (subscriptionIslocallyCached) { return }
let subscription = CKDatabaseSubscription(subscriptionID: "shared-changes")
 let notificationInfo = CKNotificationInfo()
notificationInfo.shouldSendContentAvailable = true
subscription.notificationInfo = notificationInfo
    self.subscription = subscription
  }

  // MARK: Push Config

  func subscribe() -> CKModifySubscriptionsOperation? {
    prepareSubscription()
    guard let subscription else { return nil }
let notificationInfo = CKNotificationInfo()
// Set only this property
notificationInfo.shouldSendContentAvailable = true
    subscription.notificationInfo = notificationInfo

let operation = CKModifySubscriptionsOperation(subscriptionsToSave: [subscription],
   subscriptionIDsToDelete: [])

operation.modifySubscriptionsCompletionBlock = { _, _, error in
   if error != nil { } // Handle the error
   else { self.subscriptionIslocallyCached = true }
}

operation.qualityOfService = .utility
self.sharedDB.add(operation)
    return operation
  }

  // MARK: Listen for Pushes

  func receive(_ userInfo: [NSObject : AnyObject], completionHandler: @escaping () -> Void) {
    let dict = userInfo as! [String: NSObject]
    let notification = CKNotification(fromRemoteNotificationDictionary: dict)
    if (notification?.subscriptionID == "shared-changes") {
        fetchSharedChanges {
         completionHandler()
        }
    } 
  }

  // MARK: Fetch New Changes

// Fetching database changes after a push
func fetchSharedChanges(_ callback: @escaping () -> Void) {
    let changesOperation = CKFetchDatabaseChangesOperation(
        previousServerChangeToken: sharedDBChangeToken) // previously cached
    
    changesOperation.fetchAllChanges = true
    changesOperation.recordZoneWithIDChangedBlock = { self.changedZoneIDs.append($0) } // collect zone IDs
    changesOperation.recordZoneWithIDWasDeletedBlock = { zoneID in self.changedZoneIDs.removeAll { $0 == zoneID } } // delete local cache
    changesOperation.changeTokenUpdatedBlock = { self.sharedDBChangeToken = $0 } // cache new token
    changesOperation.fetchDatabaseChangesCompletionBlock = {
      (newToken: CKServerChangeToken?, more: Bool, error: Error?) -> Void in
      // error handling here
      self.sharedDBChangeToken = newToken // cache new token
      self.fetchZoneChanges(callback) // using CKFetchRecordZoneChangesOperation
    }
    self.sharedDB.add(changesOperation)
}

  func fetchZoneChanges(_ callback: @escaping () -> Void) {
    let operation = CKFetchRecordZoneChangesOperation(recordZoneIDs: changedZoneIDs)
    operation.recordWasChangedBlock = { _, result in
      if case .success(let record) = result { saveLocally(record) }
    }
    operation.fetchRecordZoneChangesCompletionBlock = { _ in callback() }
    sharedDB.add(operation)
  }

  // MARK: Other spellings of the time

  static func oldSpellings() -> (CKRecordID, CKRecordZoneID, CKNotificationInfo) {
    let zoneID = CKRecordZoneID(zoneName: "Z", ownerName: CKCurrentUserDefaultName)
    return (CKRecordID(recordName: "r", zoneID: zoneID), zoneID, CKNotificationInfo())
  }
}
