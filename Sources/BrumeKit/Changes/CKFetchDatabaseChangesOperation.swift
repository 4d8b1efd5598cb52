// Which zones of a database changed since a token.

import BrumeClient
import BrumeModel

/// An operation that fetches which zones of a database are new, changed or gone.
///
/// For the private and the shared database. A zone counts as changed when a record in it changed;
/// fetch the records with ``CKFetchRecordZoneChangesOperation``. Source: Apple's
/// `CKFetchDatabaseChangesOperation` page and header.
// Sendable because all is set before it starts, and then its own task and queue alone use it.
open class CKFetchDatabaseChangesOperation: CKDatabaseOperation, @unchecked Sendable {
  /// Where to start; nil: at the beginning.
  open var previousServerChangeToken: CKServerChangeToken?
  /// How many zones one request answers at most; 0 leaves it to the server.
  open var resultsLimit = 0
  /// Whether to repeat requests until nothing is left. If false, one request is made, and its
  /// `moreComing` says whether to run another operation.
  open var fetchAllChanges = true
  /// Called for each zone that is new or changed.
  open var recordZoneWithIDChangedBlock: ((CKRecordZone.ID) -> Void)?
  /// Called for each zone that is gone.
  open var recordZoneWithIDWasDeletedBlock: ((CKRecordZone.ID) -> Void)?
  /// Called, instead of the block for deleted zones, for a zone whose data the user removed in
  /// the settings: delete local data, and do not upload it again.
  open var recordZoneWithIDWasPurgedBlock: ((CKRecordZone.ID) -> Void)?
  /// Called, instead of the block for deleted zones, for a zone that went because the user reset
  /// end-to-end encrypted data.
  open var recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock: ((CKRecordZone.ID) -> Void)?
  /// Called after each request with the token to keep.
  open var changeTokenUpdatedBlock: ((CKServerChangeToken) -> Void)?
  /// Called once, last.
  open var fetchDatabaseChangesResultBlock:
    (
      (
        _ operationResult: Result<
          (serverChangeToken: CKServerChangeToken, moreComing: Bool), any Error
        >
      ) -> Void
    )?
  /// The older form of ``fetchDatabaseChangesResultBlock``.
  open var fetchDatabaseChangesCompletionBlock:
    ((CKServerChangeToken?, Bool, (any Error)?) -> Void)?

  private var last: (serverChangeToken: CKServerChangeToken, moreComing: Bool)?

  /// Creates an operation that starts at the beginning.
  public override init() { super.init() }

  /// Creates an operation.
  public convenience init(previousServerChangeToken: CKServerChangeToken?) {
    self.init()
    self.previousServerChangeToken = previousServerChangeToken
  }

  override func perform() async throws {
    let database = effectiveDatabase
    let viewpoint = try await viewpoint(of: database)
    var token = previousServerChangeToken?.text
    while true {
      let (before, limit) = (token, resultsLimit > 0 ? resultsLimit : nil)
      let page = try await request(from: viewpoint) {
        try await database.caller.databaseChanges(token: before, limit: limit)
      }
      try page.checkProgress(since: before)
      try await take(page, viewpoint)
      token = page.token
      guard page.moreComing, fetchAllChanges else { return }
    }
  }

  /// The token comes only after all zones of its page: it would skip those that were not reported.
  private func take(_ page: DatabaseChangesPage, _ viewpoint: Viewpoint) async throws {
    try await report(each: page.zones) { zone in
      self.block(for: zone.deletion)?(CKRecordZone.ID(zone.zone, from: viewpoint))
    }
    let token = CKServerChangeToken(text: page.token)
    await report {
      self.last = (token, page.moreComing)
      self.changeTokenUpdatedBlock?(token)
    }
  }

  private func block(for deletion: Zone.Deletion?) -> ((CKRecordZone.ID) -> Void)? {
    switch deletion {
    case nil: recordZoneWithIDChangedBlock
    case .deleted: recordZoneWithIDWasDeletedBlock
    case .purged: recordZoneWithIDWasPurgedBlock ?? recordZoneWithIDWasDeletedBlock
    case .encryptedDataReset:
      recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock ?? recordZoneWithIDWasDeletedBlock
    }
  }

  override func complete(_ failure: CKError?) {
    if let last, failure == nil {
      fetchDatabaseChangesResultBlock?(.success(last))
      fetchDatabaseChangesCompletionBlock?(last.serverChangeToken, last.moreComing, nil)
    } else {
      let failure = failure ?? .missingAnswer(for: "the database")
      fetchDatabaseChangesResultBlock?(.failure(failure))
      fetchDatabaseChangesCompletionBlock?(nil, false, failure)
    }
  }
}

extension DatabaseChangesPage {
  /// A page that promises more without moving on would be asked for without end.
  func checkProgress(since token: String?) throws {
    if moreComing, zones.isEmpty, self.token == token { throw CKError.standingStill }
  }
}

extension ZoneChangesResult? {
  /// The page that was asked for.
  func page(
    of zoneID: CKRecordZone.ID, since token: String?, _ viewpoint: Viewpoint
  ) throws(CKError) -> ZoneChangesPage {
    switch self {
    case .success(let page):
      // A page that promises more without moving on would be asked for without end.
      if page.moreComing, page.changes.isEmpty, page.token == token { throw .standingStill }
      return page
    case .failure(let failure): throw CKError(failure.error, from: viewpoint)
    case nil: throw .missingAnswer(for: "zone '\(zoneID.zoneName)'")
    }
  }
}

extension CKError {
  static var standingStill: CKError {
    CKError(
      .internalError,
      "The server promises more changes but repeats the same token without any. Start again with "
        + "a nil token.")
  }
}
