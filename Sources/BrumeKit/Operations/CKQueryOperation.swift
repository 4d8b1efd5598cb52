// Queries, one page at a time.

import BrumeClient
import BrumeModel

/// An operation that fetches the records which match a query.
///
/// It makes one request. A cursor that is not nil means that there is more: run another operation
/// with it, even if fewer records came than the limit allows. Source: Apple's `CKQueryOperation`
/// page and header.
// Sendable because all is set before it starts, and then its own task and queue alone use it.
open class CKQueryOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The limit that leaves the number of results to the server.
  public class var maximumResults: Int { 0 }

  /// What to look for. Ignored if there is a cursor.
  open var query: CKQuery?
  /// Where to go on.
  open var cursor: Cursor?
  /// The zone to search; nil: all zones of the database. A cursor remembers its zone.
  open var zoneID: CKRecordZone.ID?
  /// How many records to fetch at most; ``maximumResults`` leaves it to the server.
  open var resultsLimit = CKQueryOperation.maximumResults
  /// The fields to fetch: nil means all, an empty list none.
  open var desiredKeys: [CKRecord.FieldKey]?
  /// Called for each record, in the query's order. If set, ``recordFetchedBlock`` is not called.
  open var recordMatchedBlock:
    ((_ recordID: CKRecord.ID, _ recordResult: Result<CKRecord, any Error>) -> Void)?
  /// The older form of ``recordMatchedBlock``.
  open var recordFetchedBlock: ((CKRecord) -> Void)?
  /// Called once, last, with the place where to go on, or nil at the end.
  open var queryResultBlock: ((_ operationResult: Result<Cursor?, any Error>) -> Void)?
  /// The older form of ``queryResultBlock``: failures of single records come as one partial failure, with the cursor.
  open var queryCompletionBlock: ((Cursor?, (any Error)?) -> Void)?

  private var next: Cursor?
  private var errors: [AnyHashable: any Error] = [:]

  /// Creates an operation without a query.
  public override init() { super.init() }

  /// Creates an operation.
  public convenience init(query: CKQuery) {
    self.init()
    self.query = query
  }

  /// Creates an operation that goes on where another one ended.
  public convenience init(cursor: Cursor) {
    self.init()
    self.cursor = cursor
  }

  override func perform() async throws {
    let database = effectiveDatabase
    let viewpoint = try await viewpoint(of: database)
    let question = try question()
    let page = try await request(from: viewpoint) { try await database.caller.query(question) }
    for stored in page.records {
      let found = recordResult(stored, from: viewpoint)
      let zone = stored.zone ?? question.zone ?? ZoneID(name: ZoneID.defaultName)
      let id =
        (try? found.get().recordID)
        ?? CKRecord.ID(RecordID(name: stored.name, zone: zone), from: viewpoint)
      let result = try await withFiles(found, from: viewpoint)
      try await report(each: [result]) { self.matched(id, $0) }
    }
    await report { self.next = page.marker.map { Cursor(question, marker: $0) } }
  }

  private func question() throws -> QueryRequest {
    var question: QueryRequest
    if let cursor {
      question = cursor.request
    } else if let query {
      let zone = zoneID.map { ZoneID($0) }
      // Only the private database has several zones to look in; elsewhere nil is the default zone.
      let isZoneWide = zone == nil && effectiveDatabase.databaseScope == .private
      question = QueryRequest(query: try query.model(), zone: zone, zoneWide: isZoneWide)
    } else {
      throw CKError(
        .invalidArguments, "The query operation has neither a query nor a cursor. Set one.")
    }
    question.limit = resultsLimit > 0 ? resultsLimit : nil
    question.desiredKeys = desiredKeys
    return question
  }

  private func matched(_ id: CKRecord.ID, _ result: Result<CKRecord, any Error>) {
    if case .failure(let error) = result { errors[id] = error }
    if let recordMatchedBlock {
      recordMatchedBlock(id, result)
    } else if case .success(let record) = result {
      recordFetchedBlock?(record)
    }
  }

  override func complete(_ failure: CKError?) {
    if let failure {
      queryResultBlock?(.failure(failure))
      queryCompletionBlock?(nil, failure)
    } else {
      queryResultBlock?(.success(next))
      queryCompletionBlock?(next, CKError.overall(nil, items: errors))
    }
  }
}
