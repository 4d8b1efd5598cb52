// How SQLite carries out the statements that the contract of the engines asks: it has no statistics, so a statement has one
// plan. None reads a table from end to end, unless it is named here with the reason.

import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeSQLite

@Suite struct SQLitePlanTests {
  /// What a text contains, by the reason why it may read a table.
  private static let scanning = [
    "Few rows, for operators or beside requests.": [
      "FROM api_tokens ORDER BY", "FROM server_keys ORDER BY", "FROM operators ORDER BY",
      "FROM operator_credentials ORDER BY", "FROM webhooks",
    ],
    "It begins at an end of the table, or takes the unfinished ones from their index.": [
      "FROM served_changes ORDER BY last", "FROM log ORDER BY position DESC",
      "ORDER BY l.position DESC", "INDEXED BY wanted_fields_unfinished",
    ],
    "Counted: no more are remembered than a limit says.": [
      "COUNT(*) FROM used_signatures", "DELETE FROM audit WHERE refused",
    ],
    "About all accounts, or when one comes or goes.": [
      "FROM users ORDER BY name, id", "count(*) FROM users", "DELETE FROM identities WHERE user",
      "FROM databases WHERE owner = ?1", "FROM databases\nGROUP BY",
    ],
    "Every hour.": ["z.deletion IS NOT NULL"],
    "Rows of the statement itself.": ["WITH RECURSIVE below", "SELECT max(last_sequence)"],
  ]

  private static func isNamed(_ text: String) -> Bool {
    scanning.values.joined().contains { text.contains($0) }
  }

  /// Whether a line of a plan says that all rows are looked at.
  private static func isScan(_ line: String) -> Bool {
    // The last number of each table is a row.
    line.hasPrefix("SCAN ") && !line.contains("CONSTANT ROW") && !line.contains("(subquery")
      && line != "SCAN sqlite_sequence"
  }

  @Test func `statements look up in indexes`() async throws {
    var plans: [String: [String]] = [:]
    for promise in StorageContract.all where !promise.isRandom {
      let folder = try TemporaryFolder()
      let store = try folder.openSQLite()
      try await promise.run(store)
      let known = Set(plans.keys)
      do {
        let read = try await store.read { ($0 as? SQLiteTransaction)?.connection.plans(but: known) }
        let written = try await store.write(in: .everything(of: store)) {
          ($0 as? SQLiteTransaction)?.connection.plans(but: known)
        }
        for found in [read, written] { plans.merge(try #require(found)) { old, _ in old } }
      } catch let error as StoreError where error.code == .closed {
        // Two promises are about the end of a store, and leave nothing to ask.
      }
      try await store.close()
    }
    #expect(plans.values.count { !$0.isEmpty } > 80)
    for (text, plan) in plans where !Self.isNamed(text) {
      #expect(plan.filter(Self.isScan) == [], "\(text)")
    }
  }

  @Test func `a statement that reads a whole table is found`() {
    #expect(Self.isScan("SCAN records") && Self.isScan("SCAN z USING COVERING INDEX i"))
    #expect(!Self.isScan("SEARCH records USING INDEX i (zone=?)"))
    #expect(!Self.isScan("SCAN 2 CONSTANT ROWS") && !Self.isScan("SCAN (subquery-1)"))
    #expect(!Self.isNamed("SELECT name FROM records") && !Self.isNamed("SELECT 1 FROM zones"))
  }
}
