// Saving and deleting records. ModifyPlan decides what is sent together.

import BrumeClient
import BrumeModel
import BrumeWire
public import Foundation

/// An operation that saves and deletes records.
///
/// Records that were saved take on what the server says, so that they can be changed and saved
/// again. Source: Apple's `CKModifyRecordsOperation` page and header.
// Sendable because all is set before it starts, and then its own task and queue alone use it.
open class CKModifyRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
  /// What a save sends, and what it does if the server's record changed in between.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum RecordSavePolicy: Int, Sendable {
    /// Sends what changed; fails with ``CKError/Code/serverRecordChanged`` if the record on the
    /// server is not the one that was fetched.
    case ifServerRecordUnchanged = 0
    /// Sends what changed, whatever the server has.
    case changedKeys = 1
    /// Sends every field with its files, whatever the server has; fields that only the server has stay. Of fields that
    /// did not change, assets whose files are not on this machine stay as the server has them.
    case allKeys = 2
  }

  /// The records to save.
  open var recordsToSave: [CKRecord]?
  /// The IDs of the records to delete, whoever changed them. A record that does not exist counts as deleted.
  open var recordIDsToDelete: [CKRecord.ID]?
  /// What saves send. Shares are always saved with `ifServerRecordUnchanged`, and so is every record of a
  /// long-lived operation that an earlier run of the program began a day before. Its deletions leave what was
  /// made under the same IDs since, or up to an hour before: they fail with ``CKError/Code/serverRecordChanged`` and
  /// the record that is there. Delete that with a new operation if it is to go. Nor do participants leave a share that
  /// was changed since, as it was if they have joined it again.
  open var savePolicy = RecordSavePolicy.ifServerRecordUnchanged
  /// Names the request: repeating an operation with the same data, and with the same records as they
  /// were, does nothing more; other records are saved under the same data too. It comes back with the
  /// zone's changes (``CKFetchRecordZoneChangesOperation/recordZoneFetchResultBlock``), so that a
  /// device sees whether its last save is among them. At most 1 KB.
  open var clientChangeTokenData: Data?
  /// Whether, in custom zones, all items of a zone succeed or fail together.
  open var isAtomic = true
  /// Called with the part of a record that was sent, at least once with 1 for each that was saved.
  open var perRecordProgressBlock: ((CKRecord, Double) -> Void)?
  /// Called once for each record to save. If set, ``perRecordCompletionBlock`` is not called.
  open var perRecordSaveBlock:
    ((_ recordID: CKRecord.ID, _ saveResult: Result<CKRecord, any Error>) -> Void)?
  /// Called once for each record to delete.
  open var perRecordDeleteBlock:
    ((_ recordID: CKRecord.ID, _ deleteResult: Result<Void, any Error>) -> Void)?
  /// The older form of ``perRecordSaveBlock``.
  open var perRecordCompletionBlock: ((CKRecord, (any Error)?) -> Void)?
  /// Called once, last. Failures of single records do not make it a failure.
  open var modifyRecordsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
  /// The older form of ``modifyRecordsResultBlock``: failures of single records come as one
  /// partial failure.
  open var modifyRecordsCompletionBlock: (([CKRecord]?, [CKRecord.ID]?, (any Error)?) -> Void)?

  /// Of an operation that an earlier run of the program wrote down: when that was, or long ago.
  var begunBefore: Date?
  /// What the server answered for the files of records, by their places.
  var uploads: [Int: [AssetSpot: UploadedAsset]] = [:]
  /// The part of a record that ``perRecordProgressBlock`` was called with last, by its place.
  var reportedParts: [Int: Double] = [:]
  private var saved = ItemResults<CKRecord.ID, CKRecord>()
  private var deleted = ItemResults<CKRecord.ID, Void>()
  /// What was sent of records, by their places.
  private var sentRecords: [Int: SentRecord] = [:]
  /// Which name the next request to a database has, by its owner.
  private var nameNumbers: [String: Int] = [:]

  /// Creates an operation without work.
  public override init() { super.init() }

  /// Creates an operation.
  public convenience init(
    recordsToSave: [CKRecord]? = nil, recordIDsToDelete: [CKRecord.ID]? = nil
  ) {
    self.init()
    self.recordsToSave = recordsToSave
    self.recordIDsToDelete = recordIDsToDelete
  }

  override func perform() async throws {
    let (saves, deletes) = (recordsToSave ?? [], recordIDsToDelete ?? [])
    try CKError.checkCount(saves.count + deletes.count)
    let database = effectiveDatabase
    let viewpoint = try await viewpoint(of: database)
    let deletions = try await deletions(of: deletes, from: viewpoint)
    // The app may go on changing its records: all that is sent is as it is now.
    let contents = saves.map(\.contents)
    let shares = saves.map { ($0 as? CKShare)?.detailsNow }
    var plan = plan(saves, contents, deletions, viewpoint)
    for number in 0..<Self.requests where !plan.open.isEmpty {
      do {
        plan = try await sendingFiles(of: saves, contents, plan, from: viewpoint)
        for item in plan.sent() where item.position < saves.count {
          sentRecords[item.position] = SentRecord(
            contents[item.position], shares[item.position], as: item.operation)
        }
        try await send(&plan, isLast: number + 1 == Self.requests, to: database, from: viewpoint)
      } catch let error as CKError
        where number > 0 && plan.open.count < plan.items.count && error.code != .notAuthenticated
      {
        // What became of the others is reported.
        return try await report(each: plan.open) { self.reportOne($0, .failure(error), viewpoint) }
      }
    }
  }

  /// Sends what is left of the plan, and takes out of it all but what is to be sent once more. One request has one name.
  private func send(
    _ plan: inout ModifyPlan, isLast: Bool, to database: CKDatabase, from viewpoint: Viewpoint
  ) async throws {
    let refusals = plan.refusals().sorted { $0.key < $1.key }
    try await report(each: refusals) { self.reportOne($0.key, .failure($0.value), viewpoint) }
    plan.end(refusals.map(\.key))
    let parts = Dictionary(grouping: plan.sent()) { item in
      nameNumbers[plan.owner(of: item.position), default: 0]
    }
    for (number, items) in parts.sorted(by: { $0.key < $1.key }) {
      try await send(items, number, of: &plan, isLast: isLast, to: database, from: viewpoint)
    }
  }

  private func send(
    _ sent: [ModifyPlan.Sent], _ number: Int, of plan: inout ModifyPlan, isLast: Bool,
    to database: CKDatabase, from viewpoint: Viewpoint
  ) async throws {
    let question = self.question(sent.map(\.operation), number)
    let answers = try await request(
      from: viewpoint, rememberedSeconds: Session.rememberedSeconds
    ) {
      try await database.caller.modifyRecords(question)
    }
    var failures: [Int: BrumeError] = [:]
    for (item, answer) in zip(sent, answers) {
      if case .failure(let failure) = answer { failures[item.position] = failure.error }
    }
    // What lacked files goes again under its name, by which a later run finds what became of it.
    let answered = Dictionary(grouping: zip(sent, answers)) { plan.owner(of: $0.0.position) }
    for (owner, part) in answered where !part.map(\.1).lacksFiles {
      nameNumbers[owner] = number + 1
    }
    let again = isLast ? [] : forgotten(failures, of: plan)
    let ended = sent.enumerated().filter { !again.contains($0.element.position) }
    try await report(each: ended) { index, item in
      self.reportAnswer(item.position, answers[ifThere: index], viewpoint)
    }
    plan.end(ended.map(\.element.position))
  }

  /// Ours: how often records are sent whose files the server has forgotten.
  private static let requests = 2

  private func plan(
    _ saves: [CKRecord], _ contents: [CKRecord.Contents], _ deletions: [Deletion],
    _ viewpoint: Viewpoint
  ) -> ModifyPlan {
    let saveItems = zip(saves, contents).map { record, contents in
      item(record.recordID.zoneID, viewpoint) {
        try record.saveOperation(self.policy(for: record), of: contents)
      }
    }
    let deleteItems = deletions.map { deletion in
      item(deletion.id.zoneID, viewpoint) { deletion.operation }
    }
    return ModifyPlan(saveItems + deleteItems, isAtomic: isAtomic)
  }

  /// One item, or what is wrong with it: the server would refuse the others too.
  private func item(
    _ zone: CKRecordZone.ID, _ viewpoint: Viewpoint, _ make: () throws -> RecordOperation
  ) -> ModifyPlan.Item {
    let operation = Result {
      let operation = try make()
      try operation.checkForm()
      return operation
    }
    return ModifyPlan.Item(
      zone: zone, operation: operation.mapError { CKError(converting: $0, from: viewpoint) })
  }

  func policy(for record: CKRecord) -> SavePolicy {
    if record is CKShare || mayBeForgotten { return .ifServerRecordUnchanged }
    return savePolicy.sent
  }

  /// Whether an earlier run may have saved the records so long ago that the server does not know it any
  /// more. Saving and deleting them whatever the server has would undo what others have saved since. Decided
  /// once, as it says what of a record is sent.
  private(set) lazy var mayBeForgotten: Bool =
    begunBefore.map {
      session.host.now().timeIntervalSince($0) >= Session.rememberedSeconds
    } ?? false

  /// Each request of which the server keeps something has a name of its own, so that repeating it after a lost answer
  /// changes nothing.
  private func question(_ operations: [RecordOperation], _ number: Int) -> ModifyRecordsRequest {
    var question = ModifyRecordsRequest(
      operations: operations, atomic: isAtomic, operationID: "\(operationID)/\(number)",
      clientData: clientChangeTokenData.map { [UInt8]($0) })
    if let words = question.clientData {
      question.operationID = question.name(after: words) + (number > 0 ? "/\(number)" : "")
    }
    return question
  }

  // MARK: Blocks

  private func reportAnswer(_ index: Int, _ answer: RecordResult?, _ viewpoint: Viewpoint) {
    switch answer {
    case .success(let outcome):
      reportOne(index, .success(outcome), viewpoint)
    case .failure(let failure):
      let record = (recordsToSave ?? [])[ifThere: index]
      let error = CKError(failure.error, from: viewpoint, clientRecord: record)
      let mayPass = isOfExpiredUpload(failure.error, of: index)
      reportOne(index, .failure(mayPass ? .uploadsExpired : error), viewpoint)
    case nil:
      reportOne(index, .failure(.missingAnswer(for: "item \(index)")), viewpoint)
    }
  }

  private func reportOne(
    _ index: Int, _ outcome: Result<RecordOutcome, CKError>, _ viewpoint: Viewpoint
  ) {
    let saves = recordsToSave ?? []
    if let record = saves[ifThere: index] {
      reportSave(record, sentRecords[index], outcome, viewpoint)
    } else if let id = (recordIDsToDelete ?? [])[ifThere: index - saves.count] {
      let result = outcome.map { _ in }.mapError { $0 as any Error }
      deleted.add(id, result)
      perRecordDeleteBlock?(id, result)
    }
  }

  private func reportSave(
    _ record: CKRecord, _ sent: SentRecord?, _ outcome: Result<RecordOutcome, CKError>,
    _ viewpoint: Viewpoint
  ) {
    let result: Result<CKRecord, any Error> = Result {
      guard case .saved(let stored) = try outcome.get() else {
        throw CKError.missingAnswer(for: "record '\(record.recordID.recordName)'")
      }
      return record.take(try stored.record(), from: viewpoint, after: sent)
    }.mapError { CKError(converting: $0, from: viewpoint) }
    saved.add(record.recordID, result)
    if case .success = result { perRecordProgressBlock?(record, 1) }
    if isCancelled { return }
    if let perRecordSaveBlock {
      perRecordSaveBlock(record.recordID, result)
    } else {
      perRecordCompletionBlock?(record, result.pair.1)
    }
  }

  override func complete(_ failure: CKError?) {
    modifyRecordsResultBlock?(CKError.result(failure))
    let errors = saved.errors.merging(deleted.errors) { first, _ in first }
    modifyRecordsCompletionBlock?(
      failure == nil ? saved.values : nil, failure == nil ? deleted.ids : nil,
      CKError.overall(failure, items: errors))
  }
}

extension CKModifyRecordsOperation.RecordSavePolicy {
  /// The policy in the words of the conversion.
  var sent: SavePolicy {
    switch self {
    case .ifServerRecordUnchanged: .ifServerRecordUnchanged
    case .changedKeys: .changedKeys
    case .allKeys: .allKeys
    }
  }
}
