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
    init(_ adjust: (inout Limits) -> Void = { _ in }) async throws {
      var limits = Limits.apple
      adjust(&limits)
      store = try PostgresStore.forTest(buckets: 16, writers: 1, readers: 1)
      server = try await TestServer(store: store, limits: limits)
      phone = try await server.device("phone", of: "alice")
      _ = try await server.engine.zones.modify([.init(.create, zone)], in: .private, as: phone)
      for _ in 0..<2 { try await save(["first"], .forceUpdate) }
      _ = try await changes(nil)
    }

    func save(
      _ names: [String], _ kind: RecordOperation.Kind, title: String = "a",
      as caller: Caller? = nil
    ) async throws {
      let fields = ["title": DraftField(.string(title))]
      let operations = names.map {
        RecordOperation(kind, RecordDraft(name: $0, type: "Trail", fields: fields))
      }
      let results = try await server.engine.records.modify(
        ModifyRecordsRequest(zone: zone, operations: operations, atomic: true), in: .private,
        as: caller ?? phone)
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

  /// Records of 500,000 bytes: 40 of them have no room in what a plan reads at once, and ten have.
  private static func withLargeRecords() async throws -> (fixture: Fixture, names: [String]) {
    let fixture = try await Fixture {
      ($0.answerBytes, $0.cascadeBytes) = (1_200_000, 600_000)
    }
    let names = (0..<40).map { "r\($0)" }
    let title = String(repeating: "x", count: 500_000)
    for name in names { try await fixture.save([name], .create, title: title) }
    return (fixture, names)
  }

  @Test func `200 records that do not fit into a plan are read 4 MB at once`() async throws {
    let fixture = try await Fixture()
    let names = (0..<200).map { "r\($0)" }
    let title = String(repeating: "x", count: 100_000)
    for start in stride(from: 0, to: 200, by: 50) {
      try await fixture.save(Array(names[start..<start + 50]), .create, title: title)
    }
    let request = LookupRecordsRequest(zone: fixture.zone, items: names.map { .init(name: $0) })
    let exchanges = try await fixture.exchanges {
      let results = try await fixture.server.engine.records.lookup(
        request, in: .private, as: fixture.phone)
      #expect(results.allSatisfy { if case .success = $0 { true } else { false } })
    }
    // 41 records in each.
    #expect(exchanges == 1 + 5)
    try await fixture.store.close()
  }

  @Test func `a save of 200 such records by somebody who is signed in reads them 4 MB at once`()
    async throws
  {
    let fixture = try await Fixture()
    let names = (0..<200).map { "r\($0)" }
    let title = String(repeating: "x", count: 100_000)
    for start in stride(from: 0, to: 200, by: 50) {
      try await fixture.save(Array(names[start..<start + 50]), .create, title: title)
    }
    let phone = fixture.phone
    let user = try #require(phone.user)
    let epoch = try await fixture.store.read { try $0.users.find(user)?.tokenEpoch }
    let caller = Caller(
      in: phone.containerEnvironment, user: user, device: phone.device, kind: .user,
      epoch: try #require(epoch), requestID: "r")
    let exchanges = try await fixture.exchanges {
      try await fixture.save(names, .forceUpdate, as: caller)
    }
    #expect(exchanges == 2 + 5)
    try await fixture.store.close()
  }

  @Test func `a record is found also where more is read than is remembered`() async throws {
    let fixture = try await Fixture()
    let names = (0..<70).map { "r\($0)" }
    let title = String(repeating: "x", count: 990_000)
    for name in names { try await fixture.save([name], .create, title: title) }
    let database = DatabaseKey(in: fixture.phone.containerEnvironment, owner: fixture.phone.user)
    let zone = ZoneKey(database: database, name: fixture.zone.name)
    let keys = names.map { RecordKey(zone: zone, name: $0) }
    let plan = ReadPlan(inOrder: { keys }) { Set(keys.map { .record($0) }) }
    let missing = try await fixture.store.read(plan) { store in
      try keys.filter { try store.records.find($0) == nil }
    }
    #expect(missing.isEmpty)
    try await fixture.store.close()
  }

  @Test func `of large records hardly more are read than an answer holds, and few in one exchange`()
    async throws
  {
    let (fixture, names) = try await Self.withLargeRecords()
    func exchanges(_ names: [String]) async throws -> Int {
      let request = LookupRecordsRequest(zone: fixture.zone, items: names.map { .init(name: $0) })
      return try await fixture.exchanges {
        let results = try await fixture.server.engine.records.lookup(
          request, in: .private, as: fixture.phone)
        #expect(results.filter { if case .success = $0 { true } else { false } }.count == 2)
      }
    }
    // Eight are read at once: the two that fit, the one that does not, and what would have come behind them.
    #expect(try await exchanges(names) == 1 + 1)
    #expect(try await exchanges(Array(names.prefix(10))) == 1)
    try await fixture.store.close()
  }

  @Test func `of large records that a save refers to no more are read than may be`() async throws {
    let (fixture, names) = try await Self.withLargeRecords()
    let references = names.map { name in
      FieldValue.reference(Reference(recordName: name, action: .validate))
    }
    let draft = RecordDraft(
      name: "holder", type: "Trail",
      fields: ["sights": DraftField(.list(references, of: .reference))])
    let request = ModifyRecordsRequest(
      zone: fixture.zone, operations: [RecordOperation(.create, draft)], atomic: true)
    let exchanges = try await fixture.exchanges {
      let results = try await fixture.server.engine.records.modify(
        request, in: .private, as: fixture.phone)
      guard case .failure(let failure)? = results.first else {
        Issue.record("a record that refers to 20 MB is saved")
        return
      }
      #expect(failure.error.code == .limitExceeded)
    }
    // The plan, two and the one with which it is too much, the commit.
    #expect(exchanges == 1 + 3 + 1)
    try await fixture.store.close()
  }
}
