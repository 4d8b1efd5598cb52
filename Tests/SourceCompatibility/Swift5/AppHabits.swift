// Written for this suite: habits of apps that are easy to break on a system that is not Apple's. A
// delegate on the main actor, subclasses of operations, conformances that apps add to types of the
// frameworks, and waiting for the account in a loop.

import CloudKit
import CoreLocation
import Foundation

// MARK: A model on the main actor that is the engine's delegate

@MainActor final class ShelfModel: CKSyncEngineDelegate {
  private(set) var shelf: [CKRecord.ID: CKRecord] = [:]
  private(set) var kept: CKSyncEngine.State.Serialization?
  private(set) var engine: CKSyncEngine?

  func start(on database: CKDatabase) -> CKSyncEngine {
    var configuration = CKSyncEngine.Configuration(
      database: database, stateSerialization: kept, delegate: self)
    configuration.automaticallySync = false
    let engine = CKSyncEngine(configuration)
    self.engine = engine
    return engine
  }

  func put(_ record: CKRecord) {
    shelf[record.recordID] = record
    engine?.state.add(pendingDatabaseChanges: [
      .saveZone(CKRecordZone(zoneID: record.recordID.zoneID))
    ])
    engine?.state.add(pendingRecordZoneChanges: [.saveRecord(record.recordID)])
  }

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    switch event {
    case .stateUpdate(let update): kept = update.stateSerialization
    case .fetchedRecordZoneChanges(let changes):
      for change in changes.modifications { shelf[change.record.recordID] = change.record }
      for deletion in changes.deletions { shelf[deletion.recordID] = nil }
    case .sentRecordZoneChanges(let sent):
      for record in sent.savedRecords { shelf[record.recordID] = record }
    default: break
    }
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    let scope = context.options.scope
    let pending = syncEngine.state.pendingRecordZoneChanges.filter { scope.contains($0) }
    let records = shelf
    return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: pending) { records[$0] }
  }
}

// MARK: Operations of an app's own

class PatientSave: CKModifyRecordsOperation, @unchecked Sendable {
  override init() {
    super.init()
    savePolicy = .changedKeys
    qualityOfService = .utility
  }
}

final class TaggedFetch: CKFetchRecordsOperation, @unchecked Sendable {
  let tag: String

  init(tag: String, of ids: [CKRecord.ID]) {
    self.tag = tag
    super.init()
    recordIDs = ids
    name = tag
  }
}

final class WholeZone: CKFetchRecordZoneChangesOperation, @unchecked Sendable {
  override init() { super.init() }

  convenience init(of zoneID: CKRecordZone.ID) {
    self.init()
    recordZoneIDs = [zoneID]
  }
}

// MARK: Conformances that an app adds

extension CLLocationCoordinate2D: Equatable {
  /// To about a metre.
  public static func == (lhs: CLLocationCoordinate2D, rhs: CLLocationCoordinate2D) -> Bool {
    abs(lhs.latitude - rhs.latitude) < 0.00001 && abs(lhs.longitude - rhs.longitude) < 0.00001
  }
}

extension CKRecord: Identifiable {
  public var id: CKRecord.ID { recordID }
}

// MARK: Waiting for the account, and keeping many records

func accountChanges(of container: CKContainer) -> NotificationCenter.Notifications {
  NotificationCenter.default.notifications(named: .CKAccountChanged, object: container)
}

@MainActor final class AccountModel {
  private(set) var changes = 0

  func follow(_ container: CKContainer) async {
    for await _ in NotificationCenter.default.notifications(
      named: .CKAccountChanged, object: container)
    { changes += 1 }
  }
}

func kept(_ records: [CKRecord]) throws -> [CKRecord] {
  let data = try NSKeyedArchiver.archivedData(withRootObject: records, requiringSecureCoding: true)
  return try NSKeyedUnarchiver.unarchivedArrayOfObjects(ofClass: CKRecord.self, from: data) ?? []
}

func keptTokens(_ data: Data) throws -> [CKRecordZone.ID: CKServerChangeToken] {
  try NSKeyedUnarchiver.unarchivedDictionary(
    ofKeyClass: CKRecordZone.ID.self, objectClass: CKServerChangeToken.self, from: data) ?? [:]
}
