// Document 001: a private zone "Contacts" kept in sync by a zone subscription, silent pushes and a
// change token.

import BrumeKit
import Foundation

actor ContactsApp: DemoApp {
  private let database: CKDatabase
  private let zoneID = CKRecordZone.ID(zoneName: "Contacts", ownerName: CKCurrentUserDefaultName)
  private var contacts: [CKRecord.ID: String] = [:]
  private var lastChangeToken: CKServerChangeToken?

  init(container: CKContainer) { database = container.privateCloudDatabase }

  func perform(_ command: String, _ arguments: [String]) async throws -> String {
    switch command {
    case "launch": return try await launch()
    case "add": return try await add(arguments[0])
    case "delete": return try await delete(arguments[0])
    case "list": return contacts.values.sorted().joined(separator: ", ")
    default: throw UnknownDemoCommand(command)
    }
  }

  private func launch() async throws -> String {
    _ = try await database.modifyRecordZones(
      saving: [CKRecordZone(zoneID: zoneID)], deleting: [])
    let subscription = CKRecordZoneSubscription(
      zoneID: zoneID, subscriptionID: "zone-changes-\(zoneID.zoneName)")
    let notificationInfo = CKSubscription.NotificationInfo()
    notificationInfo.shouldSendContentAvailable = true
    subscription.notificationInfo = notificationInfo
    _ = try await database.modifySubscriptions(saving: [subscription], deleting: [])
    let summary = try await fetchLatestChanges()
    return "zone and subscription are there; \(summary)"
  }

  private func add(_ name: String) async throws -> String {
    let record = CKRecord(
      recordType: "SyncedContact",
      recordID: CKRecord.ID(recordName: UUID().uuidString, zoneID: zoneID))
    record["name"] = name
    let saved = try await database.save(record)
    contacts[saved.recordID] = name
    return "saved \(name)"
  }

  private func delete(_ name: String) async throws -> String {
    guard let id = contacts.first(where: { $0.value == name })?.key else { return "no \(name)" }
    try await database.deleteRecord(withID: id)
    contacts[id] = nil
    return "deleted \(name)"
  }

  func received(_ notification: CKNotification) async throws -> String {
    guard let notification = notification as? CKRecordZoneNotification,
      notification.recordZoneID == zoneID
    else { return "not about my zone: \(notification)" }
    return try await fetchLatestChanges()
  }

  /// Only what changed since the last token comes back.
  private func fetchLatestChanges() async throws -> String {
    var changed: [String] = []
    var deleted = 0
    var awaitingChanges = true
    while awaitingChanges {
      let changes = try await database.recordZoneChanges(
        inZoneWith: zoneID, since: lastChangeToken)
      for (id, result) in changes.modificationResultsByID {
        let name = try result.get().record["name"] as? String ?? ""
        // What this device saved itself comes back, too; merging finds nothing new in it.
        if contacts[id] != name { changed.append(name) }
        contacts[id] = name
      }
      for deletion in changes.deletions {
        if contacts.removeValue(forKey: deletion.recordID) != nil { deleted += 1 }
      }
      lastChangeToken = changes.changeToken
      awaitingChanges = changes.moreComing
    }
    let names = changed.sorted().joined(separator: ", ")
    return "fetched \(changed.count) new [\(names)], \(deleted) deleted"
  }
}
