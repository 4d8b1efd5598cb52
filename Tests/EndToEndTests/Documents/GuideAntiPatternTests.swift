// Document 000, "Anti-Patterns": each mistake ends as the guide says, and its correction works.

import BrumeKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct GuideAntiPatternTests {
  private static func item(_ predicate: NSPredicate, id: String? = nil) -> CKQuerySubscription {
    if let id {
      CKQuerySubscription(
        recordType: "Item", predicate: predicate, subscriptionID: id,
        options: .firesOnRecordCreation)
    } else {
      CKQuerySubscription(
        recordType: "Item", predicate: predicate, options: .firesOnRecordCreation)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `000 creating a subscription at every launch is refused as a duplicate`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, _) = try await fixture.pair()
      try await phone.save("a", type: "Item", ["category": "news"])
      let predicate = NSPredicate(format: "category == %@", "news")
      try await phone.database.save(Self.item(predicate).silent())
      let again = try await failure {
        try await phone.database.save(Self.item(predicate).silent())
      }
      #expect(again.code == .serverRejectedRequest)
      #expect(again.localizedDescription.contains("duplicate"))
      #expect(try await phone.database.allSubscriptions().count == 1)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `000 checking first and a consistent ID make one subscription`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, _) = try await fixture.pair()
      try await phone.save("a", type: "Item", ["category": "news"])
      let database = phone.database
      let subscriptionID = "item-creation-subscription"
      for _ in 1...2 {
        let isThere = await withCheckedContinuation { done in
          database.fetch(withSubscriptionID: subscriptionID) { subscription, error in
            done.resume(returning: subscription != nil)
          }
        }
        if !isThere {
          let new = Self.item(NSPredicate(format: "category == %@", "news"), id: subscriptionID)
          try await database.save(new.silent())
        }
      }
      #expect(try await database.allSubscriptions().map(\.subscriptionID) == [subscriptionID])
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `000 without notificationInfo a subscription fails to save`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, _) = try await fixture.pair()
      try await phone.save("a", type: "Item", ["category": "news"])
      let subscription = Self.item(NSPredicate(value: true))
      let database = phone.database
      let error = await withCheckedContinuation { done in
        database.save(subscription) { _, error in done.resume(returning: error as? CKError) }
      }
      #expect(error?.code == .invalidArguments)
      #expect(error?.localizedDescription.contains("notificationInfo") == true)
      try await database.save(subscription.silent())
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `000 a query subscription in the shared database fails, a database subscription does not`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let phone = try await fixture.device("alice", "phone")
      let sharedDB = phone.container.sharedCloudDatabase
      let wrong = CKQuerySubscription(
        recordType: "SharedItem", predicate: NSPredicate(value: true),
        options: .firesOnRecordCreation)
      let error = try await failure { try await sharedDB.save(wrong.silent()) }
      #expect(error.code == .invalidArguments)
      #expect(error.localizedDescription.contains("CKDatabaseSubscription"))
      try await sharedDB.save(
        CKDatabaseSubscription(subscriptionID: "shared-db-subscription").silent())
      let all = try await sharedDB.allSubscriptions()
      #expect(all.map(\.subscriptionID) == ["shared-db-subscription"])
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `000 a field without an index is invalidArguments, and enabling the index helps`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, _) = try await fixture.pair()
      try await phone.save("a", type: "Item", ["category": "news"])
      try await fixture.queryable("category", of: "Item", false)
      let subscription = Self.item(NSPredicate(format: "category == %@", "news")).silent()
      let error = try await failure { try await phone.database.save(subscription) }
      #expect(error.code == .invalidArguments)
      #expect(error.localizedDescription.contains("category"))
      try await fixture.queryable("category", of: "Item", true)
      try await phone.database.save(subscription)
    }
  }
}
