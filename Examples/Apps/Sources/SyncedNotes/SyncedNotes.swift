// Notes kept in step by a sync engine. The engine decides when to fetch and send; this actor keeps the
// notes, hands out records, and solves what the engine hands back.

import CloudKit
import Foundation

public actor SyncedNotes: CKSyncEngineDelegate {
  static let zoneID = CKRecordZone.ID(zoneName: "Notes")

  struct Note: Codable {
    var text: String
    /// The system fields of the record as the server knows it.
    var lastKnownRecord: Data?
  }
  private struct Kept: Codable {
    var notes: [String: Note] = [:]
    var engine: CKSyncEngine.State.Serialization?
  }
  private var kept = Kept()
  private let file: URL?
  private let database: CKDatabase
  private let automaticallySync: Bool
  private var madeEngine: CKSyncEngine?
  /// Called when the notes changed.
  private let changed: @Sendable ([String]) -> Void

  /// - Parameters:
  ///   - file: where notes and the engine's state are kept; nil keeps nothing.
  ///   - changed: called with the texts whenever they changed.
  public init(
    container: CKContainer, file: URL? = nil, automaticallySync: Bool = true,
    changed: @escaping @Sendable ([String]) -> Void = { _ in }
  ) {
    database = container.privateCloudDatabase
    self.file = file
    self.automaticallySync = automaticallySync
    self.changed = changed
    if let file, let data = try? Data(contentsOf: file),
      let kept = try? JSONDecoder().decode(Kept.self, from: data)
    {
      self.kept = kept
    }
  }

  /// The engine, which starts to sync when it is made.
  public var engine: CKSyncEngine {
    if let madeEngine { return madeEngine }
    var configuration = CKSyncEngine.Configuration(
      database: database, stateSerialization: kept.engine, delegate: self)
    configuration.automaticallySync = automaticallySync
    let engine = CKSyncEngine(configuration)
    madeEngine = engine
    return engine
  }

  // MARK: What the user does

  public var texts: [String] { kept.notes.values.map(\.text).sorted() }

  public func write(_ text: String, to name: String = UUID().uuidString) {
    kept.notes[name, default: Note(text: "")].text = text
    keep()
    engine.state.add(pendingRecordZoneChanges: [.saveRecord(Self.id(name))])
  }

  public func delete(_ text: String) {
    for (name, note) in kept.notes where note.text == text {
      kept.notes[name] = nil
      engine.state.add(pendingRecordZoneChanges: [.deleteRecord(Self.id(name))])
    }
    keep()
  }

  // MARK: The engine's delegate

  public func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    switch event {
    case .stateUpdate(let event): kept.engine = event.stateSerialization
    case .accountChange(let event): accountChanged(event.changeType, syncEngine)
    case .fetchedDatabaseChanges(let event):
      if event.deletions.contains(where: { $0.zoneID == Self.zoneID }) { kept.notes = [:] }
    case .fetchedRecordZoneChanges(let event): take(event, syncEngine)
    case .sentRecordZoneChanges(let event): take(event, syncEngine)
    case .sentDatabaseChanges, .willFetchChanges, .willFetchRecordZoneChanges,
      .didFetchRecordZoneChanges, .didFetchChanges, .willSendChanges, .didSendChanges:
      return
    @unknown default: return
    }
    keep()
  }

  public func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    let scope = context.options.scope
    let changes = syncEngine.state.pendingRecordZoneChanges.filter { scope.contains($0) }
    let notes = kept.notes
    return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { id in
      notes[id.recordName].map { Self.record(id, of: $0) }
    }
  }

  private func accountChanged(
    _ change: CKSyncEngine.Event.AccountChange.ChangeType, _ engine: CKSyncEngine
  ) {
    switch change {
    case .signIn:
      // Whatever was written before there was an account goes to it now.
      engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.zoneID))])
      engine.state.add(
        pendingRecordZoneChanges: kept.notes.keys.map { .saveRecord(Self.id($0)) })
    case .signOut, .switchAccounts: kept.notes = [:]
    @unknown default: break
    }
  }

  private func take(
    _ event: CKSyncEngine.Event.FetchedRecordZoneChanges, _ engine: CKSyncEngine
  ) {
    let unsent = Set(engine.state.pendingRecordZoneChanges)
    for modification in event.modifications {
      let record = modification.record
      // What is not sent yet wins here, and meets the conflict when it is sent.
      if unsent.contains(.saveRecord(record.recordID)) { continue }
      if unsent.contains(.deleteRecord(record.recordID)) { continue }
      kept.notes[record.recordID.recordName] = Note(
        text: record["text"] as? String ?? "", lastKnownRecord: Self.systemFields(record))
    }
    for deletion in event.deletions { kept.notes[deletion.recordID.recordName] = nil }
  }

  private func take(_ event: CKSyncEngine.Event.SentRecordZoneChanges, _ engine: CKSyncEngine) {
    for record in event.savedRecords {
      kept.notes[record.recordID.recordName]?.lastKnownRecord = Self.systemFields(record)
    }
    for failed in event.failedRecordSaves {
      let id = failed.record.recordID
      switch failed.error.code {
      case .serverRecordChanged:
        guard let server = failed.error.serverRecord else { continue }
        kept.notes[id.recordName]?.lastKnownRecord = Self.systemFields(server)
      case .zoneNotFound:
        engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: id.zoneID))])
        kept.notes[id.recordName]?.lastKnownRecord = nil
      case .unknownItem: kept.notes[id.recordName]?.lastKnownRecord = nil
      default: continue
      }
      engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
    }
  }

  // MARK: Notes and records

  private static func id(_ name: String) -> CKRecord.ID {
    CKRecord.ID(recordName: name, zoneID: zoneID)
  }

  private static func record(_ id: CKRecord.ID, of note: Note) -> CKRecord {
    let coder = note.lastKnownRecord.flatMap { try? NSKeyedUnarchiver(forReadingFrom: $0) }
    let record = coder.flatMap { CKRecord(coder: $0) } ?? CKRecord(recordType: "Note", recordID: id)
    record["text"] = note.text
    return record
  }

  private static func systemFields(_ record: CKRecord) -> Data {
    let coder = NSKeyedArchiver(requiringSecureCoding: true)
    record.encodeSystemFields(with: coder)
    coder.finishEncoding()
    return coder.encodedData
  }

  private func keep() {
    changed(texts)
    guard let file, let data = try? JSONEncoder().encode(kept) else { return }
    try? data.write(to: file, options: .atomic)
  }
}
