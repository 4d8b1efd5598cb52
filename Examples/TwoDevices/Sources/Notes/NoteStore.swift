// The sync layer of a small app, written as one would for an iPhone: a zone, a subscription, a change
// token, and a cache that follows.

import CloudKit
import Foundation

public actor NoteStore {
  public static let subscriptionID = "notes-changes"
  private let database: CKDatabase
  private let zoneID = CKRecordZone.ID(zoneName: "Notes", ownerName: CKCurrentUserDefaultName)
  private var token: CKServerChangeToken?
  private var notes: [CKRecord.ID: CKRecord] = [:]

  public init(container: CKContainer) { database = container.privateCloudDatabase }

  /// What the screen shows, in alphabetical order.
  public var texts: [String] { notes.values.compactMap { $0["text"] as? String }.sorted() }

  /// What an app does at launch: zone and subscription are there afterwards, the cache is current.
  public func launch() async throws {
    try await database.save(CKRecordZone(zoneID: zoneID))
    let subscription = CKRecordZoneSubscription(
      zoneID: zoneID, subscriptionID: NoteStore.subscriptionID)
    let info = CKSubscription.NotificationInfo()
    info.shouldSendContentAvailable = true
    subscription.notificationInfo = info
    try await database.save(subscription)
    try await fetchChanges()
  }

  public func add(_ text: String) async throws {
    let note = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: UUID().uuidString, zoneID: zoneID))
    note["text"] = text
    let saved = try await database.save(note)
    notes[saved.recordID] = saved
  }

  /// Changes a note. If another device was faster, its copy is taken and changed again.
  public func rename(_ old: String, to new: String) async throws {
    guard let note = notes.values.first(where: { $0["text"] as? String == old }) else { return }
    note["text"] = new
    do {
      notes[note.recordID] = try await database.save(note)
    } catch let error as CKError where error.code == .serverRecordChanged {
      guard let server = error.serverRecord else { throw error }
      server["text"] = new
      notes[server.recordID] = try await database.save(server)
    }
  }

  /// What an app does when a push arrives.
  public func received(_ notification: CKNotification) async throws {
    guard notification.subscriptionID == NoteStore.subscriptionID else { return }
    try await fetchChanges()
  }

  private func fetchChanges() async throws {
    var moreComing = true
    while moreComing {
      let changes = try await database.recordZoneChanges(inZoneWith: zoneID, since: token)
      for (id, result) in changes.modificationResultsByID { notes[id] = try result.get().record }
      for deletion in changes.deletions { notes[deletion.recordID] = nil }
      token = changes.changeToken
      moreComing = changes.moreComing
    }
  }
}
