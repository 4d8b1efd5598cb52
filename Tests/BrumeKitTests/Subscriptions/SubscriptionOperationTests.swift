import BrumeModel
import BrumeWire
import Foundation
import Testing

@testable import BrumeKit

@Suite struct SubscriptionOperationTests {
  private func subscription(_ id: String, silent: Bool = true) -> CKSubscription {
    let subscription = CKDatabaseSubscription(subscriptionID: id)
    if silent {
      let info = CKSubscription.NotificationInfo()
      info.shouldSendContentAvailable = true
      subscription.notificationInfo = info
    }
    return subscription
  }

  @Test func `one that could not work fails alone, the others are sent`() async throws {
    let server = ScriptedServer { request, _ in
      let operations = try Wire.subscriptionOperations(try #require(request.body))
      return Wire.subscriptions(
        operations.map {
          switch $0 {
          case .save(let subscription): .success(.saved(subscription))
          case .delete(let id): .failure(ItemFailure(id, BrumeError(.notFound, "no \(id)")))
          }
        } as [SubscriptionResult])
    }
    let journal = Journal()
    let operation = CKModifySubscriptionsOperation(
      subscriptionsToSave: [
        subscription("a"), subscription("bare", silent: false), subscription("b"),
      ], subscriptionIDsToDelete: ["gone"])
    operation.database = server.container.privateCloudDatabase
    operation.perSubscriptionSaveBlock = { journal.note("save \($0) \(outcome($1))") }
    operation.perSubscriptionDeleteBlock = { journal.note("delete \($0) \(outcome($1))") }
    operation.modifySubscriptionsResultBlock = { journal.note("result \(outcome($0))") }
    operation.modifySubscriptionsCompletionBlock = { saved, deleted, error in
      let errors = (error as? CKError)?.partialErrorsByItemID ?? [:]
      journal.note(
        "\(saved?.map(\.subscriptionID) ?? []) \(deleted ?? []) \(code(error)) "
          + "\(code(errors["bare"])) \(code(errors["gone"]))")
    }
    await finish(operation)
    #expect(
      journal.all == [
        "save a ok", "save bare invalidArguments", "save b ok", "delete gone unknownItem",
        "result ok", "[\"a\", \"b\"] [] partialFailure invalidArguments unknownItem",
      ])
    #expect(server.requests.count == 1)
  }

  @Test func `SAV-39 subscriptions of one answer are not reported after a cancellation`() async {
    let server = ScriptedServer { _, _ in
      Wire.subscriptions(
        ["a", "b", "c"].map {
          Subscription(id: $0, kind: .database(recordType: nil), info: NotificationInfo())
        })
    }
    let operation = CKFetchSubscriptionsOperation.fetchAllSubscriptionsOperation()
    operation.database = server.container.privateCloudDatabase
    let journal = Journal()
    operation.perSubscriptionResultBlock = { id, _ in
      journal.note(id)
      operation.cancel()
    }
    operation.fetchSubscriptionsResultBlock = { journal.note(outcome($0)) }
    await finish(operation)
    #expect(journal.all == ["a", "operationCancelled"])
  }

  @Test func `SUB-02 a missing zone is named by its own ID in the old block`() async {
    let server = ScriptedServer { _, _ in
      Wire.subscriptions(
        ["zone", "query"].map {
          .failure(ItemFailure($0, BrumeError(.zoneNotFound, "no zone Nowhere")))
        } as [SubscriptionResult])
    }
    let zone = CKRecordZone.ID(zoneName: "Nowhere")
    let query = CKQuerySubscription(
      recordType: "Note", predicate: NSPredicate(value: true), subscriptionID: "query",
      options: .firesOnRecordCreation)
    let subscriptions = [CKRecordZoneSubscription(zoneID: zone, subscriptionID: "zone"), query]
    for subscription in subscriptions {
      subscription.notificationInfo = CKSubscription.NotificationInfo()
    }
    let operation = CKModifySubscriptionsOperation(subscriptionsToSave: subscriptions)
    operation.database = server.container.privateCloudDatabase
    let journal = Journal()
    operation.perSubscriptionSaveBlock = { journal.note("\($0) \(outcome($1))") }
    operation.modifySubscriptionsCompletionBlock = { _, _, error in
      let errors = (error as? CKError)?.partialErrorsByItemID ?? [:]
      journal.note("\(errors.count) \(code(errors[zone])) \(code(errors["query"]))")
    }
    await finish(operation)
    #expect(
      journal.all == ["zone zoneNotFound", "query zoneNotFound", "2 zoneNotFound zoneNotFound"])
  }

  @Test func `nothing is asked when nothing could work`() async {
    let server = ScriptedServer { _, _ in [] }
    let operation = CKModifySubscriptionsOperation(
      subscriptionsToSave: [subscription("bare", silent: false)])
    operation.database = server.container.sharedCloudDatabase
    let journal = Journal()
    operation.perSubscriptionSaveBlock = { journal.note("save \($0) \(outcome($1))") }
    await finish(operation)
    #expect(journal.all == ["save bare invalidArguments"])
    #expect(server.requests.isEmpty)
  }

  @Test func `SUB-09 fetching an unknown subscription is unknownItem for its ID`() async {
    let server = ScriptedServer { request, _ in
      let known = Subscription(id: "a", kind: .database(recordType: nil), info: NotificationInfo())
      if request.action == "subscriptions/list" { return Wire.subscriptions([known]) }
      return Wire.subscriptions([
        .success(.saved(known)), .failure(ItemFailure("b", BrumeError(.notFound, "no b"))),
      ])
    }
    let database = server.container.privateCloudDatabase
    let journal = Journal()
    let some = CKFetchSubscriptionsOperation(subscriptionIDs: ["a", "b"])
    some.database = database
    some.perSubscriptionResultBlock = { journal.note("\($0) \(outcome($1))") }
    some.fetchSubscriptionCompletionBlock = { found, error in
      journal.note("\(found?.keys.sorted() ?? []) \(code(error))")
    }
    await finish(some)
    let all = CKFetchSubscriptionsOperation.fetchAllSubscriptionsOperation()
    all.subscriptionIDs = ["ignored"]
    all.database = database
    all.perSubscriptionResultBlock = { journal.note("all \($0) \(outcome($1))") }
    await finish(all)
    #expect(all.subscriptionIDs == nil)
    #expect(journal.all == ["a ok", "b unknownItem", "[\"a\"] partialFailure", "all a ok"])
  }
}
