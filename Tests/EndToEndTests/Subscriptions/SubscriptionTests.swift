// Saving, listing and deleting subscriptions: SUB-01 to SUB-13, SUB-15 to SUB-19, SUB-24.

import BrumeKit
import BrumeModel
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SubscriptionTests {
  private static func zoneSubscription(_ zone: String, _ id: String) -> CKSubscription {
    CKRecordZoneSubscription(zoneID: .named(zone), subscriptionID: id).silent()
  }

  @Test(arguments: StorageEngine.allCases)
  func `SUB-01 SUB-03 a zone subscription is saved, and again changes nothing`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, _) = try await fixture.pair()
      for _ in 1...2 {
        let saved = try await phone.database.save(Self.zoneSubscription("Z", "zone"))
        #expect((saved as? CKRecordZoneSubscription)?.zoneID == .named("Z"))
      }
      #expect(try await phone.database.allSubscriptions().map(\.subscriptionID) == ["zone"])
      let fetched = try await phone.database.subscription(for: "zone")
      #expect(fetched.notificationInfo?.shouldSendContentAvailable == true)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SUB-02 a zone subscription to a missing zone says that the zone is missing`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let phone = try await fixture.device("alice", "phone")
      let operation = CKModifySubscriptionsOperation(
        subscriptionsToSave: [Self.zoneSubscription("Nowhere", "zone")])
      var overall: CKError?
      operation.modifySubscriptionsCompletionBlock = { overall = $2 as? CKError }
      await phone.run(operation)
      #expect(overall?.code == .partialFailure)
      let items = overall?.partialErrorsByItemID ?? [:]
      let zone = AnyHashable(CKRecordZone.ID.named("Nowhere"))
      #expect((items[zone] as? CKError)?.code == .zoneNotFound && items.count == 1)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SUB-04 SUB-05 an equal one under another ID is rejected, and the text names the first`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, _) = try await fixture.pair()
      try await phone.database.save(Self.zoneSubscription("Z", "first"))
      let error = try await failure {
        try await phone.database.save(Self.zoneSubscription("Z", "second"))
      }
      #expect(error.code == .serverRejectedRequest)
      #expect(error.localizedDescription.contains("duplicate of 'first'"))
      let operation = CKModifySubscriptionsOperation(
        subscriptionsToSave: [Self.zoneSubscription("Z", "third")])
      var overall: CKError?
      operation.modifySubscriptionsCompletionBlock = { overall = $2 as? CKError }
      await phone.run(operation)
      #expect(overall?.code == .partialFailure)
      let item = overall?.partialErrorsByItemID?["third"] as? CKError
      #expect(item?.code == .serverRejectedRequest)
      #expect(item?.localizedDescription.contains("duplicate of 'first'") == true)
      // The client goes on with the one that is there.
      #expect(try await phone.database.subscription(for: "first").subscriptionType == .recordZone)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SUB-06 SUB-07 SUB-08 SUB-18 type, condition and exact events make the difference`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let phone = try await fixture.device("alice", "phone")
      try await phone.everybodys.save(phone.record("x", zone: nil, type: "Item", ["n": 1]))
      func save(
        _ id: String, where format: String, _ options: CKQuerySubscription.Options
      ) async throws {
        try await phone.everybodys.save(
          CKQuerySubscription.of("Item", where: format, id: id, options).silent())
      }
      try await save("a", where: "n == 1", [.firesOnRecordCreation])
      let twin = try await failure {
        try await save("b", where: "n == 1", [.firesOnRecordCreation])
      }
      #expect(twin.code == .serverRejectedRequest)
      #expect(twin.localizedDescription.contains("duplicate of 'a'"))
      try await save("c", where: "n == 1", [.firesOnRecordCreation, .firesOnRecordUpdate])
      try await save("d", where: "n == 2", [.firesOnRecordCreation])
      let unknown = try await failure {
        try await phone.everybodys.save(CKQuerySubscription.of("Nothing", id: "e").silent())
      }
      #expect(unknown.code == .unknownItem && unknown.localizedDescription.contains("Nothing"))
      let ids = try await phone.everybodys.allSubscriptions().map(\.subscriptionID)
      #expect(ids.sorted() == ["a", "c", "d"])
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SUB-19 a deleted zone takes its subscriptions along`(_ engine: StorageEngine) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, _) = try await fixture.pair()
      try await phone.save("a")
      let query = CKQuerySubscription.of("Note", id: "query").silent()
      query.zoneID = .named("Z")
      let all: [CKSubscription] = [
        Self.zoneSubscription("Z", "zone"), query,
        CKDatabaseSubscription(subscriptionID: "database").silent(),
      ]
      for subscription in all { try await phone.database.save(subscription) }
      try await phone.database.deleteRecordZone(withID: .named("Z"))
      #expect(try await phone.database.allSubscriptions().map(\.subscriptionID) == ["database"])
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SUB-24 more subscriptions than a user may have are limitExceeded`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine, limits: { $0.subscriptionsPerUser = 1 }) { fixture in
      let (phone, _) = try await fixture.pair()
      try await phone.database.save(Self.zoneSubscription("Z", "zone"))
      let error = try await failure {
        try await phone.database.save(CKDatabaseSubscription(subscriptionID: "database").silent())
      }
      #expect(error.code == .limitExceeded)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SUB-09 SUB-10 an unknown subscription is unknown by its ID, also to delete`(
    _ engine: StorageEngine
  )
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let phone = try await fixture.device("alice", "phone")
      let error = try await failure { _ = try await phone.database.subscription(for: "none") }
      #expect(error.code == .unknownItem)
      let results = try await phone.database.subscriptions(for: ["none"])
      #expect(results["none"]?.failure?.code == .unknownItem)
      let operation = CKModifySubscriptionsOperation(subscriptionIDsToDelete: ["none"])
      var (result, items) = (nil as Result<Void, any Error>?, [String: CKError?]())
      operation.perSubscriptionDeleteBlock = { items[$0] = .some($1.failure) }
      operation.modifySubscriptionsResultBlock = { result = $0 }
      await phone.run(operation)
      #expect(result != nil && result?.failure == nil)
      #expect(items.mapValues { $0?.code } == ["none": .unknownItem])
      let single = try await failure {
        _ = try await phone.database.deleteSubscription(withID: "none")
      }
      #expect(single.code == .unknownItem)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SUB-11 a list shows the user's own of this database`(_ engine: StorageEngine) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let other = try await fixture.device("bob", "phone")
      try await phone.everybodys.save(phone.record("x", zone: nil, type: "Item"))
      try await phone.database.save(Self.zoneSubscription("Z", "mine"))
      try await phone.everybodys.save(CKQuerySubscription.of("Item", id: "public").silent())
      try await other.database.save(CKDatabaseSubscription(subscriptionID: "theirs").silent())
      #expect(try await laptop.database.allSubscriptions().map(\.subscriptionID) == ["mine"])
      #expect(try await laptop.everybodys.allSubscriptions().map(\.subscriptionID) == ["public"])
      #expect(try await other.database.allSubscriptions().map(\.subscriptionID) == ["theirs"])
      #expect(try await other.everybodys.allSubscriptions().isEmpty)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SUB-12 SUB-13 each database refuses the kinds it has not`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, _) = try await fixture.pair()
      let refused: [(CKDatabase, CKSubscription)] = [
        (phone.shared, CKQuerySubscription.of("Note", id: "query").silent()),
        (phone.everybodys, CKDatabaseSubscription(subscriptionID: "database").silent()),
        (phone.everybodys, Self.zoneSubscription("Z", "zone")),
      ]
      for (database, subscription) in refused {
        let error = try await failure { try await database.save(subscription) }
        #expect(error.code == .invalidArguments)
        #expect(error.localizedDescription.contains("Subscription"))
        #expect(try await database.allSubscriptions().isEmpty)
      }
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SUB-15 SUB-16 desired keys are for query subscriptions, at most three, of small types`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, _) = try await fixture.pair()
      try await phone.save("a", ["text": "x", "list": ["x"]])
      let ofZone = CKRecordZoneSubscription(zoneID: .named("Z"), subscriptionID: "zone")
      let refused: [CKSubscription] = [
        ofZone.alerting("x", keys: ["text"]),
        CKDatabaseSubscription(subscriptionID: "database").alerting("x", keys: ["text"]),
        CKQuerySubscription.of("Note", id: "four").alerting("x", keys: ["a", "b", "c", "d"]),
        CKQuerySubscription.of("Note", id: "list").alerting("x", keys: ["list"]),
      ]
      for subscription in refused {
        let error = try await failure { try await phone.database.save(subscription) }
        #expect(error.code == .invalidArguments, "\(subscription.subscriptionID)")
      }
      try await phone.database.save(
        CKQuerySubscription.of("Note", id: "three").alerting("x", keys: ["text", "b", "c"]))
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SUB-17 a condition on a field without an index is refused`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, _) = try await fixture.pair()
      try await phone.save("a", ["text": "x"])
      try await fixture.queryable("text", of: "Note", false)
      let subscription = CKQuerySubscription.of("Note", where: "text == 'x'", id: "query").silent()
      let error = try await failure { try await phone.database.save(subscription) }
      #expect(error.code == .invalidArguments)
      #expect(error.localizedDescription.contains("'text'"))
      #expect(error.localizedDescription.contains("not marked queryable"))
      try await fixture.queryable("text", of: "Note", true)
      try await phone.database.save(subscription)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `a subscription is updated by saving its ID again, and deleted by its ID`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.save("a", ["text": "x"])
      let subscription = CKQuerySubscription.of("Note", where: "text == 'x'", id: "query")
      subscription.zoneID = .named("Z")
      try await phone.database.save(subscription.alerting("old", keys: ["text"]))
      let fetched = try #require(
        try await laptop.database.subscription(for: "query") as? CKQuerySubscription)
      #expect(fetched.recordType == "Note" && fetched.zoneID == .named("Z"))
      fetched.notificationInfo?.alertBody = "new"
      try await laptop.database.save(fetched)
      let updated = try await phone.database.subscription(for: "query")
      #expect(updated.notificationInfo?.alertBody == "new")
      #expect(updated.notificationInfo?.desiredKeys == ["text"])
      try await phone.database.deleteSubscription(withID: "query")
      #expect(try await laptop.database.allSubscriptions().isEmpty)
    }
  }
}
