// Document 004: subscribe once to the shared database, and on each push fetch database changes,
// then the changes of those zones.

import BrumeKit
import Foundation

actor SharedApp: DemoApp {
  private let container: CKContainer
  private let zoneID = CKRecordZone.ID(zoneName: "Trip", ownerName: CKCurrentUserDefaultName)
  private var sharedDBChangeToken: CKServerChangeToken?
  private var zoneTokens: [CKRecordZone.ID: CKServerChangeToken] = [:]
  private var places: [CKRecord.ID: String] = [:]

  init(container: CKContainer) { self.container = container }

  func perform(_ command: String, _ arguments: [String]) async throws -> String {
    switch command {
    case "share": return try await share()
    case "add": return try await add(arguments[0], to: container.privateCloudDatabase, in: zoneID)
    case "subscribe": return try await subscribe()
    case "accept": return try await accept(arguments[0])
    case "add-shared": return try await addShared(arguments[0])
    case "leave": return try await leave()
    default: throw UnknownDemoCommand(command)
    }
  }

  /// The owner: a zone, shared as a whole with everybody who has the link.
  private func share() async throws -> String {
    let database = container.privateCloudDatabase
    try await database.save(CKRecordZone(zoneID: zoneID))
    _ = try await add("Lisbon", to: database, in: zoneID)
    let share = CKShare(recordZoneID: zoneID)
    share[CKShare.SystemFieldKey.title] = "Our trip"
    share.publicPermission = .readWrite
    let saved = try await database.save(share)
    return (saved as? CKShare)?.url?.absoluteString ?? "no link"
  }

  private func add(
    _ name: String, to database: CKDatabase, in zone: CKRecordZone.ID
  ) async throws -> String {
    let place = CKRecord(
      recordType: "Place", recordID: CKRecord.ID(recordName: UUID().uuidString, zoneID: zone))
    place["name"] = name
    try await database.save(place)
    return "added \(name)"
  }

  private func subscribe() async throws -> String {
    for database in [container.sharedCloudDatabase, container.privateCloudDatabase] {
      let shared = database.databaseScope == .shared
      let subscription = CKDatabaseSubscription(
        subscriptionID: shared ? "shared-changes" : "private-changes")
      let notificationInfo = CKSubscription.NotificationInfo()
      notificationInfo.shouldSendContentAvailable = true
      subscription.notificationInfo = notificationInfo
      try await database.save(subscription)
    }
    return "subscribed to the shared and the private database"
  }

  private func accept(_ link: String) async throws -> String {
    guard let url = URL(string: link) else { return "'\(link)' is no link" }
    let metadata = try await container.shareMetadata(for: url)
    try await container.accept(metadata)
    return "accepted '\(metadata.share[CKShare.SystemFieldKey.title] as? String ?? "")'"
  }

  private func addShared(_ name: String) async throws -> String {
    let zones = try await container.sharedCloudDatabase.allRecordZones()
    guard let zone = zones.first?.zoneID else { return "no shared zone" }
    return try await add(name, to: container.sharedCloudDatabase, in: zone)
  }

  private func leave() async throws -> String {
    let database = container.sharedCloudDatabase
    guard let zone = try await database.allRecordZones().first?.zoneID else {
      return "no shared zone"
    }
    let share = CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: zone)
    try await database.deleteRecord(withID: share)
    return "left; \(try await database.allRecordZones().count) shared zones"
  }

  func received(_ notification: CKNotification) async throws -> String {
    guard let notification = notification as? CKDatabaseNotification else {
      return "not about a database: \(notification)"
    }
    guard notification.databaseScope == .shared else {
      return "my private database changed"
    }
    return try await fetchSharedChanges()
  }

  private func fetchSharedChanges() async throws -> String {
    let database = container.sharedCloudDatabase
    let changes = try await database.databaseChanges(since: sharedDBChangeToken)
    sharedDBChangeToken = changes.changeToken
    var report: [String] = []
    for deletion in changes.deletions { report.append("zone \(deletion.zoneID.zoneName) is gone") }
    for modification in changes.modifications {
      report.append(try await fetchZoneChanges(modification.zoneID, in: database))
    }
    return report.isEmpty ? "nothing new" : report.joined(separator: "; ")
  }

  private func fetchZoneChanges(
    _ zone: CKRecordZone.ID, in database: CKDatabase
  ) async throws -> String {
    let changes = try await database.recordZoneChanges(inZoneWith: zone, since: zoneTokens[zone])
    zoneTokens[zone] = changes.changeToken
    var names: [String] = []
    for (id, result) in changes.modificationResultsByID {
      let record = try result.get().record
      guard record.recordType == "Place" else { continue }
      places[id] = record["name"] as? String
      names.append(places[id] ?? "")
    }
    return "zone \(zone.zoneName): [\(names.sorted().joined(separator: ", "))]"
  }
}
