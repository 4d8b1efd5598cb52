// Changes of subscriptions to shared databases, which every bucket's notifier learns of: as many are kept as a notifier
// may have missed, and whoever has missed more gets an error.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumePostgres

@Suite struct PostgresSharedChangesTests {
  @Test func `the last 10,000 are kept, and who has missed more does not get the rest as all`()
    async throws
  {
    let url = try PostgresServer.shared.get().emptySchema()
    let store = try PostgresStore.forTest(url: url)
    let connection = try Connection.forTest(url)
    try connection.simple(
      """
      INSERT INTO shared_changes SELECT n, 'iCloud.other', 'development', '_m' || n, 's'
        FROM generate_series(1, 10000) AS n;
      UPDATE buckets SET last = 10000 WHERE bucket = -2
      """)
    let all = try await store.read { try $0.subscriptions.sharedChanges(after: 0) }
    #expect(all.subscriptions.count == 10_000 && all.last == 10_000)
    let scope = SubscriptionScope(in: .sample, scope: .shared, user: UserID("_a1"))
    let subscription = Subscription(id: "one more", kind: .database(recordType: nil), info: nil)
    try await store.write(in: .all) {
      try $0.subscriptions.put(
        StoredSubscription(scope: scope, subscription: subscription, starts: LogPositions()))
    }
    let error = await #expect(throws: StoreError.self) {
      _ = try await store.read { try $0.subscriptions.sharedChanges(after: 0) }
    }
    #expect(error?.code == .unreachable)
    let rest = try await store.read { try $0.subscriptions.sharedChanges(after: 1) }
    #expect(rest.subscriptions.count == 10_000 && rest.subscriptions.last?.id == "one more")
    let none = try await store.read { try $0.subscriptions.sharedChanges(after: 10_001) }
    #expect(none.subscriptions.isEmpty && none.last == 10_001)
    try await store.close()
  }
}
