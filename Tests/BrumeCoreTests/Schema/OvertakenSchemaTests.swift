// A schema is replaced while apps save.

import BrumeCore
import BrumeModel
import BrumeSchema
import BrumeStorage
import BrumeTestKit
import Synchronization
import Testing

struct OvertakenSchemaTests {
  @Test func `records go of a type that a save brought while the schema was replaced`()
    async throws
  {
    let inner = MemoryStore(coders: .wire, runsTwice: true)
    let fixture = try await EngineFixture(TestServer(store: inner))
    try await fixture.save(.create("h1"))
    let store = OvertakenStore(inner)
    let schemas = try await TestServer(store: store).engine.schemas
    store.overtake { try await fixture.save(.create("n1", type: "Note")) }
    try await schemas.replace(
      by: "DEFINE SCHEMA", in: TestContainer.development, allowsDrops: true)
    #expect(store.isDone, "nothing was saved in between")
    #expect(try await schemas.current(of: TestContainer.development).recordTypes["Note"] == nil)
    #expect(try await fixture.exists("h1") == false)
    #expect(try await fixture.exists("n1") == false)
  }

  /// PostgreSQL writes in several buckets at once.
  @Test func `a schema changes while no save is under way that read it before`() async throws {
    let store = OvertakenStore(MemoryStore(coders: .wire, runsTwice: true))
    let schemas = try await TestServer(store: store).engine.schemas
    try await schemas.replace(by: "DEFINE SCHEMA", in: TestContainer.development)
    #expect(store.scopes.last == .serverBetweenSaves(of: store))
    let database = DatabaseKey(in: TestContainer.development, owner: nil)
    let buckets = store.scopes.last?.parts.compactMap { $0.bucket(among: store.bucketCount) }
    #expect(buckets?.contains(Bucket(of: database, among: store.bucketCount)) == true)
  }

  @Test func `the last records of a type that left the schema are nobody's to read`() async throws {
    let fixture = try await EngineFixture()
    let schemas = fixture.engine.schemas
    try await schemas.replace(
      by: """
        DEFINE SCHEMA RECORD TYPE Diary (
          n INT64, GRANT READ, WRITE TO "_creator", GRANT CREATE TO "_icloud");
        """, in: TestContainer.development)
    let diary = try await fixture.save(.create("d1", type: "Diary"), in: .public)
    let bob = try #require(fixture.bob.user)
    let (permission, key) = (
      fixture.engine.permission,
      RecordKey(
        zone: ZoneKey(database: try fixture.phone.databaseKey(.public), name: ZoneID.defaultName),
        name: "d1")
    )
    func mayRead(_ user: UserID) async throws -> Bool {
      try await fixture.server.store.read {
        try permission.mayRead(
          user, key, type: "Diary", creator: diary.created?.user, coveringShares: [], in: $0)
      }
    }
    let creator = try #require(diary.created?.user)
    #expect(try await mayRead(creator))
    #expect(try await !mayRead(bob))
    try await schemas.replace(by: "DEFINE SCHEMA", in: TestContainer.development)
    #expect(try await fixture.exists("d1", in: .public) == false)
    // Its deletion is notified from here on.
    for user in [creator, bob] { #expect(try await !mayRead(user)) }
    try await fixture.server.store.write(in: .database(key.zone.database)) { transaction in
      let sequence = try transaction.sequences.next(in: key.zone.database)
      try transaction.records.put(diary, in: key.zone, sequence: sequence)
    }
    #expect(try await fixture.exists("d1", in: .public, as: fixture.bob) == false)
    let answers = try await fixture.engine.records.modify(
      .init(operations: [.create("d1", type: "Diary")]), in: .public,
      as: fixture.bob)
    let failure = try #require(answers.first?.failure)
    #expect(failure.error.serverRecord == nil)
  }
}

/// A store in which something else happens before the next write of what belongs to the server.
private final class OvertakenStore: WrappingStore {
  let inner: any Store
  private let first = Mutex<(@Sendable () async throws -> Void)?>(nil)
  private let written = Mutex<[WriteScope]>([])

  init(_ inner: any Store) { self.inner = inner }

  var scopes: [WriteScope] { written.withLock { $0 } }
  var isDone: Bool { first.withLock { $0 == nil } }
  func overtake(by first: @escaping @Sendable () async throws -> Void) {
    self.first.withLock { $0 = first }
  }

  func write<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    if scope.parts.contains(.server) { try await take()?() }
    written.withLock { $0.append(scope) }
    return try await inner.write(in: scope, reading: plan, body)
  }

  private func take() -> (@Sendable () async throws -> Void)? {
    first.withLock { first in
      defer { first = nil }
      return first
    }
  }
}
