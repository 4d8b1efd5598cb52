// A sync engine's delegate as apps write it: an actor that owns its engine.

import CloudKit
import Foundation

struct StoredNote: Codable, Sendable {
  var text: String
  var lastKnownRecordData: Data?

  init(_ record: CKRecord) {
    text = record["text"] as? String ?? ""
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    record.encodeSystemFields(with: archiver)
    archiver.finishEncoding()
    lastKnownRecordData = archiver.encodedData
  }

  func record(_ recordID: CKRecord.ID) -> CKRecord {
    var record = CKRecord(recordType: "Note", recordID: recordID)
    if let data = lastKnownRecordData, let coder = try? NSKeyedUnarchiver(forReadingFrom: data) {
      coder.requiresSecureCoding = true
      record = CKRecord(coder: coder) ?? record
    }
    record["text"] = text
    return record
  }
}

final actor SyncedNotes: CKSyncEngineDelegate {
  private let database: CKDatabase
  private let automaticallySync: Bool
  private var notes: [String: StoredNote] = [:]
  private var serialization: CKSyncEngine.State.Serialization?
  private var _syncEngine: CKSyncEngine?

  var syncEngine: CKSyncEngine {
    if _syncEngine == nil { initializeSyncEngine() }
    return _syncEngine!
  }

  init(container: CKContainer, automaticallySync: Bool = true) {
    self.database = container.privateCloudDatabase
    self.automaticallySync = automaticallySync
  }

  func initializeSyncEngine() {
    var configuration = CKSyncEngine.Configuration(
      database: database, stateSerialization: serialization, delegate: self)
    configuration.automaticallySync = automaticallySync
    _syncEngine = CKSyncEngine(configuration)
  }

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    switch event {
    case .stateUpdate(let event):
      serialization = event.stateSerialization
    case .accountChange(let event):
      switch event.changeType {
      case .signIn: syncEngine.state.add(pendingDatabaseChanges: [])
      case .switchAccounts, .signOut: notes = [:]
      @unknown default: break
      }
    case .fetchedDatabaseChanges(let event):
      for deletion in event.deletions where deletion.zoneID.zoneName == "Notes" { notes = [:] }
    case .fetchedRecordZoneChanges(let event):
      for modification in event.modifications {
        notes[modification.record.recordID.recordName] = StoredNote(modification.record)
      }
      for deletion in event.deletions { notes[deletion.recordID.recordName] = nil }
    case .sentRecordZoneChanges(let event):
      handleSent(event)
    case .sentDatabaseChanges, .willFetchChanges, .willFetchRecordZoneChanges,
      .didFetchRecordZoneChanges, .didFetchChanges, .willSendChanges, .didSendChanges:
      break
    @unknown default:
      break
    }
  }

  private func handleSent(_ event: CKSyncEngine.Event.SentRecordZoneChanges) {
    var again: [CKSyncEngine.PendingRecordZoneChange] = []
    var zones: [CKSyncEngine.PendingDatabaseChange] = []
    for saved in event.savedRecords { notes[saved.recordID.recordName] = StoredNote(saved) }
    for failed in event.failedRecordSaves {
      let record = failed.record
      switch failed.error.code {
      case .serverRecordChanged:
        guard let server = failed.error.serverRecord else { continue }
        notes[record.recordID.recordName] = StoredNote(server)
        again.append(.saveRecord(record.recordID))
      case .zoneNotFound:
        zones.append(.saveZone(CKRecordZone(zoneID: record.recordID.zoneID)))
        again.append(.saveRecord(record.recordID))
      case .networkFailure, .networkUnavailable, .zoneBusy, .serviceUnavailable,
        .notAuthenticated, .operationCancelled:
        break
      default: break
      }
    }
    syncEngine.state.add(pendingDatabaseChanges: zones)
    syncEngine.state.add(pendingRecordZoneChanges: again)
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    let scope = context.options.scope
    let changes = syncEngine.state.pendingRecordZoneChanges.filter { scope.contains($0) }
    let notes = self.notes
    return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { recordID in
      if let note = notes[recordID.recordName] {
        return note.record(recordID)
      } else {
        syncEngine.state.remove(pendingRecordZoneChanges: [.saveRecord(recordID)])
        return nil
      }
    }
  }
}
