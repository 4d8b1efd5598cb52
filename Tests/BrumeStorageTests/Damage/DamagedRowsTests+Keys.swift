// What rows are found by: indexes that lead to another's row, and the keys of databases.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import GRDB
import Testing

@testable import BrumeSQLite

extension DamagedRowsTests {
  /// An index by which rows are found that belong to somebody.
  struct KeyIndex: Sendable, CustomTestStringConvertible {
    let table: String
    /// The column that SQLite's own number of the row is called by.
    let number: String
    let key: String
    let name: String
    var testDescription: String { table }

    static let all: [KeyIndex] = [
      .unique("databases", "container, environment, owner"),
      .unique("zones", "database, name"),
      .unique("devices", "container, environment, user, device"),
      .unique("inboxes", "container, environment, user"),
      .unique("subscriptions", number: "serial", "container, environment, scope, user, id"),
      KeyIndex(
        table: "mailbox", number: "position", key: "device, digest", name: "mailbox_by_device"),
      KeyIndex(
        table: "kept_notifications", number: "position", key: "inbox",
        name: "kept_notifications_by_inbox"),
    ]

    /// The rows to which the index leads from the key of the first row.
    func rowsOfFirstKey(_ database: Database) throws -> [Int64] {
      let first = try Row.fetchOne(
        database, sql: "SELECT \(key) FROM \(table) NOT INDEXED ORDER BY \(number) LIMIT 1")
      let isFirst = key.split(separator: ", ").map { "\($0) = ?" }.joined(separator: " AND ")
      let by = name.hasPrefix("sqlite_") ? "" : "INDEXED BY \(name)"
      return try Int64.fetchAll(
        database, sql: "SELECT \(number) FROM \(table) \(by) WHERE \(isFirst)",
        arguments: StatementArguments((try #require(first)).map(\.1)))
    }

    private static func unique(_ table: String, number: String = "id", _ key: String) -> Self {
      KeyIndex(table: table, number: number, key: key, name: "sqlite_autoindex_\(table)_1")
    }
  }

  @Test(arguments: KeyIndex.all)
  func `an index that leads to another's row gives an error and not what is another's:`(
    index: KeyIndex
  ) async throws {
    let truth = try await fill()
    try mislead(index)
    #expect(try inspection().findingCount > 0)
    let store = try folder.openSQLite()
    let claims = await Claims(of: store)
    let wrong = claims.sentences.subtracting(truth.sentences).filter { !Self.saysLess($0) }
    #expect(wrong == [])
    #expect(claims.sentences.count < truth.sentences.count)
    #expect((store.damagedRows?.reads ?? 0) > 0)
    try await store.close()
  }

  @Test func `nothing is written where a misled index leads`() async throws {
    _ = try await fill()
    try mislead(try #require(KeyIndex.all.first { $0.table == "databases" }))
    let store = try folder.openSQLite()
    let error = await #expect(throws: BrumeError.self) {
      try await store.write(in: .database(.sample(owner: nil))) {
        _ = try $0.putNext("new", in: .sample(owner: nil))
      }
    }
    #expect(error?.reason.contains("the public database is damaged") == true, "\(error as Any)")
    try await store.close()
  }

  @Test(arguments: SummedTable.databases.columns)
  func `a database whose key was changed is found, and nobody else gets it:`(
    column: String
  ) async throws {
    let truth = try await fill()
    try folder.onFile { try $0.execute(sql: "UPDATE databases SET \(column) = \(column) || 'x'") }
    #expect(try inspection().findings.contains { $0.hasPrefix("databases: ") })
    let store = try folder.openSQLite()
    let wrong = await Claims(of: store).sentences.subtracting(truth.sentences)
    #expect(wrong.filter { !Self.saysLess($0) } == [])
    try await store.close()
  }

  /// As flipped bits in the numbers that an index ends with: each key leads to the row of another. The root of the
  /// index is exchanged for that of one over rows with other numbers.
  func mislead(_ index: KeyIndex) throws {
    let before = try folder.onFile { try index.rowsOfFirstKey($0) }
    try exchangeRoot(of: index)
    let after = try folder.onFile { try index.rowsOfFirstKey($0) }
    #expect(!after.isEmpty && Set(after).isDisjoint(with: before), "or it shows nothing")
  }

  private func exchangeRoot(of index: KeyIndex) throws {
    try folder.onFile { database in
      try database.execute(
        sql: """
          CREATE TABLE twin AS SELECT * FROM \(index.table) LIMIT 0;
          INSERT INTO twin (rowid, \(index.key))
            SELECT (SELECT min(\(index.number)) + max(\(index.number)) FROM \(index.table))
              - \(index.number), \(index.key)
            FROM \(index.table);
          CREATE INDEX twin_by_key ON twin (\(index.key));
          """)
      let roots = try ["twin_by_key", index.name].map { name in
        try #require(
          try Int.fetchOne(
            database, sql: "SELECT rootpage FROM sqlite_schema WHERE name = ?", arguments: [name]))
      }
      try database.execute(sql: "PRAGMA writable_schema = ON")
      for (name, root) in zip([index.name, "twin_by_key"], roots) {
        try database.execute(
          sql: "UPDATE sqlite_schema SET rootpage = ? WHERE name = ?", arguments: [root, name])
      }
    }
  }
}
