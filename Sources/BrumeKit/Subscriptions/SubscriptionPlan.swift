// What saving and deleting subscriptions sends: those that can work, and for the others their
// error without asking the server. Operations and the convenience calls of CKDatabase share it.

import BrumeModel

/// One request about subscriptions, and how to read its answer.
struct SubscriptionPlan {
  private enum Save {
    case sent(CKSubscription.ID)
    case refused(CKSubscription.ID, CKError)
  }

  /// What to send, saves first.
  private(set) var operations: [SubscriptionOperation] = []
  private var saves: [Save] = []
  private let deletes: [CKSubscription.ID]

  init(
    saving subscriptions: [CKSubscription], deleting ids: [CKSubscription.ID],
    in scope: DatabaseScope
  ) {
    deletes = ids
    for subscription in subscriptions {
      do {
        operations.append(.save(try subscription.model(in: scope)))
        saves.append(.sent(subscription.subscriptionID))
      } catch {
        let error = CKError(converting: error, from: Viewpoint(scope: scope))
        saves.append(.refused(subscription.subscriptionID, error))
      }
    }
    operations += ids.map { .delete(id: $0) }
  }

  /// The results of the saves, in the order of the subscriptions.
  func saveResults(
    _ answers: [SubscriptionResult], from viewpoint: Viewpoint
  ) -> ItemResults<CKSubscription.ID, CKSubscription> {
    var results = ItemResults<CKSubscription.ID, CKSubscription>()
    var position = 0
    for save in saves {
      switch save {
      case .refused(let id, let error):
        results.add(id, .failure(error))
      case .sent(let id):
        results.add(id, subscriptionResult(answers[ifThere: position], id, from: viewpoint))
        position += 1
      }
    }
    return results
  }

  /// The results of the deletes, in the order of the IDs.
  func deleteResults(
    _ answers: [SubscriptionResult], from viewpoint: Viewpoint
  ) -> ItemResults<CKSubscription.ID, Void> {
    let first = operations.count - deletes.count
    var results = ItemResults<CKSubscription.ID, Void>()
    for (index, id) in deletes.enumerated() {
      switch answers[ifThere: first + index] {
      case .success: results.add(id, .success(()))
      case .failure(let failure):
        results.add(id, .failure(CKError(failure.error, from: viewpoint)))
      case nil: results.add(id, .failure(CKError.missingAnswer(for: "subscription '\(id)'")))
      }
    }
    return results
  }
}

/// One answer about a subscription that was saved or looked up.
func subscriptionResult(
  _ answer: SubscriptionResult?, _ id: CKSubscription.ID, from viewpoint: Viewpoint
) -> Result<CKSubscription, any Error> {
  switch answer {
  case .success(.saved(let subscription)):
    .success(CKSubscription.make(subscription, from: viewpoint))
  case .failure(let failure):
    .failure(CKError(failure.error, from: viewpoint))
  case .success(.deleted), nil:
    .failure(CKError.missingAnswer(for: "subscription '\(id)'"))
  }
}
