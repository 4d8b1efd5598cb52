// What changed in zones since their tokens.

import BrumeClient
import BrumeModel
public import Foundation

/// An operation that fetches the records that changed in zones, and the IDs of those deleted.
///
/// Zones are fetched one after the other, each in batches; a token that was issued stays
/// valid even if the operation fails later. Failures of single zones, such as
/// ``CKError/Code/changeTokenExpired``, come with that zone's result. Source: Apple's
/// `CKFetchRecordZoneChangesOperation` page and header.
// Sendable because all is set before it starts, and then its own task and queue alone use it.
open class CKFetchRecordZoneChangesOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The zones.
  open var recordZoneIDs: [CKRecordZone.ID]?
  /// What to fetch of each zone; a zone without an entry is fetched from the beginning.
  open var configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]?
  /// Whether to repeat requests until nothing is left. If false, one request is made for each
  /// zone, and its `moreComing` says whether to run another operation.
  open var fetchAllChanges = true
  /// Called for each record that is new or changed. If set, ``recordChangedBlock`` is not called.
  open var recordWasChangedBlock:
    ((_ recordID: CKRecord.ID, _ recordResult: Result<CKRecord, any Error>) -> Void)?
  /// The older form of ``recordWasChangedBlock``.
  open var recordChangedBlock: ((CKRecord) -> Void)?
  /// Called for each record that is gone.
  open var recordWithIDWasDeletedBlock:
    ((_ recordID: CKRecord.ID, _ recordType: CKRecord.RecordType) -> Void)?
  /// Called after each batch of a zone but the last, with the token to keep and the
  /// `clientChangeTokenData` of this device's last save in the zone.
  open var recordZoneChangeTokensUpdatedBlock:
    ((CKRecordZone.ID, CKServerChangeToken?, Data?) -> Void)?
  /// Called once for each zone. `moreComing` is false if ``fetchAllChanges`` is true.
  open var recordZoneFetchResultBlock:
    (
      (
        _ recordZoneID: CKRecordZone.ID,
        _ fetchChangesResult: Result<
          (
            serverChangeToken: CKServerChangeToken, clientChangeTokenData: Data?, moreComing: Bool
          ), any Error
        >
      ) -> Void
    )?
  /// The older form of ``recordZoneFetchResultBlock``.
  open var recordZoneFetchCompletionBlock:
    ((CKRecordZone.ID, CKServerChangeToken?, Data?, Bool, (any Error)?) -> Void)?
  /// Called once, last. Failures of single zones do not make it a failure.
  open var fetchRecordZoneChangesResultBlock:
    ((_ operationResult: Result<Void, any Error>) -> Void)?
  /// The older form of ``fetchRecordZoneChangesResultBlock``: failures of single zones come as
  /// one partial failure.
  open var fetchRecordZoneChangesCompletionBlock: (((any Error)?) -> Void)?

  private var errors: [AnyHashable: any Error] = [:]

  /// Whether a fetch from the beginning includes old deletions, for a sync engine that starts over.
  var includesOldDeletions = false
  /// Whether no record may be missing from a page, for a sync engine that moves past it: a record
  /// whose file is gone comes without the file, and any other failure to fetch one is the zone's.
  var needsEveryRecord = false

  /// Creates an operation without work.
  public override init() { super.init() }

  /// Creates an operation.
  public convenience init(
    recordZoneIDs: [CKRecordZone.ID]? = nil,
    configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]? = nil
  ) {
    self.init()
    self.recordZoneIDs = recordZoneIDs
    self.configurationsByRecordZoneID = configurationsByRecordZoneID
  }

  override func perform() async throws {
    let database = effectiveDatabase
    let viewpoint = try await viewpoint(of: database)
    for zoneID in recordZoneIDs ?? [] {
      do {
        try await fetch(zoneID, from: database, viewpoint)
      } catch let failure as ZoneFailure {
        await report { self.end(zoneID, .failure(failure.error)) }
      }
    }
  }

  /// What one zone's answer said went wrong; other failures end the operation.
  private struct ZoneFailure: Error { let error: CKError }

  private func fetch(
    _ zoneID: CKRecordZone.ID, from database: CKDatabase, _ viewpoint: Viewpoint
  ) async throws {
    let configuration = configurationsByRecordZoneID?[zoneID]?.values ?? .init()
    var question = ZoneChangesRequest(
      zone: ZoneID(zoneID), token: configuration.token?.text,
      limit: configuration.resultsLimit > 0 ? configuration.resultsLimit : nil,
      desiredKeys: configuration.desiredKeys, withDeletions: includesOldDeletions ? true : nil)
    while true {
      let sent = question
      let answers = try await request(from: viewpoint) {
        try await database.caller.zoneChanges([sent])
      }
      let page: ZoneChangesPage
      do { page = try answers.first.page(of: zoneID, since: sent.token, viewpoint) } catch {
        throw ZoneFailure(error: error)
      }
      let goesOn = page.moreComing && fetchAllChanges
      try await take(page, of: zoneID, isLast: !goesOn, viewpoint)
      guard goesOn else { return }
      question.token = page.token
    }
  }

  // MARK: Blocks

  private func take(
    _ page: ZoneChangesPage, of zoneID: CKRecordZone.ID, isLast: Bool, _ viewpoint: Viewpoint
  ) async throws {
    for change in page.changes {
      try Task.checkCancellation()
      switch change {
      case .changed(let stored):
        let result = try await withFiles(of: recordResult(stored, from: viewpoint), viewpoint)
        await report { self.changed(stored.name, result, in: zoneID) }
      case .deleted(let name, let type, _):
        let id = CKRecord.ID(recordName: name, zoneID: zoneID)
        await report { self.recordWithIDWasDeletedBlock?(id, type) }
      }
    }
    try Task.checkCancellation()
    let token = CKServerChangeToken(text: page.token)
    let data = page.clientData.map { Data($0) }
    await report {
      if isLast {
        self.end(zoneID, .success((token, data, page.moreComing)))
      } else {
        self.recordZoneChangeTokensUpdatedBlock?(zoneID, token, data)
      }
    }
  }

  private func withFiles(
    of record: Result<CKRecord, any Error>, _ viewpoint: Viewpoint
  ) async throws -> Result<CKRecord, any Error> {
    let whole = try await withFiles(record, from: viewpoint)
    guard needsEveryRecord, case .success = record, case .failure(let error as CKError) = whole
    else { return whole }
    if error.code == .assetNotAvailable { return record }
    throw ZoneFailure(error: error)
  }

  private func changed(
    _ name: String, _ result: Result<CKRecord, any Error>, in zoneID: CKRecordZone.ID
  ) {
    let id = CKRecord.ID(recordName: name, zoneID: zoneID)
    if case .failure(let error) = result { errors[AnyHashable(id)] = error }
    if let recordWasChangedBlock {
      recordWasChangedBlock(id, result)
    } else if case .success(let record) = result {
      recordChangedBlock?(record)
    }
  }

  private func end(
    _ zoneID: CKRecordZone.ID,
    _ result: Result<
      (serverChangeToken: CKServerChangeToken, clientChangeTokenData: Data?, moreComing: Bool),
      any Error
    >
  ) {
    recordZoneFetchResultBlock?(zoneID, result)
    switch result {
    case .success(let end):
      recordZoneFetchCompletionBlock?(
        zoneID, end.serverChangeToken, end.clientChangeTokenData, end.moreComing, nil)
    case .failure(let error):
      errors[AnyHashable(zoneID)] = error
      recordZoneFetchCompletionBlock?(zoneID, nil, nil, false, error)
    }
  }

  override func complete(_ failure: CKError?) {
    fetchRecordZoneChangesResultBlock?(CKError.result(failure))
    fetchRecordZoneChangesCompletionBlock?(CKError.overall(failure, items: errors))
  }
}
