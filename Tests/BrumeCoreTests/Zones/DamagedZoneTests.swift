// Deleted zones on damaged pages: their rows stay, and nobody else waits for that.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeCore

struct DamagedZoneTests {
  private let store = DamagedZones(MemoryStore(coders: .wire))

  private func zones(of user: User, _ count: Int) async throws -> Set<ZoneKey> {
    let database = DatabaseKey(in: TestContainer.development, owner: user.id)
    let zones = (0..<count).map { ZoneKey(database: database, name: "Z\($0)") }
    for zone in zones { try await store.leaveUnfinished(zone) }
    return Set(zones)
  }

  /// Answers how many zones were emptied.
  private func sweep(_ server: TestServer) async throws -> Int {
    var count = 0
    var failure: StoreError?
    do {
      try await server.engine.zoneEmptying.sweep(counting: &count)
    } catch let error as StoreError { failure = error }
    #expect(failure?.code == .corrupt)
    return count
  }

  /// One look finds a hundred zones.
  @Test(arguments: [1, 100])
  func `deleted zones on damaged pages keep no other from being emptied`(damaged: Int)
    async throws
  {
    let server = try await TestServer(store: store)
    _ = try await zones(of: try await server.user("alice"), damaged + 2)
    store.damage(first: damaged)
    #expect(try await sweep(server) == 2, "what went is counted, whatever stays")
    #expect(store.zones.count == damaged && store.refusals == damaged)
    #expect(try await store.unfinishedZones() == store.zones)
  }

  @Test func `a user is deleted with their deleted zones, whatever others have left`()
    async throws
  {
    let server = try await TestServer(store: store)
    let (alice, bob) = (try await server.user("alice"), try await server.user("bob"))
    let damaged = try await zones(of: alice, 1)
    store.damage(first: 1)
    #expect(try await sweep(server) == 0)
    #expect(store.zones == damaged)
    // More than one look finds.
    let own = try await zones(of: bob, 101)
    #expect(try await store.unfinishedZones() == damaged.union(own))
    #expect(try await server.engine.userRemovals.remove("bob").isDone)
    #expect(try await store.unfinishedZones() == damaged)
  }

  @Test func `zones are emptied one by one where a look at all of them meets damage`()
    async throws
  {
    let server = try await TestServer(store: store)
    _ = try await zones(of: try await server.user("alice"), 3)
    store.damage(first: 1)
    store.failReads(1)
    #expect(try await sweep(server) == 2)
    #expect(store.zones.count == 1)
    #expect(try await store.unfinishedZones() == store.zones)
  }

  @Test func `a user is deleted where a look at all deleted zones meets damage`() async throws {
    let server = try await TestServer(store: store)
    let (alice, bob) = (try await server.user("alice"), try await server.user("bob"))
    let others = try await zones(of: alice, 1)
    _ = try await zones(of: bob, 2)
    store.failReads(1)
    try await server.engine.zoneEmptying.sweep(of: bob.id)
    #expect(try await store.unfinishedZones() == others)
  }
}
