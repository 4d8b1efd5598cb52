// What became of what a sync engine sent: what is reported to the app, and what stays pending.

import BrumeModel

/// What became of changes of zones.
struct SentZones {
  let event: CKSyncEngine.Event.SentDatabaseChanges
  /// Changes that stay pending.
  let unsent: [CKSyncEngine.PendingDatabaseChange]
  /// Why they do.
  let passing: CKError?

  init(
    _ zones: [CKRecordZone], _ deletions: [CKRecordZone.ID],
    saves: (CKRecordZone.ID) -> Result<CKRecordZone, any Error>?,
    deletes: (CKRecordZone.ID) -> Result<Void, any Error>?
  ) {
    let saved = Answers(zones, of: "a zone") { saves($0.zoneID) }
    let deleted = Answers(deletions, of: "a zone", deletes)
    event = CKSyncEngine.Event.SentDatabaseChanges(
      savedZones: saved.successes.map(\.value),
      failedZoneSaves: saved.failures.map { .init(zone: $0.item, error: $0.error) },
      deletedZoneIDs: deleted.successes.map(\.item), failedZoneDeletes: deleted.errors)
    unsent = saved.unsent.map { .saveZone($0) } + deleted.unsent.map { .deleteZone($0) }
    passing = deleted.passing ?? saved.passing
  }
}

extension CKSyncEngine.Event.SentDatabaseChanges {
  /// Zones that are not there any more. One that was to be deleted and was gone already counts (case ZON-05):
  /// another device may have been first, or the answer to an earlier attempt was lost.
  var goneZoneIDs: [CKRecordZone.ID] {
    deletedZoneIDs
      + failedZoneDeletes.filter { [.zoneNotFound, .userDeletedZone].contains($1.code) }.keys
  }
}

/// What became of changes of records.
struct SentRecords {
  let event: CKSyncEngine.Event.SentRecordZoneChanges
  /// Changes that stay pending.
  let unsent: [CKSyncEngine.PendingRecordZoneChange]
  /// Why they do.
  let passing: CKError?

  init(
    _ batch: CKSyncEngine.RecordZoneChangeBatch,
    saves: (CKRecord.ID) -> Result<CKRecord, any Error>?,
    deletes: (CKRecord.ID) -> Result<Void, any Error>?
  ) {
    let ids = batch.recordsToSave.map(\.recordID)
    let busy = Set(
      (ids.filter { saves($0)?.passes ?? false }
        + batch.recordIDsToDelete.filter { deletes($0)?.passes ?? false }).map(\.zoneID))
    // What fails only because another change of its zone has to wait, waits with that one (case ATM-07).
    let waits = { (id: CKRecord.ID) in batch.atomicByZone && busy.contains(id.zoneID) }
    let saved = Answers(batch.recordsToSave, of: "a record", waits: { waits($0.recordID) }) {
      saves($0.recordID)
    }
    let deleted = Answers(batch.recordIDsToDelete, of: "a record", waits: waits, deletes)
    event = CKSyncEngine.Event.SentRecordZoneChanges(
      savedRecords: saved.successes.map(\.value),
      failedRecordSaves: saved.failures.map { .init(record: $0.item, error: $0.error) },
      deletedRecordIDs: deleted.successes.map(\.item), failedRecordDeletes: deleted.errors)
    unsent =
      saved.unsent.map { .saveRecord($0.recordID) } + deleted.unsent.map { .deleteRecord($0) }
    passing = deleted.passing ?? saved.passing
  }
}

/// The answers to one request's saves, or its deletions, in the order in which they were sent.
private struct Answers<Item, Value> {
  var successes: [(item: Item, value: Value)] = []
  var failures: [(item: Item, error: CKError)] = []
  /// Items that are sent again by the engine itself.
  var unsent: [Item] = []
  /// The last reason for that.
  var passing: CKError?

  /// - Parameters:
  ///   - kind: what an item is called if its answer is missing.
  ///   - waits: whether an item whose batch failed is sent again with it.
  init(
    _ items: [Item], of kind: String, waits: (Item) -> Bool = { _ in false },
    _ answer: (Item) -> Result<Value, any Error>?
  ) {
    for item in items {
      switch answer(item) {
      case .success(let value): successes.append((item, value))
      case .failure(let error as CKError) where error.isRepeatedBySyncEngine:
        unsent.append(item)
        passing = error
      case .failure(let error as CKError) where error.code == .batchRequestFailed && waits(item):
        unsent.append(item)
      case .failure(let error):
        failures.append((item, CKError(converting: error, from: Viewpoint(scope: .private))))
      case nil: failures.append((item, .missingAnswer(for: kind)))
      }
    }
  }
}

extension Answers where Item: Hashable {
  var errors: [Item: CKError] {
    Dictionary(failures.map { ($0.item, $0.error) }, uniquingKeysWith: { first, _ in first })
  }
}

extension Result where Failure == any Error {
  /// Whether it is a failure that the engine repeats by itself.
  fileprivate var passes: Bool {
    if case .failure(let error as CKError) = self { error.isRepeatedBySyncEngine } else { false }
  }
}
