// Servers of this version while the tables are brought to a newer one, as the first server of the next version does it,
// and all the others save meanwhile.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumePostgres

@Suite(.timeLimit(.minutes(5))) struct RollingUpgradeTests {
  /// What steps do that servers of the version before can bear: tables, columns and indexes come.
  private static let next = """
    CREATE TABLE next_things (bucket bigint, name text COLLATE "C", PRIMARY KEY (bucket, name));
    ALTER TABLE records ADD COLUMN next bigint;
    ALTER TABLE log ADD COLUMN next bigint NOT NULL DEFAULT 0;
    ALTER TABLE zones ADD COLUMN next text COLLATE "C";
    ALTER TABLE databases ADD COLUMN next bigint NOT NULL DEFAULT 1;
    ALTER TABLE mailbox ADD COLUMN next bigint;
    ALTER TABLE subscriptions ADD COLUMN next bigint;
    CREATE INDEX records_next ON records (bucket, next);
    UPDATE store SET version = version + 1;
    """

  @Test func `servers go on while the next version changes the tables under them`()
    async throws
  {
    let url = try PostgresServer.shared.get().emptySchema()
    let stores = try (0..<2).map { _ in try PostgresStore.forTest(buckets: 4, url: url) }
    let saver = Saver()
    try await saver.run(writers: 8, on: stores) {
      await saver.waitForSaves(100)
      try await Self.read(stores)
      try await EngineThread.run {
        try Migrations.repeatingDeadlocks {
          try Connection.forTest(url).simple("BEGIN; \(Self.next) COMMIT")
        }
      }
      await saver.waitForSaves(100)
      try await Self.read(stores)
    }
    #expect(saver.refusedCount == 0)
    #expect(try await saver.faults(in: stores[0]) == [])
    // One that starts does not know them, and those that run go on.
    let refusal = #expect(throws: StoreError.self) { try PostgresStore.forTest(url: url) }
    #expect(refusal?.code == .tooNew)
    await saver.save("after", in: stores[1])
    #expect(try await saver.faults(in: stores[0]) == [])
    for store in stores { try await store.close() }
  }

  /// On each connection, with statements that it prepared when it read first.
  private static func read(_ stores: [PostgresStore]) async throws {
    for store in stores + stores + stores + stores {
      let (changes, entries) = try await store.read { transaction in
        (
          try transaction.changes.page(in: .sample(), after: 0, through: .max, limit: 10),
          try transaction.log.entries(
            in: transaction.log.bucket(of: .sample()), after: 0, limit: 10)
        )
      }
      #expect(changes.count == 10 && entries.count == 10)
    }
  }
}
