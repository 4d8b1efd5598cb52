// Saving and deleting subscriptions.

import BrumeClient
import BrumeModel

/// An operation that saves and deletes subscriptions.
///
/// Saving an ID that exists replaces the subscription. One that could not work, because it has no
/// `notificationInfo`, a predicate that is not supported, or the wrong kind for its database,
/// fails without being sent. Source: Apple's `CKModifySubscriptionsOperation` page and header.
// Sendable because all is set before it starts, and then its own task and queue alone use it.
open class CKModifySubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The subscriptions to save.
  open var subscriptionsToSave: [CKSubscription]?
  /// The IDs of the subscriptions to delete.
  open var subscriptionIDsToDelete: [CKSubscription.ID]?
  /// Called once for each subscription to save.
  open var perSubscriptionSaveBlock:
    (
      (_ subscriptionID: CKSubscription.ID, _ saveResult: Result<CKSubscription, any Error>) -> Void
    )?
  /// Called once for each subscription to delete.
  open var perSubscriptionDeleteBlock:
    ((_ subscriptionID: CKSubscription.ID, _ deleteResult: Result<Void, any Error>) -> Void)?
  /// Called once, last. Failures of single subscriptions do not make it a failure.
  open var modifySubscriptionsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
  /// The older form of ``modifySubscriptionsResultBlock``: failures of single subscriptions come
  /// as one partial failure. It has the ID of a subscription, or, if the zone of a
  /// ``CKRecordZoneSubscription`` is missing, that zone's ID.
  open var modifySubscriptionsCompletionBlock:
    (
      (
        _ savedSubscriptions: [CKSubscription]?, _ deletedSubscriptionIDs: [CKSubscription.ID]?,
        _ operationError: (any Error)?
      ) -> Void
    )?

  private var saved = ItemResults<CKSubscription.ID, CKSubscription>()
  private var deleted = ItemResults<CKSubscription.ID, Void>()

  /// Creates an operation without work.
  public override init() { super.init() }

  /// Creates an operation.
  public convenience init(
    subscriptionsToSave: [CKSubscription]? = nil,
    subscriptionIDsToDelete: [CKSubscription.ID]? = nil
  ) {
    self.init()
    self.subscriptionsToSave = subscriptionsToSave
    self.subscriptionIDsToDelete = subscriptionIDsToDelete
  }

  override func perform() async throws {
    let (saves, deletes) = (subscriptionsToSave ?? [], subscriptionIDsToDelete ?? [])
    try CKError.checkCount(saves.count + deletes.count)
    let database = effectiveDatabase
    let viewpoint = try await viewpoint(of: database)
    let positions = Array(0..<saves.count + deletes.count)
    for part in positions.pieces(of: Limits.apple.operationsPerRequest) {
      let plan = SubscriptionPlan(
        saving: part.compactMap { saves[ifThere: $0] },
        deleting: part.compactMap { deletes[ifThere: $0 - saves.count] }, in: viewpoint.scope)
      try await carryOut(plan, as: "\(operationID)/\(part.startIndex)", in: database, viewpoint)
    }
  }

  private func carryOut(
    _ plan: SubscriptionPlan, as name: String, in database: CKDatabase, _ viewpoint: Viewpoint
  ) async throws {
    var answers: [SubscriptionResult] = []
    if !plan.operations.isEmpty {
      // What the server has forgotten would be done again, though others may have changed it since.
      answers = try await request(
        from: viewpoint, rememberedSeconds: Session.rememberedSeconds
      ) {
        try await database.caller.modifySubscriptions(
          ModifySubscriptionsRequest(plan.operations, operationID: name))
      }
    }
    try await report(each: plan.saveResults(answers, from: viewpoint).items) { id, result in
      self.saved.add(id, result)
      self.perSubscriptionSaveBlock?(id, result)
    }
    try await report(each: plan.deleteResults(answers, from: viewpoint).items) { id, result in
      self.deleted.add(id, result)
      self.perSubscriptionDeleteBlock?(id, result)
    }
  }

  /// A missing zone fails under the zone's ID, as with Apple (case SUB-02).
  private var saveErrors: [AnyHashable: any Error] {
    var errors = saved.errors
    for case let subscription as CKRecordZoneSubscription in subscriptionsToSave ?? [] {
      let id = AnyHashable(subscription.subscriptionID)
      guard let error = errors[id] as? CKError,
        error.code == .zoneNotFound || error.code == .userDeletedZone
      else { continue }
      errors[id] = nil
      errors[AnyHashable(subscription.zoneID)] = error
    }
    return errors
  }

  override func complete(_ failure: CKError?) {
    modifySubscriptionsResultBlock?(CKError.result(failure))
    let errors = saveErrors.merging(deleted.errors) { first, _ in first }
    modifySubscriptionsCompletionBlock?(
      failure == nil ? saved.values : nil, failure == nil ? deleted.ids : nil,
      CKError.overall(failure, items: errors))
  }
}
