// Databases of every version of the tables so far: each is opened with all that it has, by one process or by two, and
// a start that dies in the middle of its migrations leaves the version that was there.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumePostgres

@Suite struct OldDatabasesTests {
  @Test(arguments: Array(1...Migrations.all.count))
  func `a database of each version is opened with all that it has`(version: Int) async throws {
    let old = try OldDatabase(version, on: PostgresServer.shared.get())
    #expect(try old.version() == version)
    let store = try PostgresStore.forTest(url: old.url)
    try await OldContents.expect(in: store)
    let operators = try await store.read { try $0.operators.all().map(\.name) }
    #expect(operators == (version > 1 ? ["ada"] : []))
    #expect(try old.version() == Migrations.all.count && old.tables() == Self.newestTables())
    // And it is a store like any other from then on.
    let sequence = try await store.write(in: .database(.sample())) { try $0.putNext("new") }
    #expect(sequence == 4)
    try await store.close()
    let again = try PostgresStore.forTest(url: old.url)
    try await OldContents.expect(in: again)
    try await again.close()
  }

  @Test(arguments: Array(1...Migrations.all.count))
  func `two processes that open a database of each version at once both have all of it`(
    version: Int
  ) async throws {
    let url = try OldDatabase(version, on: PostgresServer.shared.get()).url
    async let one = Self.open(url)
    async let other = Self.open(url)
    for store in try await [one, other] {
      try await OldContents.expect(in: store)
      try await store.close()
    }
  }

  @Test func `a migration that dies at any statement leaves what was there, and the next goes on`()
    async throws
  {
    try await PostgresServer.with { (server: PostgresServer) in
      let dying = try DyingMigration(on: server)
      for version in 0..<Migrations.all.count {
        let old = try OldDatabase(version, on: server)
        if version > 0 { try dying.watchVersion(of: old) }
        let before = try old.tables()
        var deaths = 0
        while deaths < 1000, try dying.ends(old, at: deaths + 1) {
          deaths += 1
          #expect(try old.tables() == before, "version \(version), statement \(deaths)")
          #expect(try old.version() == (version > 0 ? version : nil))
        }
        // The last version has one statement that defines something, and the change of its number.
        #expect(deaths >= (version == 0 ? 100 : 4), "version \(version): \(deaths)")
        #expect(try old.version() == Migrations.all.count && old.tables() == Self.newestTables())
        let store = try PostgresStore.forTest(url: old.url)
        if version > 0 { try await OldContents.expect(in: store) }
        try await store.close()
      }
    }
  }

  /// Tables of a large store take longer than a request may; behind a step that waits for a table, all wait who want it.
  @Test func `a step may take as long as it needs, and waits for a table only for a while`()
    async throws
  {
    try await PostgresServer.with { (server: PostgresServer) in
      let old = try OldDatabase(Migrations.all.count - 1, on: server)
      try Connection.forTest(server.url).simple(
        """
        CREATE FUNCTION public.limits() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
          IF current_setting('statement_timeout') <> '0'
            OR current_setting('lock_timeout') <> '\(Migrations.patience)s'
          THEN RAISE EXCEPTION 'a step has other limits'; END IF; END $$;
        CREATE EVENT TRIGGER before ON ddl_command_start EXECUTE FUNCTION public.limits();
        """)
      let store = try PostgresStore.forTest(url: old.url)
      try await OldContents.expect(in: store)
      try await store.close()
    }
    let error = ServerError(code: "55P03", message: "canceling statement due to lock timeout")
      .opening
    #expect(error.code == .unreachable)
    #expect(error.description.contains("in use") && error.description.contains("start again"))
  }

  /// Waits on a thread of its own: both are under way together.
  private static func open(_ url: String) async throws -> PostgresStore {
    try PostgresStore.forTest(url: url)
  }

  /// As a program of today makes them from nothing.
  private static func newestTables() throws -> [String] {
    let new = try OldDatabase(0, on: PostgresServer.shared.get())
    try Migrations.run(on: Connection.forTest(new.url), buckets: 1)
    return try new.tables()
  }
}
