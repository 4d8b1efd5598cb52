// Fetching record zones by ID, or all of a database.

import BrumeClient
import BrumeModel

/// An operation that fetches record zones.
///
/// Source: Apple's `CKFetchRecordZonesOperation` page and header.
// Sendable because all is set before it starts, and then its own task and queue alone use it.
open class CKFetchRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The IDs of the zones. Ignored by an operation that fetches all.
  open var recordZoneIDs: [CKRecordZone.ID]?
  /// Called once for each zone.
  open var perRecordZoneResultBlock:
    (
      (_ recordZoneID: CKRecordZone.ID, _ recordZoneResult: Result<CKRecordZone, any Error>) -> Void
    )?
  /// Called once, last. Failures of single zones do not make it a failure.
  open var fetchRecordZonesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
  /// The older form of ``fetchRecordZonesResultBlock``: failures of single zones come as one
  /// partial failure.
  open var fetchRecordZonesCompletionBlock:
    (([CKRecordZone.ID: CKRecordZone]?, (any Error)?) -> Void)?

  var fetchesAll = false
  private var fetched = ItemResults<CKRecordZone.ID, CKRecordZone>()

  /// Creates an operation without work.
  public override init() { super.init() }

  /// Creates an operation that fetches certain zones.
  public convenience init(recordZoneIDs zoneIDs: [CKRecordZone.ID]) {
    self.init()
    self.recordZoneIDs = zoneIDs
  }

  /// Creates an operation that fetches every zone of the database, the default zone included.
  open class func fetchAllRecordZonesOperation() -> CKFetchRecordZonesOperation {
    let operation = CKFetchRecordZonesOperation()
    operation.fetchesAll = true
    return operation
  }

  override func perform() async throws {
    let database = effectiveDatabase
    let viewpoint = try await viewpoint(of: database)
    guard !fetchesAll else {
      let zones = try await request(from: viewpoint) { try await database.caller.listZones() }
      return try await report(each: zones) { self.reportOne(nil, .success($0), viewpoint) }
    }
    let ids = recordZoneIDs ?? []
    try CKError.checkCount(ids.count)
    for part in ids.pieces(of: Limits.apple.operationsPerRequest) {
      let answers = try await request(from: viewpoint) {
        try await database.caller.lookupZones(part.map { ZoneID($0) })
      }
      try await report(each: part.enumerated()) { index, id in
        if let answer = answers[ifThere: index] {
          self.reportOne(id, answer, viewpoint)
        } else {
          self.reportOne(id, .failure(CKError.missingAnswer(for: "zone '\(id.zoneName)'")))
        }
      }
    }
  }

  private func reportOne(_ asked: CKRecordZone.ID?, _ answer: ZoneResult, _ viewpoint: Viewpoint) {
    let result: Result<CKRecordZone, any Error>
    let id: CKRecordZone.ID
    switch answer {
    case .success(let state):
      let zone = CKRecordZone(state, from: viewpoint)
      result = .success(zone)
      id = asked ?? zone.zoneID
    case .failure(let failure):
      result = .failure(CKError(failure.error, from: viewpoint))
      id = asked ?? CKRecordZone.ID(failure.id, from: viewpoint)
    }
    reportOne(id, result)
  }

  private func reportOne(_ id: CKRecordZone.ID, _ result: Result<CKRecordZone, any Error>) {
    fetched.add(id, result)
    perRecordZoneResultBlock?(id, result)
  }

  override func complete(_ failure: CKError?) {
    fetchRecordZonesResultBlock?(CKError.result(failure))
    fetchRecordZonesCompletionBlock?(
      failure == nil ? fetched.valuesByID : nil, CKError.overall(failure, items: fetched.errors))
  }
}
