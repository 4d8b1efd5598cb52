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

  /// Saves all, and has none to fetch or to delete.
  private static func answer(to request: ScriptedServer.Request) throws -> [UInt8] {
    let body = try #require(request.body)
    func missing(_ id: String) -> SubscriptionResult {
      .failure(ItemFailure(id, BrumeError(.notFound, "no \(id)")))
    }
    if request.action == "subscriptions/lookup" {
      return Wire.subscriptions(try Wire.subscriptionLookup(body).map(missing))
    }
    let operations = try ModifySubscriptionsRequest(json: body).operations
    let results: [SubscriptionResult] = operations.map { operation in
      switch operation {
      case .save(let subscription), .update(let subscription): .success(.saved(subscription))
      case .delete(let id): missing(id)
      }
    }
    return Wire.subscriptions(results)
  }

  @Test func `one that could not work fails alone, the others are sent`() async throws {
    let server = ScriptedServer { request, _ in try Self.answer(to: request) }
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

  @Test func `more than 200 subscriptions go in several requests`() async throws {
    let server = ScriptedServer { request, _ in try Self.answer(to: request) }
    let database = server.container.privateCloudDatabase
    let journal = Journal()
    func note(_ found: Int?, _ error: (any Error)?) {
      let failed = (error as? CKError)?.partialErrorsByItemID?.count
      journal.note("\(found ?? -1) \(failed ?? -1) \(code(error))")
    }
    let modify = CKModifySubscriptionsOperation(
      subscriptionsToSave: (0..<150).map { subscription("s\($0)") },
      subscriptionIDsToDelete: (0..<100).map { "d\($0)" })
    modify.modifySubscriptionsCompletionBlock = { saved, _, error in note(saved?.count, error) }
    let fetch = CKFetchSubscriptionsOperation(subscriptionIDs: (0..<201).map { "f\($0)" })
    fetch.fetchSubscriptionCompletionBlock = { found, error in note(found?.count, error) }
    let tooMany = CKFetchSubscriptionsOperation(subscriptionIDs: (0..<401).map { "f\($0)" })
    tooMany.fetchSubscriptionCompletionBlock = { found, error in note(found?.count, error) }
    for operation in [modify, fetch, tooMany] as [CKDatabaseOperation] {
      operation.database = database
      await finish(operation)
    }
    #expect(
      journal.all == ["150 100 partialFailure", "0 201 partialFailure", "-1 -1 limitExceeded"])
    let sizes = try server.requests.map { request in
      let body = try #require(request.body)
      return request.action == "subscriptions/lookup"
        ? try Wire.subscriptionLookup(body).count
        : try ModifySubscriptionsRequest(json: body).operations.count
    }
    #expect(sizes == [200, 50, 200, 1])
    let names = try server.requests.prefix(2).map { request in
      try ModifySubscriptionsRequest(json: try #require(request.body)).operationID
    }
    #expect(names == ["\(modify.operationID)/0", "\(modify.operationID)/200"])
  }
}
