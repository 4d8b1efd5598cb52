// Fetching records by ID.

import BrumeClient
import BrumeModel

/// An operation that fetches records.
///
/// Source: Apple's `CKFetchRecordsOperation` page and header.
// Sendable because all is set before it starts, and then its own task and queue alone use it.
open class CKFetchRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The IDs of the records, at most 400.
  open var recordIDs: [CKRecord.ID]?
  /// The fields to fetch: nil means all, an empty list none.
  open var desiredKeys: [CKRecord.FieldKey]?
  /// Called with the part of a record that was loaded, at least once with 1 for each that was
  /// found.
  open var perRecordProgressBlock: ((CKRecord.ID, Double) -> Void)?
  /// Called once for each record. If set, ``perRecordCompletionBlock`` is not called.
  open var perRecordResultBlock:
    ((_ recordID: CKRecord.ID, _ recordResult: Result<CKRecord, any Error>) -> Void)?
  /// The older form of ``perRecordResultBlock``.
  open var perRecordCompletionBlock: ((CKRecord?, CKRecord.ID?, (any Error)?) -> Void)?
  /// Called once, last. Failures of single records do not make it a failure.
  open var fetchRecordsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
  /// The older form of ``fetchRecordsResultBlock``: failures of single records come as one
  /// partial failure.
  open var fetchRecordsCompletionBlock: (([CKRecord.ID: CKRecord]?, (any Error)?) -> Void)?

  var fetchesCurrentUser = false
  private var fetched = ItemResults<CKRecord.ID, CKRecord>()

  /// Creates an operation without work.
  public override init() { super.init() }

  /// Creates an operation.
  public convenience init(recordIDs: [CKRecord.ID]) {
    self.init()
    self.recordIDs = recordIDs
  }

  /// Creates an operation that fetches the current user's own record.
  open class func fetchCurrentUserRecordOperation() -> CKFetchRecordsOperation {
    let operation = CKFetchRecordsOperation()
    operation.fetchesCurrentUser = true
    return operation
  }

  override func perform() async throws {
    let database = effectiveDatabase
    let viewpoint = try await viewpoint(of: database)
    if fetchesCurrentUser { recordIDs = [try await currentUser(database, viewpoint)] }
    let ids = recordIDs ?? []
    try CKError.checkCount(ids.count)
    for part in ids.pieces(of: Limits.apple.recordsPerResponse) {
      let question = LookupRecordsRequest(
        items: part.map { .init(name: $0.recordName, zone: ZoneID($0.zoneID)) },
        desiredKeys: desiredKeys)
      let answers = try await request(from: viewpoint) {
        try await database.caller.lookupRecords(question)
      }
      for (index, id) in part.enumerated() {
        let found = recordResult(answers[ifThere: index], id, from: viewpoint)
        let result = try await withFiles(found, from: viewpoint) { part in
          guard part < 1, !self.isCancelled else { return }
          await self.report { self.perRecordProgressBlock?(id, part) }
        }
        try await report(each: [result]) { self.reportOne(id, $0) }
      }
    }
  }

  private func currentUser(
    _ database: CKDatabase, _ viewpoint: Viewpoint
  ) async throws -> CKRecord.ID {
    let session = database.connection.session
    let identity = try await request(from: viewpoint) { try await session.currentUser() }
    guard let name = identity.user?.name else {
      throw CKError(.notAuthenticated, "Nobody is signed in, so there is no user record.")
    }
    return CKRecord.ID(recordName: name)
  }

  private func reportOne(_ id: CKRecord.ID, _ result: Result<CKRecord, any Error>) {
    fetched.add(id, result)
    if case .success = result { perRecordProgressBlock?(id, 1) }
    if isCancelled { return }
    if let perRecordResultBlock {
      perRecordResultBlock(id, result)
    } else {
      perRecordCompletionBlock?(result.pair.0, id, result.pair.1)
    }
  }

  override func complete(_ failure: CKError?) {
    fetchRecordsResultBlock?(CKError.result(failure))
    fetchRecordsCompletionBlock?(
      failure == nil ? fetched.valuesByID : nil, CKError.overall(failure, items: fetched.errors))
  }
}

/// One answer about a record that was looked up.
func recordResult(
  _ answer: RecordResult?, _ id: CKRecord.ID, from viewpoint: Viewpoint
) -> Result<CKRecord, any Error> {
  switch answer {
  case .success(.saved(let stored)): recordResult(stored, from: viewpoint)
  case .failure(let failure):
    .failure(CKError(failure.error, from: viewpoint))
  case .success(.deleted):
    .failure(CKError(.unknownItem, "Record '\(id.recordName)' was deleted."))
  case nil: .failure(CKError.missingAnswer(for: "record '\(id.recordName)'"))
  }
}

/// A record of an answer.
func recordResult(
  _ stored: StoredRecord, from viewpoint: Viewpoint
) -> Result<CKRecord, any Error> {
  Result { makeRecord(try stored.record(), from: viewpoint) }
    .mapError { CKError(converting: $0, from: viewpoint) }
}

extension CKError {
  /// CloudKit takes at most 400 items in one operation; larger ones are for the app to split.
  static func checkCount(_ count: Int) throws {
    let most = Limits.apple.itemsPerOperation
    guard count > most else { return }
    throw CKError(
      .limitExceeded,
      "The operation has \(count) items, the maximum is \(most). Split it in halves and run both.")
  }
}
