// swift-format-ignore-file
// The guide to subscriptions and notifications (document 000), chapter "Handling Notifications":
// distinguishing pushes, and fetching one record. The snippets are unchanged.
//
// Swift 5 only: `fetchRecord` hands its completion closure, which nobody declared `@Sendable`, to a
// task; Swift 6 refuses that on every platform. The functions that call it go with it.

import CloudKit
import Foundation

extension NotificationHandler {
  // MARK: Process CKNotification

func handleCloudKitNotification(_ notification: CKNotification, completion: @escaping () -> Void) {
    switch notification.notificationType {
    case .query:
        handleQueryNotification(notification as! CKQueryNotification, completion: completion)
        
    case .recordZone:
        handleRecordZoneNotification(notification as! CKRecordZoneNotification, completion: completion)
        
    case .database:
        handleDatabaseNotification(notification as! CKDatabaseNotification, completion: completion)
        
    case .readNotification:
        // User read a shared record
        completion()
        
    @unknown default:
        completion()
    }
}

  // MARK: Query Notification

func handleQueryNotification(_ notification: CKQueryNotification, completion: @escaping () -> Void) {
    guard let recordID = notification.recordID else {
        completion()
        return
    }
    
    switch notification.queryNotificationReason {
    case .recordCreated:
        // Fetch new record
        fetchRecord(recordID, completion: completion)
        
    case .recordUpdated:
        // Fetch updated record
        fetchRecord(recordID, completion: completion)
        
    case .recordDeleted:
        // Remove from local store
        deleteLocalRecord(recordID)
        completion()
        
    @unknown default:
        completion()
    }
}

func fetchRecord(_ recordID: CKRecord.ID, completion: @escaping () -> Void) {
    Task {
        do {
            let record = try await database.record(for: recordID)
            saveLocally(record)
        } catch {
            print("Failed to fetch record: \(error)")
        }
        completion()
    }
}
}
