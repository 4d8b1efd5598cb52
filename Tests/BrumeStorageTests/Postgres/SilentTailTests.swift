// A process that does not learn what others do: they do its work meanwhile.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumePostgres

@Suite(.timeLimit(.minutes(5))) struct SilentTailTests {
  private static let buckets = 4

  @Test func `a process that learns nothing of others leaves its buckets to them until it does`()
    async throws
  {
    let url = try PostgresServer.shared.get().emptySchema()
    let (silent, late) = try Self.late(url)
    // For this one no time passes, so that it has always just looked.
    let other = try PostgresStore.forTest(buckets: Self.buckets, url: url, milliseconds: { 0 })
    await Self.has(2, other)
    // What a look asks for. It gets no answer.
    let locking = try Connection.forTest(url)
    try locking.simple("SET idle_in_transaction_session_timeout = 0")
    try locking.simple("BEGIN; LOCK TABLE mail IN ACCESS EXCLUSIVE MODE")
    late.value = 10_000
    await Self.has(4, other)
    #expect(Self.count(silent) == 0)
    let accounts = try #require(silent.sharedAccounts)
    #expect(accounts.silence >= 10_000)
    try locking.simple("ROLLBACK")
    await Self.has(2, silent)
    #expect(accounts.silence < 10_000)
    try await silent.close()
    try await other.close()
  }

  @Test func `a process without others keeps its buckets, whatever it learns`() async throws {
    let url = try PostgresServer.shared.get().emptySchema()
    let (store, late) = try Self.late(url)
    let locking = try Connection.forTest(url)
    try locking.simple("SET idle_in_transaction_session_timeout = 0")
    try locking.simple("BEGIN; LOCK TABLE mail IN ACCESS EXCLUSIVE MODE")
    late.value = 10_000
    await Self.has(4, store)
    #expect(store.sharedAccounts?.silence == 0, "nobody else has done anything")
    try locking.simple("ROLLBACK")
    try await store.close()
  }

  @Test func `a process whose leases ended while it slept does not take itself to be alone`()
    async throws
  {
    let url = try PostgresServer.shared.get().emptySchema()
    let (store, late) = try Self.late(url)
    let accounts = try #require(store.sharedAccounts)
    #expect(accounts.silence == 0)
    // What a look and a round of leases ask for. They get no answer.
    let locking = try Connection.forTest(url)
    try locking.simple("SET idle_in_transaction_session_timeout = 0")
    try locking.simple("BEGIN; LOCK TABLE mail, nodes IN ACCESS EXCLUSIVE MODE")
    late.value = 11_000
    #expect(accounts.silence >= 10_000)
    try locking.simple("ROLLBACK")
    await Self.has(4, store)
    #expect(accounts.silence == 0)
    try await store.close()
  }

  /// A process, and by how many milliseconds its clock is set forward.
  private static func late(_ url: String) throws -> (PostgresStore, Mutexed<Int64>) {
    let late = Mutexed<Int64>(0)
    let store = try PostgresStore.forTest(
      buckets: buckets, url: url, milliseconds: { PostgresStore.uptime() + late.value })
    return (store, late)
  }

  private static func count(_ store: PostgresStore) -> Int {
    (0..<buckets).count { store.leases.owns(Bucket($0)) }
  }

  /// Returns when a store has so many buckets. For each that comes there is a hint.
  private static func has(_ count: Int, _ store: PostgresStore) async {
    let hints = store.commits()
    if self.count(store) == count { return }
    for await _ in hints where self.count(store) == count { return }
  }
}
