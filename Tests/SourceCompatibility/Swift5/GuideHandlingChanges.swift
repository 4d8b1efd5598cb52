// swift-format-ignore-file
// The guide to subscriptions and notifications (document 000), chapter "Handling Notifications":
// fetching what changed after a push of a zone or a database. The snippets are unchanged.

import CloudKit
import Foundation

class NotificationHandler {
  var zonesToFetch: [CKRecordZone.ID] = []
  var databaseToken: CKServerChangeToken?
  func loadDatabaseChangeToken() -> CKServerChangeToken? { databaseToken }
  func saveDatabaseChangeToken(_ token: CKServerChangeToken) { databaseToken = token }
  func deleteLocalZone(_ zoneID: CKRecordZone.ID) { zonesToFetch.removeAll { $0 == zoneID } }
  func fetchChangesForZones(_ zones: [CKRecordZone.ID], completion: @escaping () -> Void) {
    guard let zone = zones.first else { return completion() }
    fetchZoneChanges(zoneID: zone) {
      self.fetchChangesForZones(Array(zones.dropFirst()), completion: completion)
    }
  }

  // MARK: Record Zone Notification

func handleRecordZoneNotification(_ notification: CKRecordZoneNotification, 
                                   completion: @escaping () -> Void) {
    
    guard let zoneID = notification.recordZoneID else {
        completion()
        return
    }
    
    // Fetch all changes in the zone
    fetchZoneChanges(zoneID: zoneID, completion: completion)
}

func fetchZoneChanges(zoneID: CKRecordZone.ID, completion: @escaping () -> Void) {
    let token = loadChangeToken(for: zoneID)
    
    var config = CKFetchRecordZoneChangesOperation.ZoneConfiguration()
    config.previousServerChangeToken = token
    
    let operation = CKFetchRecordZoneChangesOperation(
        recordZoneIDs: [zoneID],
        configurationsByRecordZoneID: [zoneID: config]
    )
    
    operation.recordWasChangedBlock = { recordID, result in
        if case .success(let record) = result {
            saveLocally(record)
        }
    }
    
    operation.recordWithIDWasDeletedBlock = { recordID, _ in
        deleteLocally(recordID)
    }
    
    operation.recordZoneFetchResultBlock = { zoneID, result in
        if case .success((let newToken, _, _)) = result {
            saveChangeToken(newToken, for: zoneID)
        }
    }
    
    operation.fetchRecordZoneChangesResultBlock = { _ in
        completion()
    }
    
    database.add(operation)
}

  // MARK: Database Notification

func handleDatabaseNotification(_ notification: CKDatabaseNotification,
                                 completion: @escaping () -> Void) {
    
    // Fetch database-level changes (zone additions/deletions)
    let operation = CKFetchDatabaseChangesOperation(
        previousServerChangeToken: loadDatabaseChangeToken()
    )
    
    operation.recordZoneWithIDChangedBlock = { zoneID in
        // Zone has changes - queue for fetching
        self.zonesToFetch.append(zoneID)
    }
    
    operation.recordZoneWithIDWasDeletedBlock = { zoneID in
        // Zone was deleted
        self.deleteLocalZone(zoneID)
    }
    
    operation.fetchDatabaseChangesResultBlock = { result in
        if case .success((let newToken, _)) = result {
            self.saveDatabaseChangeToken(newToken)
            
            // Now fetch changes from modified zones
            self.fetchChangesForZones(self.zonesToFetch) {
                completion()
            }
        } else {
            completion()
        }
    }
    
    database.add(operation)
}
}
