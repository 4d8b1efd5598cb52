// An app that syncs notes with a sync engine, written as for an iPhone, and the disk that outlives it.
// A crash ends it at a step: nothing that comes after reaches the disk.

import BrumeKit
import BrumeTesting
import Foundation
import Synchronization

final class NotesApp: CKSyncEngineDelegate {
  static let zoneID = CKRecordZone.ID(zoneName: "Notes")

  struct Note: Sendable {
    var text: String
    /// The system fields of the record; nil before the first save.
    var system: Data?
  }

  let disk: Disk
  let crash = Crash()
  private let made = Mutex<CKSyncEngine?>(nil)
  private let handled = Mutex<[String]>([])
  /// Called with each event before the app handles it.
  let onEvent = Mutex<(@Sendable (CKSyncEngine.Event) async -> Void)?>(nil)
  /// Called when a batch is asked for.
  let onBatch = Mutex<(@Sendable () async -> Void)?>(nil)
  /// Called before a batch gets the record with this ID.
  let onRecord = Mutex<(@Sendable (CKRecord.ID) async -> Void)?>(nil)
  let isAtomic = Mutex(false)
  let priority = Mutex<[CKRecordZone.ID]>([])
  /// What is fetched of what was asked for; nil: all of it.
  let scope = Mutex<CKSyncEngine.FetchChangesOptions.Scope?>(nil)

