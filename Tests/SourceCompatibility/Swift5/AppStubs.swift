// swift-format-ignore-file
// What the documents' code takes for granted in the app around it: a local store, a few services.

import CloudKit
import Foundation

var database: CKDatabase { CKContainer.default().privateCloudDatabase }
var container: CKContainer { CKContainer.default() }

/// What the app keeps on the device.
final class LocalStore: @unchecked Sendable {
  // Sendable because of the lock.
  static let shared = LocalStore()
  private let lock = NSLock()
  private var names: Set<String> = []
  private var tokens: [CKRecordZone.ID: CKServerChangeToken] = [:]

  var records: Set<String> { lock.withLock { names } }
  func save(_ name: String) { lock.withLock { _ = names.insert(name) } }
  func delete(_ name: String) { lock.withLock { _ = names.remove(name) } }
  func token(_ zone: CKRecordZone.ID) -> CKServerChangeToken? { lock.withLock { tokens[zone] } }
  func keep(_ token: CKServerChangeToken, _ zone: CKRecordZone.ID) {
    lock.withLock { tokens[zone] = token }
  }
}

func saveLocally(_ record: CKRecord) { LocalStore.shared.save(record.recordID.recordName) }
func deleteLocally(_ recordID: CKRecord.ID) { LocalStore.shared.delete(recordID.recordName) }
func deleteLocalRecord(_ recordID: CKRecord.ID) { deleteLocally(recordID) }
func loadChangeToken(for zoneID: CKRecordZone.ID) -> CKServerChangeToken? {
  LocalStore.shared.token(zoneID)
}
func saveChangeToken(_ token: CKServerChangeToken, for zoneID: CKRecordZone.ID) {
  LocalStore.shared.keep(token, zoneID)
}

/// The guide's sync engine of the app's own.
final class AppSyncManager: Sendable {
  func fetchAllChanges() async {}
}
let syncManager = AppSyncManager()
func syncData() {}
