// A backup of any engine is whole, comes back into any other, and shows its damage.

import BrumeCore
import BrumeModel
import BrumePostgres
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeSQLite

@Suite struct BackupTests {
  @Test(arguments: [StoreEngine.memory, .sqlite])
  func `a backup comes back into SQLite and PostgreSQL with the hash that it had`(
    engine: StoreEngine
  ) async throws {
    let folder = try TemporaryFolder()
    let store = try engine.open(folder)
    try await FilledStore.fill(store)
    let backup = try await BackupFixture(of: store)
    try await store.close()
    try await Self.checkBothWays(backup)
  }

  @Test func `a backup of PostgreSQL comes back into SQLite and PostgreSQL`() async throws {
    let store = try PostgresStore.forTest(buckets: 16)
    try await FilledStore.fill(store)
    let backup = try await BackupFixture(of: store)
    try await store.close()
    try await Self.checkBothWays(backup)
  }

  private static func checkBothWays(_ backup: BackupFixture) async throws {
    let report = try backup.check()
    #expect(report.counts.keys.count == MovedTable.allCases.count)
    #expect(report.count.missing == 3)
    #expect(report.generation == "1700000000000")
    let folder = try TemporaryFolder()
    #expect(try backup.restore(into: folder) == report.hash)
    let url = try PostgresServer.shared.get().emptySchema()
    #expect(try backup.restore(intoPostgres: url, buckets: 4) == report.hash)
    // What the first server on it raises the generation for.
    let store = try folder.openSQLite()
    let reason = try await store.read { try $0.settings.value(.copiedBack) }
    #expect(reason.map { String(decoding: $0, as: UTF8.self) }?.contains("a backup of") == true)
    try await store.close()
  }

  @Test func `memory and SQLite that were filled alike have the same rows in every table`()
    async throws
  {
    var rows: [[MovedTable: [MovedRow]]] = []
    for engine in [StoreEngine.memory, .sqlite] {
      let folder = try TemporaryFolder()
      let store = try engine.open(folder)
      try await FilledStore.fill(store)
      rows.append(try await store.snapshot { try $0.allRows() })
      try await store.close()
    }
    for table in MovedTable.allCases {
      let (memory, sqlite) = (rows[0][table] ?? [], rows[1][table] ?? [])
      #expect(memory.count == sqlite.count, "table \(table.rawValue)")
      let different = zip(memory, sqlite).first { $0 != $1 }
      #expect(different == nil, "table \(table.rawValue)")
    }
  }

  @Test func `a server refuses a folder with half a restore, and the same restore goes on`()
    async throws
  {
    let store = MemoryStore(coders: .wireForm)
    try await FilledStore.fill(store)
    let backup = try await BackupFixture(of: store)
    let folder = try TemporaryFolder()
    let file = try #require(try backup.file())
    #expect(throws: Interruption.self) {
      try SQLiteMoving.run(folder: folder.path + "/data", isNew: true, logger: Mover.logger) {
        try StoreMove(from: file, to: $0) { if $0.table == .log { throw Interruption() } }.copy()
      }
    }
    let refusal = #expect(throws: StoreError.self) { try folder.openSQLite() }
    #expect(refusal?.description.contains("unfinished migration or restore") == true)
    // All rows, and not yet the end: assets are missing by then.
    try SQLiteMoving.run(folder: folder.path + "/data", isNew: true, logger: Mover.logger) {
      try StoreMove(from: file, to: $0).copy()
    }
    #expect(throws: StoreError.self) { try folder.openSQLite() }
    #expect(try backup.restore(into: folder) == (try backup.check().hash))
    try await folder.openSQLite().close()
    // And never into one that a server has run on.
    let full = #expect(throws: StoreError.self) { try backup.restore(into: folder) }
    #expect(full?.code == .inUse)
  }
}

extension StoreExport {
  fileprivate func allRows() throws -> [MovedTable: [MovedRow]] {
    var all: [MovedTable: [MovedRow]] = [:]
    for table in MovedTable.allCases {
      let rows = try rows(of: table)
      while let row = try rows.next() { all[table, default: []].append(row) }
    }
    return all
  }
}
