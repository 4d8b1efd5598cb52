// What a move does to a database before it moves anything: nothing to one that it cannot use.

import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumePostgres

@Suite struct MovedDatabaseTests {
  private static let earlier = Migrations.all.count - 1

  private func refusal(_ database: OldDatabase, isSource: Bool) -> StoreError? {
    #expect(throws: StoreError.self) {
      try PostgresMoving(url: database.url, isSource: isSource, acceptsLoss: true)
    }
  }

  @Test func `a source without a store is refused, and no table is made in it`() throws {
    let database = try OldDatabase(0, on: PostgresServer.shared.get())
    let refusal = refusal(database, isSource: true)
    #expect(refusal?.code == .unreachable)
    #expect(refusal?.description.contains("there is no store") == true)
    #expect(try database.tables().isEmpty)
  }

  @Test func `a source of an earlier version is refused and stays of that version`() throws {
    let database = try OldDatabase(Self.earlier, on: PostgresServer.shared.get())
    let refusal = refusal(database, isSource: true)
    #expect(refusal?.code == .unreachable)
    #expect(refusal?.description.contains("of version \(Self.earlier)") == true)
    #expect(try database.version() == Self.earlier)
  }

  @Test(arguments: [true, false])
  func `tables that a server uses stay of the version that it knows`(isSource: Bool) throws {
    let database = try OldDatabase(Self.earlier, on: PostgresServer.shared.get())
    let server = try Connection.forTest(database.url)
    try StoreLock.share(server)
    defer { withExtendedLifetime(server) {} }
    let refusal = refusal(database, isSource: isSource)
    #expect(refusal?.code == .inUse)
    #expect(try database.version() == Self.earlier)
  }
}
