// A folder that an earlier version of the schema left, opened by this one.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Foundation
import GRDB
import Testing

@testable import BrumeSQLite

@Suite struct MigrationTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  /// A database file as the first `version` steps leave it.
  private func make(version: Int, _ fill: (Database) throws -> Void) throws {
    try FileManager.default.createDirectory(
      atPath: folder.path + "/data", withIntermediateDirectories: false)
    let queue = try DatabaseQueue(path: folder.path + "/data/brume.sqlite")
    try queue.write { database in
      for step in Migrations.steps.prefix(version) { try database.execute(sql: step) }
      try database.execute(sql: "PRAGMA user_version = \(version)")
      try fill(database)
    }
    try queue.close()
  }

  /// Ten records, every third of them with 1 in `n`, and a deleted one, as version 8 stored them: the
  /// index leads to a name.
  private static func fillVersion8(_ database: Database) throws {
    let key = DatabaseKey.sample()
    try database.execute(
      sql: "INSERT INTO databases VALUES (1, ?, ?, ?, 11)",
      arguments: [key.container.name, key.environment.rawValue, key.owner?.name ?? ""])
    try database.execute(
      sql: """
        INSERT INTO zones (id, database, name, incarnation, last_sequence) VALUES (4, 1, 'Trails', 1, 11);
        INSERT INTO wanted_fields VALUES (4, 'Trail', 'n', NULL, 1);
        INSERT INTO index_keys VALUES (6, 4, 'Trail', 'n', 1, 0, 0);
        INSERT INTO records (id, zone, name, deleted_type, sequence) VALUES (80, 4, 'r2', 'Trail', 11);
        """)
    for number in 3..<13 {
      let (name, n) = ("r\(number)", number % 3 == 0 ? 1 : 2)
      let record = Record.sample(name, sequence: Int64(number), fields: ["n": .int64(Int64(n))])
      try database.execute(
        sql:
          "INSERT INTO records (id, zone, name, type, sequence, content) VALUES (?, 4, ?, ?, ?, ?)",
        arguments: [
          100 - number, name, "Trail", number, Data(StoreCoders.wireForm.record.encode(record)),
        ])
      try database.execute(sql: "INSERT INTO query_index VALUES (6, ?, ?)", arguments: [n, name])
    }
  }

  private func names(
    _ comparator: BrumeModel.Comparator = .equals, sorted: Bool = false, in store: SQLiteStore
  ) async throws -> [String] {
    let query = Query(
      recordType: "Trail", filters: [Filter(comparator, .field("n"), .int64(1))],
      sorts: sorted ? [Sort(.field("n"))] : [])
    return try await store.read {
      try $0.queries.matching(
        EngineQuery(
          database: .sample(), zone: "Trails", query: query, after: nil, limit: 20,
          candidateLimit: 20)
      ).records.map(\.name)
    }
  }

  @Test(arguments: [1000, 0])
  func `what version 8 indexed is found, changed and removed by this one`(fewCandidates: Int)
    async throws
  {
    try make(version: 8, Self.fillVersion8)
    let store = try folder.openSQLite(fewCandidates: fewCandidates)
    #expect(try await names(in: store) == ["r12", "r3", "r6", "r9"])
    #expect(
      try await names(.greaterThanOrEquals, sorted: true, in: store)
        == ["r12", "r3", "r6", "r9", "r10", "r11", "r4", "r5", "r7", "r8"])
    // The index was taken over as it was, not made anew.
    let rows = try await store.onWriter { connection in
      try connection.first(SQL("SELECT count(*) FROM query_index WHERE key = 6")) { $0.int(0) }
    }
    #expect(rows == 10)
    try await store.write(in: .database(.sample())) { transaction in
      try transaction.putNext("r3", fields: ["n": .int64(2)])
      try transaction.putNext("r4", fields: ["n": .int64(1)])
      try transaction.putNext("r2", fields: ["n": .int64(1)])
      let key = RecordKey(zone: .sample(), name: "r6")
      try transaction.records.remove(
        key, type: "Trail", sequence: try transaction.sequences.next(in: .sample()))
    }
    #expect(try await names(in: store) == ["r12", "r2", "r4", "r9"])
    try await store.close()
  }
}
