// swift-format-ignore-file
// The app around the guide's snippets (document 000), one per device: what the guide calls
// `database`, `container`, `saveLocally` and so on are this app's. The snippets have the guide's
// text; `@Sendable` was added to the completions, as Swift 6 demands for one that a task calls.

import BrumeKit
import Foundation

final class GuideApp: @unchecked Sendable {
  // Sendable because one push is handled at a time, and its completion comes before the next.
  let container: CKContainer
  let database: CKDatabase
  var records: [CKRecord.ID: CKRecord] = [:]
  var tokens: [CKRecordZone.ID: CKServerChangeToken] = [:]
  var databaseToken: CKServerChangeToken?
  var zonesToFetch: [CKRecordZone.ID] = []
  var deletedZones: [CKRecordZone.ID] = []

  init(_ container: CKContainer, database: CKDatabase) {
    self.container = container
    self.database = database
  }

  func loadChangeToken(for zoneID: CKRecordZone.ID) -> CKServerChangeToken? { tokens[zoneID] }
  func saveChangeToken(_ token: CKServerChangeToken, for zoneID: CKRecordZone.ID) {
    tokens[zoneID] = token
  }
  func loadDatabaseChangeToken() -> CKServerChangeToken? { databaseToken }
  func saveDatabaseChangeToken(_ token: CKServerChangeToken) { databaseToken = token }
  func saveLocally(_ record: CKRecord) { records[record.recordID] = record }
  func deleteLocally(_ recordID: CKRecord.ID) { records[recordID] = nil }
  func deleteLocalRecord(_ recordID: CKRecord.ID) { deleteLocally(recordID) }
  func deleteLocalZone(_ zoneID: CKRecordZone.ID) {
    deletedZones.append(zoneID)
    records = records.filter { $0.key.zoneID != zoneID }
  }
  func fetchChangesForZones(
    _ zones: [CKRecordZone.ID], completion: @escaping @Sendable () -> Void
  ) {
    zonesToFetch = []
    guard let zone = zones.first else { return completion() }
    fetchZoneChanges(zoneID: zone) {
      self.fetchChangesForZones(Array(zones.dropFirst()), completion: completion)
    }
  }

  /// What the app delegate does with a push; false: it was not CloudKit's.
  func received(_ userInfo: [AnyHashable: Any]) async -> Bool {
    guard let notification = CKNotification(fromRemoteNotificationDictionary: userInfo) else {
      return false
    }
    await withCheckedContinuation { done in
      handleCloudKitNotification(notification) { done.resume() }
    }
    return true
  }

  // MARK: Process CKNotification

func handleCloudKitNotification(_ notification: CKNotification, completion: @escaping @Sendable () -> Void) {
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

func handleQueryNotification(_ notification: CKQueryNotification, completion: @escaping @Sendable () -> Void) {
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

func fetchRecord(_ recordID: CKRecord.ID, completion: @escaping @Sendable () -> Void) {
    Task {
        do {
            let record = try await database.record(for: recordID)
            saveLocally(record)
        } catch {
        }
        completion()
    }
}

  // MARK: Record Zone Notification

func handleRecordZoneNotification(_ notification: CKRecordZoneNotification, 
                                   completion: @escaping @Sendable () -> Void) {
    
    guard let zoneID = notification.recordZoneID else {
        completion()
        return
    }
    
    // Fetch all changes in the zone
    fetchZoneChanges(zoneID: zoneID, completion: completion)
}

func fetchZoneChanges(zoneID: CKRecordZone.ID, completion: @escaping @Sendable () -> Void) {
    let token = loadChangeToken(for: zoneID)
    
    let config = CKFetchRecordZoneChangesOperation.ZoneConfiguration()
    config.previousServerChangeToken = token
    
    let operation = CKFetchRecordZoneChangesOperation(
        recordZoneIDs: [zoneID],
        configurationsByRecordZoneID: [zoneID: config]
    )
    
    operation.recordWasChangedBlock = { recordID, result in
        if case .success(let record) = result {
            self.saveLocally(record)
        }
    }
    
    operation.recordWithIDWasDeletedBlock = { recordID, _ in
        self.deleteLocally(recordID)
    }
    
    operation.recordZoneFetchResultBlock = { zoneID, result in
        if case .success((let newToken, _, _)) = result {
            self.saveChangeToken(newToken, for: zoneID)
        }
    }
    
    operation.fetchRecordZoneChangesResultBlock = { _ in
        completion()
    }
    
    database.add(operation)
}

  // MARK: Database Notification

func handleDatabaseNotification(_ notification: CKDatabaseNotification,
                                 completion: @escaping @Sendable () -> Void) {
    
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

  // MARK: Check Subscription Exists

func ensureSubscriptionExists(id: String, create: () -> CKSubscription) async throws {
    do {
        _ = try await database.subscription(for: id)
    } catch let error as CKError where error.code == .unknownItem {
        // Doesn't exist - create it
        let subscription = create()
        try await database.save(subscription)
    }
}
}