  init(
    _ container: CKContainer, disk: Disk = Disk(), automatically: Bool = false,
    isShared: Bool = false
  ) throws {
    self.disk = disk
    let state = try disk.content.withLock { $0.state }.map {
      try JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: $0)
    }
    var configuration = CKSyncEngine.Configuration(
      database: isShared ? container.sharedCloudDatabase : container.privateCloudDatabase,
      stateSerialization: state, delegate: self)
    configuration.automaticallySync = automatically
    made.withLock { $0 = CKSyncEngine(configuration) }
  }

  var engine: CKSyncEngine {
    guard let engine = made.withLock({ $0 }) else { preconditionFailure("made in init") }
    return engine
  }

  /// The events so far, by name.
  var events: [String] { handled.withLock { $0 } }
  func forgetEvents() { handled.withLock { $0 = [] } }

  /// What the screen shows: names and texts.
  var notes: [String: String] {
    disk.content.withLock { content in
      Dictionary(uniqueKeysWithValues: content.notes.map { ($0.key.recordName, $0.value.text) })
    }
  }

  /// The names of a zone's notes.
  func notes(in zone: CKRecordZone.ID) -> [String] {
    disk.content.withLock { $0.notes.keys.filter { $0.zoneID == zone }.map(\.recordName).sorted() }
  }

  var pending: [CKSyncEngine.PendingRecordZoneChange] { engine.state.pendingRecordZoneChanges }

  // MARK: What the user does

  static func id(_ name: String, zone: CKRecordZone.ID = zoneID) -> CKRecord.ID {
    CKRecord.ID(recordName: name, zoneID: zone)
  }

  func makeZone() {
    engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.zoneID))])
  }

  func write(_ text: String, to name: String, zone: CKRecordZone.ID = zoneID) {
    let id = Self.id(name, zone: zone)
    disk.content.withLock { $0.notes[id, default: Note(text: "")].text = text }
    engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
  }

  func delete(_ name: String, zone: CKRecordZone.ID = zoneID) {
    let id = Self.id(name, zone: zone)
    disk.content.withLock { $0.notes[id] = nil }
    engine.state.add(pendingRecordZoneChanges: [.deleteRecord(id)])
  }

  func deleteZone(_ zone: CKRecordZone.ID) {
    disk.content.withLock { $0.notes = $0.notes.filter { $0.key.zoneID != zone } }
    engine.state.add(pendingDatabaseChanges: [.deleteZone(zone)])
  }

  func sync() async throws {
    try await engine.fetchChanges()
    try await send()
  }

  /// Sends, and leaves failures of single items to the events that reported them.
  func send() async throws {
    do { try await engine.sendChanges() } catch CKError.partialFailure {}
  }

  /// Waits until something is true. The test's time limit is its own.
  func until(_ condition: @Sendable () -> Bool) async throws {
    while !condition() {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  // MARK: The delegate

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    guard crash.step() else { return }
    handled.withLock { $0.append(event.name) }
    await onEvent.withLock { $0 }?(event)
    switch event {
    case .stateUpdate(let event):
      disk.keep(try? JSONEncoder().encode(event.stateSerialization))
    case .accountChange(let event):
      if case .signIn = event.changeType { break }
      disk.change { $0 = [:] }
    case .fetchedDatabaseChanges(let event):
      let gone = Set(event.deletions.map(\.zoneID))
      disk.change { $0 = $0.filter { !gone.contains($0.key.zoneID) } }
    case .fetchedRecordZoneChanges(let event): take(event, syncEngine)
    case .sentRecordZoneChanges(let event): take(event, syncEngine)
    case .didFetchChanges: disk.flush()
    default: break
    }
    _ = crash.step()
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    guard crash.step() else { return nil }
    await onBatch.withLock { $0 }?()
    let changes = syncEngine.state.pendingRecordZoneChanges.filter(context.options.scope.contains)
    var batch = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { [self] id in
      await onRecord.withLock { $0 }?(id)
      return record(id)
    }
    batch?.atomicByZone = isAtomic.withLock { $0 }
    return batch
  }

  func nextFetchChangesOptions(
    _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.FetchChangesOptions {
    var options = context.options
    options.prioritizedZoneIDs = priority.withLock { $0 }
    options.scope = scope.withLock { $0 } ?? options.scope
    return options
  }

  // MARK: Records and notes

  private func record(_ id: CKRecord.ID) -> CKRecord? {
    guard let note = disk.content.withLock({ $0.notes[id] }) else { return nil }
    let known = note.system.flatMap { data -> CKRecord? in
      let coder = try? NSKeyedUnarchiver(forReadingFrom: data)
      return coder.flatMap { CKRecord(coder: $0) }
    }
    let record = known ?? CKRecord(recordType: "Note", recordID: id)
    record["text"] = note.text
    return record
  }

  private func system(of record: CKRecord) -> Data {
    let coder = NSKeyedArchiver(requiringSecureCoding: true)
    record.encodeSystemFields(with: coder)
    coder.finishEncoding()
    return coder.encodedData
  }

  private func take(_ event: CKSyncEngine.Event.FetchedRecordZoneChanges, _ engine: CKSyncEngine) {
    let own = Set(engine.state.pendingRecordZoneChanges.map(\.id))
    let changed = event.modifications.map {
      ($0.record.recordID, $0.record["text"] as? String ?? "", system(of: $0.record))
    }
    let gone = event.deletions.map(\.recordID)
    disk.change { notes in
      // What the user changed here and is not sent yet wins; the send will meet the conflict.
      for (id, text, system) in changed where !own.contains(id) {
        notes[id] = Note(text: text, system: system)
      }
      for id in gone { notes[id] = nil }
    }
  }

  private func take(_ event: CKSyncEngine.Event.SentRecordZoneChanges, _ engine: CKSyncEngine) {
    let saved = event.savedRecords.map { ($0.recordID, system(of: $0)) }
    disk.content.withLock { content in
      for (id, system) in saved { content.notes[id]?.system = system }
    }
    for failed in event.failedRecordSaves { solve(failed, engine) }
  }

  private func solve(
    _ failed: CKSyncEngine.Event.SentRecordZoneChanges.FailedRecordSave, _ engine: CKSyncEngine
  ) {
    let id = failed.record.recordID
    switch failed.error.code {
    case .serverRecordChanged:
      guard let server = failed.error.serverRecord else { return }
      let system = system(of: server)
      disk.content.withLock { $0.notes[id]?.system = system }
    case .zoneNotFound:
      engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: id.zoneID))])
      disk.content.withLock { $0.notes[id]?.system = nil }
    case .unknownItem:
      disk.content.withLock { $0.notes[id]?.system = nil }
    default: return
    }
    engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
  }
}

extension CKSyncEngine.PendingRecordZoneChange {
  var id: CKRecord.ID {
    switch self {
    case .saveRecord(let id), .deleteRecord(let id): id
    }
  }
}

extension CKSyncEngine.Event {
  var name: String {
    switch self {
    case .stateUpdate: "stateUpdate"
    case .accountChange(let event):
      switch event.changeType {
      case .signIn: "signIn"
      case .signOut: "signOut"
      case .switchAccounts: "switchAccounts"
      @unknown default: "?"
      }
    case .fetchedDatabaseChanges: "fetchedDatabaseChanges"
    case .fetchedRecordZoneChanges: "fetchedRecordZoneChanges"
    case .sentDatabaseChanges: "sentDatabaseChanges"
    case .sentRecordZoneChanges: "sentRecordZoneChanges"
    case .willFetchChanges: "willFetchChanges"
    case .willFetchRecordZoneChanges: "willFetchRecordZoneChanges"
    case .didFetchRecordZoneChanges: "didFetchRecordZoneChanges"
    case .didFetchChanges: "didFetchChanges"
    case .willSendChanges: "willSendChanges"
    case .didSendChanges: "didSendChanges"
    @unknown default: "?"
    }
  }
}
