// Zones, subscriptions and tokens in the three ways in which apps ask, with the old and the new blocks.

import BrumeKit
import BrumeModel
import BrumeServer
import Foundation
import Testing

extension APIStyle {
  fileprivate func zones(_ database: CKDatabase) async throws -> [CKRecordZone] {
    switch self {
    case .handlers:
      return try await waited { done in database.fetchAllRecordZones { done(either($0, $1)) } }
    case .operations:
      return try await waited { done in
        let operation = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
        operation.fetchRecordZonesCompletionBlock = { zones, error in
          done(either(zones.map { Array($0.values) }, error))
        }
        database.add(operation)
      }
    case .async: return try await database.allRecordZones()
    }
  }

  /// Answers the codes of what could not be done; nil is success.
  fileprivate func modify(
    _ zones: [CKRecordZone], deleting ids: [CKRecordZone.ID], _ database: CKDatabase
  ) async throws -> (saves: [String: CKError.Code?], deletes: [String: CKError.Code?]) {
    typealias Answer = (
      saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
      deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
    )
    let answer: Answer
    switch self {
    case .handlers:
      answer = try await waited { done in
        database.modifyRecordZones(saving: zones, deleting: ids) { result in
          done(result.map { ($0.saveResults, $0.deleteResults) })
        }
      }
    case .operations:
      answer = try await waited { done in
        let operation = CKModifyRecordZonesOperation(
          recordZonesToSave: zones, recordZoneIDsToDelete: ids)
        var all: Answer = ([:], [:])
        operation.perRecordZoneSaveBlock = { all.saveResults[$0] = $1 }
        operation.perRecordZoneDeleteBlock = { all.deleteResults[$0] = $1 }
        operation.modifyRecordZonesResultBlock = { done($0.map { all }) }
        database.add(operation)
      }
    case .async: answer = try await database.modifyRecordZones(saving: zones, deleting: ids)
    }
    return (codes(answer.saveResults), codes(answer.deleteResults))
  }

  fileprivate func subscriptions(
    _ ids: [CKSubscription.ID], _ database: CKDatabase
  ) async throws -> [CKSubscription.ID: CKError.Code?] {
    let answer: [CKSubscription.ID: Result<CKSubscription, any Error>]
    switch self {
    case .handlers:
      answer = try await waited { database.fetch(withSubscriptionIDs: ids, completionHandler: $0) }
    case .operations:
      answer = try await waited { done in
        let operation = CKFetchSubscriptionsOperation(subscriptionIDs: ids)
        var all: [CKSubscription.ID: Result<CKSubscription, any Error>] = [:]
        operation.perSubscriptionResultBlock = { all[$0] = $1 }
        operation.fetchSubscriptionsResultBlock = { done($0.map { all }) }
        database.add(operation)
      }
    case .async: answer = try await database.subscriptions(for: ids)
    }
    return answer.mapValues { $0.failure?.code }
  }
}

private func codes<Value>(
  _ results: [CKRecordZone.ID: Result<Value, any Error>]
) -> [String: CKError.Code?] {
  Dictionary(uniqueKeysWithValues: results.map { ($0.zoneName, $1.failure?.code) })
}

@Suite(.timeLimit(.minutes(10)))
struct ZoneAPIStyleTests {
  @Test(arguments: APIStyle.allCases)
  func `zones are made, listed and deleted, and one bad one does not keep the others`(
    _ style: APIStyle
  ) async throws {
    try await EndToEndFixture.run(.memory) { fixture in
      let database = try await fixture.device("alice", "phone").database
      let first = try await style.modify(
        [CKRecordZone(zoneName: "A"), CKRecordZone(zoneName: "B"), CKRecordZone(zoneName: "_c")],
        deleting: [], database)
      #expect(first.saves == ["A": nil, "B": nil, "_c": .invalidArguments])
      let listed = try await style.zones(database)
      #expect(Set(listed.map(\.zoneID.zoneName)) == ["A", "B", CKRecordZone.ID.defaultZoneName])
      #expect(listed.allSatisfy { $0.encryptionScope == .perRecord })
      let second = try await style.modify([], deleting: [.named("A"), .named("nowhere")], database)
      #expect(second.deletes == ["A": nil, "nowhere": .zoneNotFound])
      let left = try await style.zones(database)
      #expect(Set(left.map(\.zoneID.zoneName)) == ["B", CKRecordZone.ID.defaultZoneName])
    }
  }

  @Test(arguments: APIStyle.allCases)
  func `subscriptions are asked for by ID, each with an answer of its own`(_ style: APIStyle)
    async throws
  {
    try await EndToEndFixture.run(.memory) { fixture in
      let database = try await fixture.device("alice", "phone").database
      let subscription = CKDatabaseSubscription(subscriptionID: "all")
      let info = CKSubscription.NotificationInfo()
      info.shouldSendContentAvailable = true
      subscription.notificationInfo = info
      try await database.save(subscription)
      let answers = try await style.subscriptions(["all", "none"], database)
      #expect(answers == ["all": nil, "none": .unknownItem])
    }
  }

  @Test func `a web auth token comes by the older block too, and its failure as well`() async throws
  {
    try await EndToEndFixture.run(.memory) { fixture in
      let phone = try await fixture.device("alice", "phone")
      let ready = try await fixture.server.development.prepare(
        in: EndToEndFixture.containerEnvironment)
      func exchange(_ apiToken: String) async throws -> String {
        try await waited { done in
          let operation = CKFetchWebAuthTokenOperation(apiToken: apiToken)
          operation.fetchWebAuthTokenCompletionBlock = { done(either($0, $1)) }
          phone.database.add(operation)
        }
      }
      #expect(try await !exchange(ready.apiToken).isEmpty)
      let refused = try await failure { _ = try await exchange("0000") }
      #expect(refused.code == .invalidArguments)
    }
  }
}
