// The sync layer of a small app, as in Examples/TwoDevices: what LocalServer is for.

import BrumeKit
import Foundation

actor NoteStore {
  private let database: CKDatabase
  private let zoneID = CKRecordZone.ID(zoneName: "Notes", ownerName: CKCurrentUserDefaultName)
  private var token: CKServerChangeToken?
  private var notes: [CKRecord.ID: CKRecord] = [:]
  private var unsaved: Set<CKRecord.ID> = []

  init(container: CKContainer) { database = container.privateCloudDatabase }

  var texts: [String] { notes.values.compactMap { $0["text"] as? String }.sorted() }

  func launch() async throws {
    try await database.save(CKRecordZone(zoneID: zoneID))
    try await refresh()
  }

  func add(_ text: String) async throws {
    let id = CKRecord.ID(recordName: text, zoneID: zoneID)
    notes[id] = CKRecord(recordType: "Note", recordID: id)
    try await write(text, to: id)
  }

  func rename(_ old: String, to new: String) async throws {
    guard let id = notes.first(where: { $0.value["text"] as? String == old })?.key else { return }
    try await write(new, to: id)
  }

  func refresh() async throws {
    try await saveUnsaved()
    try await fetchChanges()
  }

  private func write(_ text: String, to id: CKRecord.ID) async throws {
    notes[id]?["text"] = text
    unsaved.insert(id)
    try await saveUnsaved()
  }

  /// What cannot be sent now stays for the next time.
  private func saveUnsaved() async throws {
    for id in unsaved {
      guard let note = notes[id] else { continue }
      do {
        notes[id] = try await saveOver(note)
        unsaved.remove(id)
      } catch let error as CKError
        where [.networkFailure, .networkUnavailable, .serverResponseLost].contains(error.code)
      {
        return
      }
    }
  }

  /// If another device was faster, its copy is taken and changed again.
  private func saveOver(_ note: CKRecord) async throws -> CKRecord {
    do {
      return try await database.save(note)
    } catch let error as CKError where error.code == .serverRecordChanged {
      guard let server = error.serverRecord else { throw error }
      server["text"] = note["text"] as? String
      notes[server.recordID] = server
      return try await database.save(server)
    }
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
      token = nil
      notes = notes.filter { unsaved.contains($0.key) }
      try await fetchChanges()
    }
  }
}
