// A store with rows in each table of SQLite, and bits that flip in them.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage
import BrumeTestKit
import Foundation
import GRDB

@testable import BrumeSQLite

enum EveryTable {
  /// The file of a filled store, and what it says.
  struct Filled: Sendable {
    let file: Data
    let claims: EveryTableClaims
  }

  /// Filled once for all tests.
  static let filled = Task { try await fill() }

  /// The tables of the newest version.
  static let names: [String] = {
    let found = try? DatabaseQueue().inDatabase { database in
      try Migrations.run(on: database)
      return try String.fetchAll(
        database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    }
    return found ?? []
  }()

  /// A query that makes an index.
  static let query = EngineQuery(
    database: .sample(owner: nil), zone: "Trails",
    query: Query(recordType: "Hut", filters: [Filter(.lessThan, .field("n"), .int64(3))]),
    after: nil, limit: 9, candidateLimit: 99)

  private static func fill() async throws -> Filled {
    let folder = try TemporaryFolder()
    let store = try folder.openSQLite()
    try await FilledStore.fill(store)
    try await store.write(in: .everything(of: store)) { transaction in
      for number in 1...3 {
        try transaction.putNext(
          "hut\(number)", in: .sample(owner: nil), type: "Hut",
          fields: ["n": .int64(Int64(number))])
      }
      let served = (3...4).map { number in
        ServedChange(
          last: number, position: number, generation: 7, time: 5, deliveries: 1,
          bytes: [1, 2, UInt8(number)])
      }
      try transaction.history.append(served, in: .only)
    }
    // Of a type that nobody asks for: it stays.
    try await store.onWriter { connection in
      let rows = GoneRecordRows(connection, StoreCoders.wireForm.record)
      let type = RecordTypeRowKey(zone: 1, type: "Past")
      for number in 1...2 { try rows.add(.sample("past\(number)", sequence: 1), row: 99, of: type) }
    }
    let claims = await EveryTableClaims(of: store)
    try await store.close()
    let file = URL(fileURLWithPath: folder.path + "/data/brume.sqlite")
    return Filled(file: try Data(contentsOf: file), claims: claims)
  }

  // MARK: Columns and rows

  struct Column: Sendable, CustomStringConvertible {
    let table: String
    let name: String
    let isText: Bool
    var description: String { "\(table).\(name)" }
  }

  static func columns(of table: String, _ database: Database) throws -> [Column] {
    try Row.fetchAll(
      database, sql: "SELECT name, type FROM pragma_table_info(?)", arguments: [table]
    )
    .map { Column(table: table, name: $0["name"], isText: $0["type"] == "TEXT") }
  }

  /// Changes one bit of a value in the first row that has one, or in the last. A column that has none gets a value.
  static func flip(_ column: Column, inLast: Bool, _ database: Database) throws {
    let keys = try String.fetchAll(
      database, sql: "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk",
      arguments: [column.table])
    let order = keys.map { inLast ? "\($0) DESC" : $0 }.joined(separator: ", ")
    let row = try Row.fetchOne(
      database,
      sql: """
        SELECT \(column.name), \(keys.joined(separator: ", ")) FROM \(column.table)
        ORDER BY ifnull(\(column.name), '') = '', \(order) LIMIT 1
        """)
    guard let row else { throw Nothing(column: column) }
    let values = Array(row.databaseValues)
    let isKey = keys.map { "\($0) IS ?" }.joined(separator: " AND ")
    // A flip that gives the row the key of another is none that SQLite takes.
    for bit in 0..<6 {
      do {
        return try database.execute(
          sql: "UPDATE \(column.table) SET \(column.name) = ? WHERE \(isKey)",
          arguments: StatementArguments([flipped(values[0], bit, column)] + values.dropFirst()))
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {}
    }
    throw Nothing(column: column)
  }

  /// There is nothing in a column, so that a test shows nothing.
  struct Nothing: Error { let column: Column }

  private static func flipped(_ value: DatabaseValue, _ bit: Int, _ column: Column) -> DatabaseValue
  {
    switch value.storage {
    case .null: return column.isText ? "x".databaseValue : 1.databaseValue
    case .int64(let number): return (number ^ (1 << Int64(bit))).databaseValue
    case .double(let number): return (number + 1).databaseValue
    case .string(let text):
      var bytes = Array(text.utf8)
      if bytes.isEmpty { return "x".databaseValue }
      bytes[bytes.count - 1] ^= 1 << UInt8(bit)
      return String(decoding: bytes, as: UTF8.self).databaseValue
    case .blob(let data):
      var bytes = Array(data)
      if bytes.isEmpty { return Data([1]).databaseValue }
      bytes[bytes.count / 2] ^= 1 << UInt8(bit)
      return Data(bytes).databaseValue
    }
  }
}
