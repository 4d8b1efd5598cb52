// Written for this suite, in the shape of sync libraries of the years before async calls: operations that
// depend on each other, completion blocks, an error handler that reads the user info, key-value coding.

import CloudKit
import Foundation

/// What a library makes of an error before it goes on.
enum OldVerdict: Equatable {
  case success
  case retry(after: Double)
  case chunk
  case startOver
  case fail(String)

  init(_ error: Error?) {
    guard error != nil else {
      self = .success
      return
    }
    guard let error = error as? CKError else {
      self = .fail("not CloudKit's")
      return
    }
    switch error.code {
    case .serviceUnavailable, .requestRateLimited, .zoneBusy:
      let seconds = error.userInfo[CKErrorRetryAfterKey] as? Double
      self = seconds.map { .retry(after: $0) } ?? .fail("\(error.code.rawValue)")
    case .limitExceeded: self = .chunk
    case .changeTokenExpired: self = .startOver
    case .partialFailure:
      let items = error.userInfo[CKPartialErrorsByItemIDKey] as? NSDictionary
      self = .fail("\(items?.count ?? 0) items")
    case .alreadyShared, .participantMayNeedVerification, .referenceViolation,
      .tooManyParticipants:
      self = .fail("sharing")
    default: self = .fail(error.localizedDescription)
    }
  }
}

/// An object of the app that follows one zone.
protocol ZoneFollower: AnyObject {
  var zoneID: CKRecordZone.ID { get }
  var token: CKServerChangeToken? { get set }
  func take(_ record: CKRecord)
  func drop(_ recordID: CKRecord.ID)
}

final class OldZoneFetcher: @unchecked Sendable {
  private let database: CKDatabase
  private let followers: [ZoneFollower]

  init(container: CKContainer, followers: [ZoneFollower]) {
    database = container.privateCloudDatabase
    self.followers = followers
  }

  func fetch(completion: (() -> Void)? = nil) {
    var options: [CKRecordZone.ID: CKFetchRecordZoneChangesOperation.ZoneConfiguration] = [:]
    for follower in followers {
      let option = CKFetchRecordZoneChangesOperation.ZoneConfiguration()
      option.previousServerChangeToken = follower.token
      options[follower.zoneID] = option
    }
    let operation = CKFetchRecordZoneChangesOperation(
      recordZoneIDs: followers.map { $0.zoneID }, configurationsByRecordZoneID: options)
    operation.fetchAllChanges = true
    operation.recordChangedBlock = { [weak self] record in
      self?.follower(of: record.recordID.zoneID)?.take(record)
    }
    operation.recordWithIDWasDeletedBlock = { [weak self] recordID, _ in
      self?.follower(of: recordID.zoneID)?.drop(recordID)
    }
    operation.recordZoneChangeTokensUpdatedBlock = { [weak self] zoneID, token, _ in
      self?.follower(of: zoneID)?.token = token
    }
    operation.recordZoneFetchCompletionBlock = { [weak self] (zoneID, token, _, _, error) in
      guard let self = self, let follower = self.follower(of: zoneID) else { return }
      switch OldVerdict(error) {
      case .success: follower.token = token
      case .startOver:
        follower.token = nil
        self.fetch(completion: completion)
      case .retry, .chunk, .fail: return
      }
    }
    operation.fetchRecordZoneChangesCompletionBlock = { _ in completion?() }
    database.add(operation)
  }

  private func follower(of zoneID: CKRecordZone.ID) -> ZoneFollower? {
    followers.first(where: { $0.zoneID == zoneID })
  }
}

/// Makes the zone, then the subscription, as one operation of the app's own queue.
class OldSetup: Operation, @unchecked Sendable {
  private let database: CKDatabase
  private let zone: CKRecordZone
  private let queue = OperationQueue()
  var error: Error?

  init(database: CKDatabase, zoneName: String) {
    self.database = database
    zone = CKRecordZone(zoneName: zoneName)
    super.init()
    name = "setup"
    qualityOfService = .userInitiated
  }

  override func main() {
    if isCancelled { return }
    let zones = CKModifyRecordZonesOperation(recordZonesToSave: [zone], recordZoneIDsToDelete: nil)
    zones.database = database
    zones.modifyRecordZonesCompletionBlock = { self.error = $2 }
    let info = CKSubscription.NotificationInfo()
    info.shouldSendContentAvailable = true
    let subscription = CKDatabaseSubscription(subscriptionID: "all")
    subscription.notificationInfo = info
    let subscriptions = CKModifySubscriptionsOperation(
      subscriptionsToSave: [subscription], subscriptionIDsToDelete: nil)
    subscriptions.database = database
    subscriptions.modifySubscriptionsCompletionBlock = { (_, _, error) in
      if let error = error as? CKError, error.code != .networkUnavailable { self.error = error }
    }
    subscriptions.addDependency(zones)
    queue.addOperations([zones, subscriptions], waitUntilFinished: true)
  }
}

/// What key-value coding and casts made of records.
func oldRecord(_ values: [String: Any], type: String) -> CKRecord {
  let record = CKRecord(recordType: type)
  record.setValuesForKeys(values)
  record.setValue(Date() as NSDate, forKey: "saved")
  record.setObject(true as CKRecordValue, forKey: "isNew")
  if let name = record.value(forKey: "name") as? String { record["upper"] = name.uppercased() }
  return record
}
