// A database that has lost what was acknowledged, and does not take the note of it at once.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumePostgres

@Suite(.timeLimit(.minutes(5))) struct PostgresLossTests {
  /// Else the next start would know nothing of the loss, and go on in the same generation.
  @Test func `a loss is noted before a store ends because of it`() async throws {
    try await PostgresServer.with { server in
      let url = try server.emptySchema()
      let store = try PostgresStore.forTest(url: url) { _ in }
      try await Self.save("kept", in: store)
      try Connection.forTest(url).simple(Self.refusal)
      try await server.keepCopy()
      try await Self.save("lost", in: store)
      try await server.bringBackCopy()
      #expect(await Self.refused(store) == .unreachable)
      try Connection.forTest(url).simple("DROP TRIGGER refusal ON settings")
      var code: StoreError.Code?
      while code != .unavailable { code = await Self.refused(store) }
      try await store.close()
      let next = try PostgresStore.forTest(url: url)
      #expect(try await next.read { try $0.settings.value(.copiedBack) } != nil)
      try await next.close()
    }
  }

  /// Else all clients would fetch everything once more for each server that connects again later.
  @Test(arguments: [false, true])
  func `a loss is noted unless a new generation has begun for it`(hasBegun: Bool) async throws {
    let url = try PostgresServer.shared.get().emptySchema()
    try await PostgresStore.forTest(url: url).close()
    let acknowledgements = Acknowledgements(isOrdered: true)
    acknowledgements.note("a connection that has no row any more", 1, in: nil)
    let connection = try Connection.forTest(url)
    if hasBegun { try connection.simple("UPDATE store SET sequence_floor = 1") }
    let error = #expect(throws: StoreError.self) {
      try acknowledgements.check(on: connection)
    }
    #expect(error?.code == .unavailable)
    let next = try PostgresStore.forTest(url: url)
    let note = try await next.read { try $0.settings.value(.copiedBack) }
    #expect((note == nil) == hasBegun)
    try await next.close()
  }

  /// It would keep its parts for ever, and make no notification.
  @Test func `a store that misses commits gives its parts away, and wakes who follows it`()
    async throws
  {
    try await PostgresServer.with { server in
      let url = try server.emptySchema()
      let store = try PostgresStore.forTest(url: url) { _ in }
      let accounts = try #require(store.sharedAccounts).accountHints()
      try await Self.save("kept", in: store)
      try await server.keepCopy()
      try await Self.save("lost", in: store)
      try await server.bringBackCopy()
      for await _ in accounts where await Self.refused(store) == .unavailable { break }
      let next = try PostgresStore.forTest(url: url)
      await Self.ownsBucket(next)
      try await next.close()
      try await store.close()
    }
  }

  /// Returns when a store has the only bucket, which there is a hint of if it comes later.
  private static func ownsBucket(_ store: PostgresStore) async {
    let hints = store.commits()
    if store.leases.owns(.only) { return }
    for await _ in hints where store.leases.owns(.only) { return }
  }

  /// Why a read is refused; nil: it is answered.
  private static func refused(_ store: PostgresStore) async -> StoreError.Code? {
    do {
      _ = try await store.read { try $0.settings.value(.secret) }
      return nil
    } catch {
      return (error as? StoreError)?.code
    }
  }

  private static func save(_ name: String, in store: PostgresStore) async throws {
    try await store.write(in: .database(.sample())) { _ = try $0.save(name) }
  }

  /// Nothing can be noted in the settings.
  private static let refusal = """
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE EXCEPTION 'no room'; END $$;
    CREATE TRIGGER refusal BEFORE INSERT ON settings FOR EACH ROW EXECUTE FUNCTION refuse();
    """
}
