// The changes of one zone, page by page: the form before CKFetchRecordZoneChangesOperation.

import BrumeClient
import BrumeModel
public import Foundation

/// An operation that fetches one page of what changed in a zone.
///
/// Run another one with the new token while ``moreComing`` is true. Source: Apple's
/// `CKFetchRecordChangesOperation` header.
// Sendable because all is set before it starts, and then its own task and queue alone use it.
@available(*, deprecated, renamed: "CKFetchRecordZoneChangesOperation")
open class CKFetchRecordChangesOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The zone.
  open var recordZoneID: CKRecordZone.ID?
  /// Where to start; nil: at the beginning.
  open var previousServerChangeToken: CKServerChangeToken?
  /// How many changes to fetch at most; 0 leaves it to the server.
  open var resultsLimit = 0
  /// The fields to fetch: nil means all, an empty list none.
  open var desiredKeys: [String]?
  /// Called for each record that is new or changed.
  open var recordChangedBlock: ((CKRecord) -> Void)?
  /// Called for each record that is gone.
  open var recordWithIDWasDeletedBlock: ((CKRecord.ID) -> Void)?
  /// Whether there is more. Set before the completion block is called.
  open private(set) var moreComing = false
  /// Called once, last, with the token to keep and the data of the client's last save.
  open var fetchRecordChangesCompletionBlock: ((CKServerChangeToken?, Data?, (any Error)?) -> Void)?

  private var token: CKServerChangeToken?
  private var clientData: Data?

  /// Creates an operation without a zone.
  public override init() { super.init() }

  /// Creates an operation.
  public convenience init(
    recordZoneID: CKRecordZone.ID, previousServerChangeToken: CKServerChangeToken?
  ) {
    self.init()
    self.recordZoneID = recordZoneID
    self.previousServerChangeToken = previousServerChangeToken
  }

  override func perform() async throws {
    guard let recordZoneID else {
      throw CKError(.invalidArguments, "The operation has no recordZoneID. Set one.")
    }
    let database = effectiveDatabase
    let viewpoint = try await viewpoint(of: database)
    let question = ZoneChangesRequest(
      zone: ZoneID(recordZoneID), token: previousServerChangeToken?.text,
      limit: resultsLimit > 0 ? resultsLimit : nil, desiredKeys: desiredKeys)
    let answers = try await request(from: viewpoint) {
      try await database.caller.zoneChanges([question])
    }
    let page = try answers.first.page(of: recordZoneID, since: question.token, viewpoint)
    for change in page.changes {
      try Task.checkCancellation()
      try await take(change, in: recordZoneID, viewpoint)
    }
    await report {
      self.moreComing = page.moreComing
      self.token = CKServerChangeToken(text: page.token)
      self.clientData = page.clientData.map { Data($0) }
    }
  }

  /// A record that cannot be had ends the operation without a token: there is no block to name it,
  /// and a token would skip it.
  private func take(
    _ change: ZoneChange, in zoneID: CKRecordZone.ID, _ viewpoint: Viewpoint
  ) async throws {
    switch change {
    case .changed(let stored):
      let result = try await withFiles(recordResult(stored, from: viewpoint), from: viewpoint)
      let record = try result.get()
      await report { self.recordChangedBlock?(record) }
    case .deleted(let name, _, _):
      let id = CKRecord.ID(recordName: name, zoneID: zoneID)
      await report { self.recordWithIDWasDeletedBlock?(id) }
    }
  }

  override func complete(_ failure: CKError?) {
    fetchRecordChangesCompletionBlock?(token, clientData, failure)
  }
}
