// The changes that are sent together.

import BrumeModel
import Synchronization

extension CKSyncEngine {
  /// Records to save and delete together: at most 250, and only such as the scope of the send contains.
  // Sendable because the delegate hands the records over and does not change them any more.
  public struct RecordZoneChangeBatch: @unchecked Sendable, CustomStringConvertible {
    /// Records to save.
    public var recordsToSave: [CKRecord]
    /// Records to delete.
    public var recordIDsToDelete: [CKRecord.ID]
    /// Whether the changes of a zone succeed or fail together.
    public var atomicByZone: Bool

    /// Takes as many pending changes as a batch may hold, in their order: 250, or as many as have 2 MB of
    /// fields, files not counted. What does not fit any more stays pending.
    ///
    /// A pending save that has no record any more is skipped, and stops being pending (case ENG-06).
    ///
    /// - Parameters:
    ///   - pendingChanges: the changes, in the order in which to send them.
    ///   - recordProvider: gives the record of a pending save; nil if there is none any more.
    /// - Returns: nil if there is nothing to send.
    @concurrent public init?(
      pendingChanges: [CKSyncEngine.PendingRecordZoneChange],
      recordProvider: @concurrent @Sendable (CKRecord.ID) async -> CKRecord?
    ) async {
      self.init()
      var bytes = 0
      for change in pendingChanges where bytes <= Self.byteLimit {
        guard count < Self.limit else { break }
        switch change {
        case .deleteRecord(let id): recordIDsToDelete.append(id)
        case .saveRecord(let id):
          guard let record = await recordProvider(id) else {
            SkippedChanges.current?.add(change)
            continue
          }
          bytes += record.bytesToSend
          if bytes <= Self.byteLimit || count == 0 { recordsToSave.append(record) }
        }
      }
      if count == 0 { return nil }
    }

    /// Creates a batch. One of more than 250 changes fails with ``CKError/Code/limitExceeded``.
    public init(
      recordsToSave: [CKRecord] = [], recordIDsToDelete: [CKRecord.ID] = [],
      atomicByZone: Bool = false
    ) {
      self.recordsToSave = recordsToSave
      self.recordIDsToDelete = recordIDsToDelete
      self.atomicByZone = atomicByZone
    }

    static let limit = Limits.apple.syncEngineBatch
    static let byteLimit = Limits.apple.syncEngineBatchBytes

    /// Why nothing of the batch is sent; nil if it may be.
    var refusal: CKError? {
      guard count > Self.limit else { return nil }
      return CKError(
        .limitExceeded,
        "the batch has \(count) changes; the maximum is \(Self.limit). Give the rest when you are asked again"
      )
    }

    /// Why the batch must not be sent in a scope; nil if it may be.
    func refusal(in scope: CKSyncEngine.SendChangesOptions.Scope) -> CKError? {
      guard let stranger = changes.first(where: { !scope.contains($0) }) else { return nil }
      return CKError(
        .invalidArguments,
        "the batch has a change of record '\(stranger.recordID.recordName)' of zone "
          + "'\(stranger.recordID.zoneID.zoneName)', which is outside of the scope of this send. Give "
          + "only changes that context.options.scope contains")
    }

    public var description: String {
      "<CKSyncEngine.RecordZoneChangeBatch: \(recordsToSave.count) to save, "
        + "\(recordIDsToDelete.count) to delete>"
    }

    var count: Int { recordsToSave.count + recordIDsToDelete.count }

    var changes: [CKSyncEngine.PendingRecordZoneChange] {
      recordsToSave.map { .saveRecord($0.recordID) } + recordIDsToDelete.map { .deleteRecord($0) }
    }

    /// The batch without the changes that a test picks.
    func without(
      _ isLeftOut: (CKSyncEngine.PendingRecordZoneChange) -> Bool
    ) -> RecordZoneChangeBatch {
      RecordZoneChangeBatch(
        recordsToSave: recordsToSave.filter { !isLeftOut(.saveRecord($0.recordID)) },
        recordIDsToDelete: recordIDsToDelete.filter { !isLeftOut(.deleteRecord($0)) },
        atomicByZone: atomicByZone)
    }
  }
}

/// The pending saves for which a delegate had no record, collected while it is asked for a batch.
final class SkippedChanges: Sendable {
  @TaskLocal static var current: SkippedChanges?
  private let changes = Mutex<[CKSyncEngine.PendingRecordZoneChange]>([])

  func add(_ change: CKSyncEngine.PendingRecordZoneChange) {
    changes.withLock { $0.append(change) }
  }

  var all: [CKSyncEngine.PendingRecordZoneChange] { changes.withLock { $0 } }
}
