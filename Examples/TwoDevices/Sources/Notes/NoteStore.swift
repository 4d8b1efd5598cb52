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
  private var unsaved: Set<CKRecord.ID> = []

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
    let id = CKRecord.ID(recordName: UUID().uuidString, zoneID: zoneID)
    notes[id] = CKRecord(recordType: "Note", recordID: id)
    try await write(text, to: id)
  }

  public func rename(_ old: String, to new: String) async throws {
    guard let id = notes.first(where: { $0.value["text"] as? String == old })?.key else { return }
    try await write(new, to: id)
  }

  /// What an app does when the network is back, or the user pulls the list down.
  public func refresh() async throws {
    try await saveUnsaved()
    try await fetchChanges()
  }

  private func write(_ text: String, to id: CKRecord.ID) async throws {
    notes[id]?["text"] = text
    unsaved.insert(id)
    try await saveUnsaved()
  }

  /// Without a network, what is not saved stays for the next time.
  private func saveUnsaved() async throws {
    for id in unsaved {
      guard let note = notes[id] else { continue }
      do {
        notes[id] = try await save(note)
        unsaved.remove(id)
      } catch let error as CKError
        where [.networkFailure, .networkUnavailable, .serverResponseLost].contains(error.code)
      {
        return
      }
    }
  }

  /// If another device was faster, its copy is taken and changed again.
  private func save(_ note: CKRecord) async throws -> CKRecord {
    do {
      return try await database.save(note)
    } catch let error as CKError where error.code == .serverRecordChanged {
      guard let server = error.serverRecord else { throw error }
      server["text"] = note["text"] as? String
      notes[server.recordID] = server
      return try await database.save(server)
    }
  }

  /// What an app does when a push arrives.
  public func received(_ notification: CKNotification) async throws {
    guard notification.subscriptionID == NoteStore.subscriptionID else { return }
    try await fetchChanges()
  }

  private func fetchChanges() async throws {
    do {
      var moreComing = true
      while moreComing {
        let changes = try await database.recordZoneChanges(inZoneWith: zoneID, since: token)
        for (id, result) in changes.modificationResultsByID where !unsaved.contains(id) {
          notes[id] = try result.get().record
        }
        for deletion in changes.deletions { notes[deletion.recordID] = nil }
        token = changes.changeToken
        moreComing = changes.moreComing
      }
    } catch let error as CKError where error.code == .changeTokenExpired {
      // From the beginning: what is not in the zone any more must not stay.
      token = nil
      notes = notes.filter { unsaved.contains($0.key) }
      try await fetchChanges()
    }
  }
}
