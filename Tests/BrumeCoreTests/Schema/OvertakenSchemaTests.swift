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
}

/// A store in which something else happens before the next write of what belongs to the server.
private final class OvertakenStore: WrappingStore {
  let inner: any Store
  private let first = Mutex<(@Sendable () async throws -> Void)?>(nil)

  init(_ inner: any Store) { self.inner = inner }

  var isDone: Bool { first.withLock { $0 == nil } }
  func overtake(by first: @escaping @Sendable () async throws -> Void) {
    self.first.withLock { $0 = first }
  }

  func write<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    if scope == .server { try await take()?() }
    return try await inner.write(in: scope, reading: plan, body)
  }

  private func take() -> (@Sendable () async throws -> Void)? {
    first.withLock { first in
      defer { first = nil }
      return first
    }
  }
}
