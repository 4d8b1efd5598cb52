// swift-format-ignore-file
// The private sync sample (document 001) is described in words only; this is its flow in code, with the
// calls that it names: a zone "Contacts", a subscription to it, and fetching with a stored token.

import CloudKit
import Foundation

@MainActor
final class PrivateSync {
  let database: CKDatabase
  let zoneID = CKRecordZone.ID(zoneName: "Contacts")
  private(set) var contacts: [CKRecord.ID: String] = [:]
  private(set) var token: CKServerChangeToken?

  init(database: CKDatabase) {
    self.database = database
  }

  func initializeOnce() async throws {
    try await database.save(CKRecordZone(zoneID: zoneID))
    try await database.save(subscription())
    try await fetchLatestChanges()
  }

  func subscription() -> CKRecordZoneSubscription {
    let subscription = CKRecordZoneSubscription(
      zoneID: zoneID, subscriptionID: "changes-subscription-id")
    let info = CKSubscription.NotificationInfo()
    info.shouldSendContentAvailable = true
    subscription.notificationInfo = info
    return subscription
  }

  func addContact(named name: String) async throws {
    let record = CKRecord(
      recordType: "SavedContact", recordID: CKRecord.ID(recordName: UUID().uuidString, zoneID: zoneID))
    record["name"] = name
    let saved = try await database.save(record)
    contacts[saved.recordID] = name
  }

  func receive(_ userInfo: [AnyHashable: Any]) async throws {
    guard let notification = CKNotification(fromRemoteNotificationDictionary: userInfo),
      notification.subscriptionID == "changes-subscription-id"
    else { return }
    try await fetchLatestChanges()
  }

  func fetchLatestChanges() async throws {
    var awaitingChanges = true
    while awaitingChanges {
      let changes = try await database.recordZoneChanges(inZoneWith: zoneID, since: token)
      for case .success(let modification) in changes.modificationResultsByID.values {
        contacts[modification.record.recordID] = modification.record["name"] as? String
      }
      for deletion in changes.deletions { contacts[deletion.recordID] = nil }
      token = changes.changeToken
      awaitingChanges = changes.moreComing
    }
  }

  func storedToken() throws -> Data? {
    try token.map {
      try NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true)
    }
  }
}
