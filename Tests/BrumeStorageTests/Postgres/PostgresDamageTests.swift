// Rows in PostgreSQL that are not what was written.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumePostgres

@Suite struct PostgresDamageTests {
  @Test(arguments: [
    "content = replace(encode(content, 'escape'), 'Trail', 'Trial')::bytea",
    "sequence = sequence + 1",
    "parent = 'x'", "type = 'Trial'",
  ])
  func `a record that was changed in its table is an error, and others are answered`(
    change: String
  ) async throws {
    let (store, connection) = try await filled()
    try await run("UPDATE records SET \(change) WHERE name = 'a'", connection)
    let (found, other, page) = try await store.read { transaction in
      (
        try transaction.records.find(RecordKey(zone: .sample(), name: "a")),
        try transaction.records.find(RecordKey(zone: .sample(), name: "b")),
        try transaction.changes.page(in: .sample(), after: 0, through: .max, limit: 100)
      )
    }
    #expect(found?.isUnreadable == true && other?.isUnreadable == false)
    let unreadable = page.filter {
      if case .changed(let stored) = $0 { stored.isUnreadable } else { false }
    }
    #expect(unreadable.count == 1 && page.count > 3)
    #expect((store.damagedRows?.reads ?? 0) > 0)
    await #expect(throws: BrumeError.self) {
      try await store.write(in: .database(.sample())) { _ = try $0.putNext("a") }
    }
    try await store.write(in: .database(.sample())) { _ = try $0.putNext("b") }
    try await store.close()
  }

  @Test func `an entry of the log that was changed is left out, and those after it come`()
    async throws
  {
    let (store, connection) = try await filled()
    let before = try await entries(store)
    let changed = try #require(before.dropLast().last)
    try await run("UPDATE log SET subject = '3x' WHERE position = \(changed)", connection)
    #expect(try await entries(store) == before.filter { $0 != changed })
    try await store.close()
  }

  @Test func `a whole store fits its checksums, moved or not`() async throws {
    let (store, _) = try await filled()
    _ = try await entries(store)
    #expect(store.damagedRows?.reads == 0)
    try await store.close()
  }

  // MARK: Support

  private func filled() async throws -> (PostgresStore, Connection) {
    let url = try PostgresServer.shared.get().emptySchema()
    let store = try PostgresStore.forTest(url: url)
    try await FilledStore.fill(store)
    return (store, try Connection.forTest(url))
  }

  private func run(_ sql: String, _ connection: Connection) async throws {
    try connection.send(SQL(sql))
    _ = try connection.exchange()
  }

  private func entries(_ store: PostgresStore) async throws -> [Int64] {
    try await store.read { try $0.log.entries(in: .only, after: 0, limit: 1000).map(\.position) }
  }
}
