// Creating and deleting record zones.

import BrumeClient
import BrumeModel

/// An operation that saves and deletes record zones.
///
/// Source: Apple's `CKModifyRecordZonesOperation` page and header.
// Sendable because all is set before it starts, and then its own task and queue alone use it.
open class CKModifyRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The zones to save.
  open var recordZonesToSave: [CKRecordZone]?
  /// The IDs of the zones to delete, with everything in them.
  open var recordZoneIDsToDelete: [CKRecordZone.ID]?
  /// Called once for each zone to save.
  open var perRecordZoneSaveBlock:
    ((_ recordZoneID: CKRecordZone.ID, _ saveResult: Result<CKRecordZone, any Error>) -> Void)?
  /// Called once for each zone to delete.
  open var perRecordZoneDeleteBlock:
    ((_ recordZoneID: CKRecordZone.ID, _ deleteResult: Result<Void, any Error>) -> Void)?
  /// Called once, last. Failures of single zones do not make it a failure.
  open var modifyRecordZonesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
  /// The older form of ``modifyRecordZonesResultBlock``: failures of single zones come as one
  /// partial failure.
  open var modifyRecordZonesCompletionBlock:
    (([CKRecordZone]?, [CKRecordZone.ID]?, (any Error)?) -> Void)?

  private var saved = ItemResults<CKRecordZone.ID, CKRecordZone>()
  private var deleted = ItemResults<CKRecordZone.ID, Void>()

  /// Creates an operation without work.
  public override init() { super.init() }

  /// Creates an operation.
  public convenience init(
    recordZonesToSave: [CKRecordZone]? = nil, recordZoneIDsToDelete: [CKRecordZone.ID]? = nil
  ) {
    self.init()
    self.recordZonesToSave = recordZonesToSave
    self.recordZoneIDsToDelete = recordZoneIDsToDelete
  }

  override func perform() async throws {
    let saves = recordZonesToSave ?? []
    let deletes = recordZoneIDsToDelete ?? []
    try CKError.checkCount(saves.count + deletes.count)
    let database = effectiveDatabase
    let viewpoint = try await viewpoint(of: database)
    let operations =
      saves.map { ZoneOperation(.create, ZoneID($0.zoneID)) }
      + deletes.map { ZoneOperation(.delete, ZoneID($0)) }
    for part in operations.pieces(of: Limits.apple.operationsPerRequest) {
      // A zone that was deleted may have been made again by others since, with new records.
      let hasDeletions = part.endIndex > saves.count
      let answers = try await request(
        from: viewpoint, rememberedSeconds: hasDeletions ? Session.rememberedSeconds : .infinity
      ) {
        try await database.caller.modifyZones(
          ModifyZonesRequest(
            Array(part), operationID: "\(operationID)/\(part.startIndex)"))
      }
      try await report(each: part.indices) { index in
        let answer = answers[ifThere: index - part.startIndex]
        if index < saves.count {
          self.reportSave(saves[index], answer, viewpoint)
        } else {
          self.reportDelete(deletes[index - saves.count], answer, viewpoint)
        }
      }
    }
  }

  private func reportSave(_ zone: CKRecordZone, _ answer: ZoneResult?, _ viewpoint: Viewpoint) {
    let result: Result<CKRecordZone, any Error> =
      switch answer {
      case .success(let state): .success(CKRecordZone(state, from: viewpoint))
      case .failure(let failure): .failure(CKError(failure.error, from: viewpoint))
      case nil: .failure(CKError.missingAnswer(for: "zone '\(zone.zoneID.zoneName)'"))
      }
    saved.add(zone.zoneID, result)
    perRecordZoneSaveBlock?(zone.zoneID, result)
  }

  private func reportDelete(_ id: CKRecordZone.ID, _ answer: ZoneResult?, _ viewpoint: Viewpoint) {
    let result: Result<Void, any Error> =
      switch answer {
      case .success: .success(())
      case .failure(let failure): .failure(CKError(failure.error, from: viewpoint))
      case nil: .failure(CKError.missingAnswer(for: "zone '\(id.zoneName)'"))
      }
    deleted.add(id, result)
    perRecordZoneDeleteBlock?(id, result)
  }

  override func complete(_ failure: CKError?) {
    modifyRecordZonesResultBlock?(CKError.result(failure))
    let errors = saved.errors.merging(deleted.errors) { first, _ in first }
    modifyRecordZonesCompletionBlock?(
      failure == nil ? saved.values : nil, failure == nil ? deleted.ids : nil,
      CKError.overall(failure, items: errors))
  }
}
