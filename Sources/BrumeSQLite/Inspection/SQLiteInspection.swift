// The inspection reads all of a data folder's database and says what is damaged: pages, rows that do not fit
// their checksums, and rows by which records are found that do not fit the records. It changes nothing; a server
// may run.

package import BrumeStorage
import GRDB

/// Inspects one data folder's database.
package final class SQLiteInspection {
  private let queue: DatabaseQueue
  private let coders: StoreCoders

  /// - Throws: `StoreError`: there is no database that this version can read.
  package init(folder: String, coders: StoreCoders) throws {
    self.coders = coders
    queue = try translatingErrors {
      try DatabaseQueue(path: folder + "/brume.sqlite", configuration: SQLiteExport.configuration)
    }
    try translatingErrors { try queue.inDatabase { try Migrations.requireNewest($0) } }
  }

  /// All that is found, in one state of the store: what a server writes meanwhile stays in its log.
  ///
  /// - Throws: `StoreError` if the database cannot be read on.
  package func run() throws -> StoreInspection {
    try inTransaction { connection in
      var pages = StoreInspection()
      connection.inspectPages(&pages)
      var reading = RecordInspection(connection, coders.record, pages)
      // Records are looked at closer.
      for table in SummedTable.all where table.name != SummedTable.records.name {
        reading.result.read(table, from: connection)
      }
      reading.run()
      return reading.result
    }
  }

  /// Files that have a row, after a checksum, in the order of checksums.
  ///
  /// - Throws: `StoreError` if the database cannot be read.
  package func files(after checksum: String, limit: Int) throws -> [AssetFile] {
    try inTransaction { try SQLiteAssets($0).files(after: checksum, limit: limit) }
  }

  private func inTransaction<Value>(_ body: (Connection) throws -> Value) throws -> Value {
    try translatingErrors {
      try queue.inDatabase { database in
        let connection = Connection(database, DamagedRows())
        defer { connection.forgetStatements() }
        try database.execute(sql: "BEGIN")
        defer { try? database.execute(sql: "ROLLBACK") }
        return try body(connection)
      }
    }
  }
}

extension Connection {
  /// What SQLite itself finds: pages, the order of rows, indexes that lack a row or have one too many.
  fileprivate func inspectPages(_ result: inout StoreInspection) {
    do {
      for line in try all(Self.check, { _ in }, { $0.text(0) }) where line != "ok" {
        result.found(
          "the database file: \(line.split(whereSeparator: \.isNewline).joined(separator: "; "))")
      }
    } catch {
      result.found("the database file: \(error)")
    }
  }

  /// Ours: a hundred findings of SQLite's are enough to say that a file is beyond repair.
  private static let check = SQL("PRAGMA integrity_check(100)")
}

extension StoreInspection {
  /// All rows of a table, one after the other.
  fileprivate mutating func read(_ table: SummedTable, from connection: Connection) {
    var (rows, unsummed) = (0, 0)
    do {
      let text = "SELECT \(table.damage), \(table.sum) IS NULL FROM \(table.name)"
      try connection.each(composed: text) { row in
        rows += 1
        if row.bool(1) { unsummed += 1 }
        if let key = row.optionalText(0) {
          found("\(table.name): \(key) does not fit its checksum")
        }
        return true
      }
    } catch {
      found("\(table.name): reading ended after \(rows) rows (\(error))")
    }
    if !table.isBesideAnother { read(table.name, rows: rows, unsummed: unsummed) }
  }
}
