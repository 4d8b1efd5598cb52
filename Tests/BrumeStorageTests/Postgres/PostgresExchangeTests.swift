// How many exchanges requests have with PostgreSQL: what `ExchangeTests` counts for any engine, on the real one.

import BrumeCore
import BrumeModel
import BrumePostgres
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumePostgres

@Suite struct PostgresExchangeTests {
  private struct Fixture {
    let store: PostgresStore
    let server: TestServer
    let phone: Caller
    let zone = ZoneID(name: "Trails")

    /// Connected and warm: places have their numbers, the schema has its type.
    init() async throws {
      store = try PostgresStore.forTest(buckets: 16, writers: 1, readers: 1)
      server = try await TestServer(store: store)
      phone = try await server.device("phone", of: "alice")
      _ = try await server.engine.zones.modify([.init(.create, zone)], in: .private, as: phone)
      for _ in 0..<2 { try await save(["first"], .forceUpdate) }
      _ = try await changes(nil)
    }

    func save(_ names: [String], _ kind: RecordOperation.Kind) async throws {
      let fields = ["title": DraftField(.string("a"))]
      let operations = names.map {
        RecordOperation(kind, RecordDraft(name: $0, type: "Trail", fields: fields))
      }
      let results = try await server.engine.records.modify(
        ModifyRecordsRequest(zone: zone, operations: operations, atomic: true), in: .private,
        as: phone)
      for case .failure(let failure) in results { throw failure.error }
    }

    func changes(_ token: String?) async throws -> String {
      let results = try await server.engine.changes.ofZones(
        [ZoneChangesRequest(zone: zone, token: token, limit: 20)], in: .private, as: phone)
      return try results[0].get().token
    }

    func exchanges(_ body: () async throws -> Void) async throws -> Int {
      let before = store.exchanges
      try await body()
      return store.exchanges - before
    }
  }

  @Test func `a save has two exchanges: the lock with all it reads, the writes with the commit`()
    async throws
  {
    let fixture = try await Fixture()
    for kind in [RecordOperation.Kind.create, .forceUpdate] {
      let exchanges = try await fixture.exchanges { try await fixture.save(["one"], kind) }
      #expect(exchanges == 2)
    }
    try await fixture.store.close()
  }

  @Test func `a batch of 200 has as many as a save`() async throws {
    let fixture = try await Fixture()
    let names = (0..<200).map { "r\($0)" }
    for kind in [RecordOperation.Kind.create, .forceUpdate] {
      let exchanges = try await fixture.exchanges { try await fixture.save(names, kind) }
      #expect(exchanges == 2)
    }
    try await fixture.store.close()
  }

  @Test func `a page of changes has one exchange, from the start and from a token`() async throws {
    let fixture = try await Fixture()
    try await fixture.save((0..<50).map { "r\($0)" }, .create)
    let token = Mutexed<String?>(nil)
    for _ in 0..<3 {
      let exchanges = try await fixture.exchanges {
        token.value = try await fixture.changes(token.value)
      }
      #expect(exchanges == 1)
    }
    try await fixture.store.close()
  }

  @Test func `fetching 200 records has one exchange`() async throws {
    let fixture = try await Fixture()
    let names = (0..<200).map { "r\($0)" }
    try await fixture.save(names, .create)
    let request = LookupRecordsRequest(zone: fixture.zone, items: names.map { .init(name: $0) })
    let exchanges = try await fixture.exchanges {
      _ = try await fixture.server.engine.records.lookup(request, in: .private, as: fixture.phone)
    }
    #expect(exchanges == 1)
    try await fixture.store.close()
  }
}
