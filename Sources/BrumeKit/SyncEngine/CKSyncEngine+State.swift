// The state of a sync engine as the app sees it. The rules are in `SyncState.swift`.

import Synchronization

extension CKSyncEngine {
  /// A change of a record that waits to be sent.
  public enum PendingRecordZoneChange: Sendable, Hashable, CustomStringConvertible {
    /// The record is to be saved.
    case saveRecord(CKRecord.ID)
    /// The record is to be deleted.
    case deleteRecord(CKRecord.ID)

    public var description: String {
      switch self {
      case .saveRecord(let id): "saveRecord(\(id.zoneID.zoneName)/\(id.recordName))"
      case .deleteRecord(let id): "deleteRecord(\(id.zoneID.zoneName)/\(id.recordName))"
      }
    }
  }

  /// A change of a zone that waits to be sent.
  // Sendable because nobody changes a zone that waits.
  public enum PendingDatabaseChange: @unchecked Sendable, Hashable, CustomStringConvertible {
    /// The zone is to be saved.
    case saveZone(CKRecordZone)
    /// The zone is to be deleted, with everything in it.
    case deleteZone(CKRecordZone.ID)

    public var description: String {
      switch self {
      case .saveZone(let zone): "saveZone(\(zone.zoneID.zoneName))"
      case .deleteZone(let id): "deleteZone(\(id.zoneName))"
      }
    }
  }

  /// What a sync engine keeps: how far it is, and what waits to be sent.
  public final class State: Sendable {
    /// The state in a form that can be kept. Opaque.
    public struct Serialization: Codable, Sendable {
      let state: SyncState

      init(_ state: SyncState) { self.state = state }

      /// Reads a state.
      ///
      /// - Throws: `DecodingError` if it is no state, or one of a later version.
      public init(from decoder: any Decoder) throws { state = try SyncState(from: decoder) }

      /// Writes the state.
      public func encode(to encoder: any Encoder) throws { try state.encode(to: encoder) }
    }

    private struct Content {
      var state: SyncState
      /// Changed since the last state update.
      var isDirty = false
      /// Holds something of which the app has to be notified first.
      var isAhead = false
      /// Changes that were added since the app was asked for a batch; nil: it is not asked.
      var addedMeanwhile: Set<PendingRecordZoneChange>?
      /// Those of them that the delegate did not add itself, and what came until the batch leaves. It may have read
      /// their records before.
      var addedBeside: Set<PendingRecordZoneChange> = []
    }
    private let content: Mutex<Content>
    /// Called after the app changed something; `true` if there is something to send.
    private let onChange = Mutex<(@Sendable (_ hasMore: Bool) -> Void)?>(nil)

    init(_ state: SyncState) { content = Mutex(Content(state: state)) }

    func whenChanged(_ body: @escaping @Sendable (Bool) -> Void) { onChange.withLock { $0 = body } }

    /// The changes of records that wait to be sent.
    public var pendingRecordZoneChanges: [PendingRecordZoneChange] { value.pending }

    /// The changes of zones that wait to be sent.
    public var pendingDatabaseChanges: [PendingDatabaseChange] { value.databaseChanges }

    /// Whether there are changes that the app keeps track of by itself. Setting it to true schedules a
    /// send, in which the delegate is asked for batches; also if it was true, unless the delegate does so while it
    /// handles an event.
    public var hasPendingUntrackedChanges: Bool {
      get { value.hasUntrackedChanges }
      set {
        let isNew = content.withLock { content in
          if content.state.hasUntrackedChanges == newValue { return false }
          content.state.hasUntrackedChanges = newValue
          content.isDirty = true
          return true
        }
        // A delegate that sets it in each event would send without an end.
        if isNew || newValue && !DelegateCall.goesOn { notify(newValue) }
      }
    }

    /// The zones of which the server has changes that were not fetched yet, as far as is known.
    public var zoneIDsWithUnfetchedServerChanges: [CKRecordZone.ID] { value.unfetchedZones }

    /// Adds changes to send. A later change of a record replaces an earlier one.
    public func add(pendingRecordZoneChanges changes: [PendingRecordZoneChange]) {
      if changes.isEmpty { return }
      content.withLock { content in
        content.addedMeanwhile?.formUnion(changes)
        // A delegate that adds changes each time it is asked would send without an end.
        if SkippedChanges.current == nil { content.addedBeside.formUnion(changes) }
        if content.state.add(changes) { content.isDirty = true }
      }
      // Whatever was known already may be what is being sent just now.
      notify(true)
    }

    /// Takes changes back.
    public func remove(pendingRecordZoneChanges changes: [PendingRecordZoneChange]) {
      update { $0.remove(changes) }
      notify(false)
    }

    /// Adds changes of zones to send. A later change of a zone replaces an earlier one.
    public func add(pendingDatabaseChanges changes: [PendingDatabaseChange]) {
      if changes.isEmpty { return }
      update { $0.add(changes) }
      notify(true)
    }

    /// Takes changes of zones back.
    public func remove(pendingDatabaseChanges changes: [PendingDatabaseChange]) {
      update { $0.remove(changes) }
      notify(false)
    }

    // MARK: For the engine

    var value: SyncState { content.withLock { $0.state } }

    /// Changes the state; a state update follows.
    func update(_ body: (inout SyncState) -> Void) {
      content.withLock { content in
        let before = content.state
        body(&content.state)
        if content.state != before { content.isDirty = true }
      }
    }

    /// Changes the state in a way that is part of the next event. Until it has dealt with
    /// that, there is no state update: an app that kept it and was killed would never get the event.
    func updateAheadOfEvent(_ body: (inout SyncState) -> Void) {
      content.withLock { content in
        body(&content.state)
        content.isDirty = true
        content.isAhead = true
      }
    }

    /// The app has dealt with the event.
    func eventWasDelivered() { content.withLock { $0.isAhead = false } }

    /// The app is asked for a batch.
    func batchBegins() { content.withLock { ($0.addedMeanwhile, $0.addedBeside) = ([], []) } }

    /// The app had no records for these changes. What it added since it was asked may have one by now, and stays.
    func batchEnds(without skipped: [PendingRecordZoneChange]) {
      content.withLock { content in
        let gone = skipped.filter { content.addedMeanwhile?.contains($0) != true }
        content.addedMeanwhile = nil
        if content.state.remove(gone) { content.isDirty = true }
      }
    }

    /// The changes of the batch leave for the server. What the app added again since it was asked stays, for the next send.
    func begin(_ changes: [PendingRecordZoneChange]) {
      content.withLock { content in
        content.state.begin(changes, leaving: content.addedBeside)
        content.addedBeside = []
        content.isDirty = true
      }
    }

    /// The state for an update, if it changed since the last one.
    func takeUpdate() -> Serialization? {
      content.withLock { content in
        guard content.isDirty, !content.isAhead else { return nil }
        content.isDirty = false
        return Serialization(content.state.kept)
      }
    }

    private func notify(_ hasMore: Bool) { onChange.withLock { $0 }?(hasMore) }
  }
}
