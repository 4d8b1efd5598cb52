// An app that keeps notes with a sync engine, as Apple's sample does. A note's text is a list of words;
// two devices that edit one note keep the words of both, so every edit can be found in the end.

import BrumeKit
import Foundation

/// Sendable because a simulation has one thread.
final class NotesApp: CKSyncEngineDelegate, @unchecked Sendable {
  unowned let device: Device
  let database: CKDatabase
  let disk: AppDisk
  private(set) var engine: CKSyncEngine! = nil
  /// Nothing that it does counts any more.
  private(set) var isDead = false

  init(_ device: Device, _ database: CKDatabase, _ disk: AppDisk) {
    self.device = device
    self.database = database
    self.disk = disk
    var configuration = CKSyncEngine.Configuration(
      database: database, stateSerialization: Self.read(disk.state), delegate: self)
    configuration.automaticallySync = true
    engine = CKSyncEngine(configuration)
    if device.world.planted == .forgetfulApp { disk.changed = [] }
    let left =
      disk.changed.map { CKSyncEngine.PendingRecordZoneChange.saveRecord($0) }
      + disk.deleted.map { .deleteRecord($0) }
    engine.state.add(pendingRecordZoneChanges: left.sorted { "\($0)" < "\($1)" })
    if database.databaseScope == .private {
      engine.state.add(
        pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.notes))])
    }
  }

  static let notes = CKRecordZone.ID(zoneName: "Notes")
  private var world: World { device.world }

  /// As after the way through a file.
  private static func read(
    _ state: CKSyncEngine.State.Serialization?
  ) -> CKSyncEngine.State.Serialization? {
    guard let data = try? state.map({ try JSONEncoder().encode($0) }) else { return nil }
    return try? JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: data)
  }

  func end() {
    isDead = true
    let engine = engine
    Task { await engine?.cancelOperations() }
    self.engine = nil
  }

  // MARK: What the user does

  func edit(_ name: String, in zone: CKRecordZone.ID, adding word: String) {
    let id = CKRecord.ID(recordName: name, zoneID: zone)
    world.note("\(device.name) edits \(name) in \(zone.zoneName): \(word)")
    let old = disk.notes[id]?.text ?? ""
    disk.notes[id, default: .init(text: "")].text = Self.merged(old, word)
    disk.changed.insert(id)
    disk.deleted.remove(id)
    world.oracle.wrote(word, in: id, by: device.userID)
    // One that went with the app's data comes again when the user writes something.
    if database.databaseScope == .private, !disk.zones.contains(zone) {
      engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zone))])
    }
    engine.state.remove(pendingRecordZoneChanges: [.deleteRecord(id)])
    engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
  }

  func delete(_ name: String, in zone: CKRecordZone.ID) {
    let id = CKRecord.ID(recordName: name, zoneID: zone)
    guard disk.notes[id] != nil else { return }
    world.note("\(device.name) deletes \(name) in \(zone.zoneName)")
    disk.notes[id] = nil
    disk.changed.remove(id)
    disk.deleted.insert(id)
    engine.state.remove(pendingRecordZoneChanges: [.saveRecord(id)])
    engine.state.add(pendingRecordZoneChanges: [.deleteRecord(id)])
  }

  /// What the same device does past the engine comes with no push. If it fails, the engine tries again.
  func fetch() async {
    do { try await engine.fetchChanges() } catch { world.note("\(device.name) did not refresh") }
  }

  /// Makes a zone with a note in it, or deletes it.
  func temporary(isDeleted: Bool, adding word: String) {
    let zone = CKRecordZone.ID(zoneName: "Temporary")
    if isDeleted {
      forget(zone)
      engine.state.remove(
        pendingRecordZoneChanges: engine.state.pendingRecordZoneChanges.filter {
          $0.zone == zone
        })
      engine.state.add(pendingDatabaseChanges: [.deleteZone(zone)])
    } else {
      engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zone))])
      edit("t", in: zone, adding: word)
    }
  }

  static func merged(_ one: String, _ other: String) -> String {
    Set((one + " " + other).split(separator: " ")).sorted().joined(separator: " ")
  }

  /// The words that are only here are gone with the account.
  func accountLeaves() { world.oracle.forgive(disk) }

  /// The engine says that the account is gone, with all that was fetched. It says so once for each sign-out.
  private func accountLeft() {
    world.note("\(device.name) forgets everything")
    if disk.knownSignOuts == device.signOuts {
      world.fail("\(device.name) was notified of a sign-out, and nobody signed out")
    }
    world.oracle.forgive(disk)
    disk.knownSignOuts = device.signOuts
    disk.zones = []
    disk.notes = [:]
    disk.changed = []
    disk.deleted = []
  }

  // MARK: The delegate

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    // A slow app.
    await Task.yield()
    if isDead { return }
    switch event {
    case .stateUpdate(let event): disk.state = event.stateSerialization
    case .accountChange(let event):
      if case .signIn = event.changeType {
        if database.databaseScope == .private {
          syncEngine.state.add(
            pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.notes))])
        }
        break
      }
      accountLeft()
    case .fetchedDatabaseChanges(let event):
      if world.planted != .missedZones {
        disk.zones.formUnion(event.modifications.map(\.zoneID))
      }
      for gone in event.deletions {
        noteDeletion(gone)
        forget(gone.zoneID)
      }
    case .sentDatabaseChanges(let event):
      disk.zones.formUnion(event.savedZones.map(\.zoneID))
      // What was fetched while the deletion was on its way.
      for gone in event.deletedZoneIDs { forget(gone) }
      for (zone, error) in event.failedZoneDeletes
      where [.zoneNotFound, .userDeletedZone].contains(error.code) {
        forget(zone)
      }
    case .fetchedRecordZoneChanges(let event): fetched(event, syncEngine)
    case .sentRecordZoneChanges(let event): sent(event, syncEngine)
    case .didFetchChanges where world.planted == .inventedSignOut && world.happens(onceIn: 10):
      accountLeft()
    case .didFetchChanges where world.planted == .restlessEngine:
      Task {
        await world.sleep(500)
        if !isDead { await fetch() }
      }
    default: break
    }
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    if isDead { return nil }
    let changes = syncEngine.state.pendingRecordZoneChanges.filter(context.options.scope.contains)
    return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { [self] in record($0)
    }
  }

  private func record(_ id: CKRecord.ID) -> CKRecord? {
    guard let note = disk.notes[id] else { return nil }
    let record =
      (note.record?.copy() as? CKRecord) ?? CKRecord(recordType: "Note", recordID: id)
    record["text"] = note.text
    // One field that only its maker writes, and one that comes and goes.
    if note.record == nil { record["by"] = device.name }
    record["even"] = note.text.split(separator: " ").count % 2 == 0 ? "yes" : nil
    return record
  }

  private func noteDeletion(_ gone: CKDatabase.DatabaseChange.Deletion) {
    if database.databaseScope != .private { return }
    let isPlanted =
      (world.planted == .misreportedPurge && gone.reason == .purged)
      || (world.planted == .misreportedReset && gone.reason == .encryptedDataReset)
    world.oracle.reportedGone(gone.zoneID, isPlanted ? .deleted : gone.reason, by: device)
  }

  /// A zone is gone, with all that was to be sent to it.
  func forget(_ zone: CKRecordZone.ID) {
    world.note("\(device.name) forgets \(zone.zoneName)")
    world.oracle.forgive(disk) { $0.zoneID == zone }
    disk.zones.remove(zone)
    disk.notes = disk.notes.filter { $0.key.zoneID != zone }
    disk.changed = disk.changed.filter { $0.zoneID != zone }
    disk.deleted = disk.deleted.filter { $0.zoneID != zone }
  }

  private func fetched(
    _ event: CKSyncEngine.Event.FetchedRecordZoneChanges, _ engine: CKSyncEngine
  ) {
    for record in event.modifications.map(\.record) where record.recordType == "Note" {
      take(record)
    }
    for id in event.deletions.map(\.recordID) {
      if disk.changed.contains(id) { disk.notes[id]?.record = nil } else { disk.notes[id] = nil }
      // What was to be deleted is: sent once more, the deletion would meet what others make under the name.
      if disk.deleted.remove(id) != nil {
        engine.state.remove(pendingRecordZoneChanges: [.deleteRecord(id)])
      }
    }
  }

  /// The server's record. What was changed here and is not sent yet stays.
  private func take(_ record: CKRecord) {
    let id = record.recordID
    if disk.deleted.contains(id) { return }
    let text = record["text"] as? String ?? ""
    let own = disk.changed.contains(id) ? disk.notes[id]?.text ?? "" : ""
    disk.notes[id] = .init(text: own.isEmpty ? text : Self.merged(own, text), record: record)
  }

  private func sent(
    _ event: CKSyncEngine.Event.SentRecordZoneChanges, _ engine: CKSyncEngine
  ) {
    for record in event.savedRecords {
      let id = record.recordID
      disk.notes[id]?.record = record
      if disk.notes[id]?.text == record["text"] as? String { disk.changed.remove(id) }
    }
    for id in event.deletedRecordIDs { disk.deleted.remove(id) }
    for failed in event.failedRecordSaves { solve(failed.record.recordID, failed.error, engine) }
    for (id, _) in event.failedRecordDeletes { disk.deleted.remove(id) }
  }

  private func solve(_ id: CKRecord.ID, _ error: CKError, _ engine: CKSyncEngine) {
    world.note("\(device.name) solves \(id.recordName): \(error.code)")
    switch error.code {
    case .serverRecordChanged:
      guard let server = error.serverRecord else { return }
      take(server)
    case .unknownItem: disk.notes[id]?.record = nil
    case .batchRequestFailed: break
    // The user wants nothing of it any more.
    case .userDeletedZone where database.databaseScope == .private: return forget(id.zoneID)
    case .zoneNotFound where database.databaseScope == .private:
      disk.notes[id]?.record = nil
      engine.state.add(
        pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: id.zoneID))])
    default:
      // It will not be taken: back to what the server had. If the zone is gone, a fetch will say so.
      if database.databaseScope == .private
        || ![.permissionFailure, .zoneNotFound].contains(error.code)
      {
        world.fail("\(device.name) cannot save \(id.recordName): \(error.code)")
      }
      world.oracle.forgive(disk) { $0 == id }
      disk.changed.remove(id)
      let record = disk.notes[id]?.record
      disk.notes[id] = record.map { .init(text: $0["text"] as? String ?? "", record: $0) }
      return
    }
    if disk.notes[id] != nil { engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)]) }
  }
}

extension CKSyncEngine.PendingRecordZoneChange {
  fileprivate var zone: CKRecordZone.ID {
    switch self {
    case .saveRecord(let id), .deleteRecord(let id): id.zoneID
    @unknown default: NotesApp.notes
    }
  }
}
