// Damaged rows that nobody can mend are forgotten, for `brume doctor --forget`, so that backups can be made again. Only rows
// that count as not there while they are damaged, and on which no other row rests; never a record, a zone or an account.

package import BrumeModel
package import BrumeStorage
import GRDB
import Synchronization

/// Forgets damaged rows of a folder that no server uses.
package enum DamagedRowRemoval {
  /// What was forgotten of a table, by what an operator calls its rows.
  package typealias Forgotten = (table: String, rows: [String])

  /// Tables that are asked for by their names. What else is damaged needs a backup.
  package static let tables = removed.map(\.name).sorted()

  private static let removed: [SummedTable] = [
    .audit, .pushLog, .servedChanges, .mailbox, .kept, .usedSignatures, .apiTokens, .serverKeys,
    .webhooks, .apnsSenders,
  ]

  /// Forgets in one transaction with the lines of the audit log that say so.
  ///
  /// - Parameters:
  ///   - tables: some of `tables`; others are passed over.
  ///   - line: the line for a table of which something was forgotten.
  /// - Returns: for each table what was forgotten, perhaps nothing.
  /// - Throws: `StoreError` with `inUse` if a server uses the folder; with `corrupt` if a page is damaged. Then
  ///   nothing is changed.
  package static func run(
    folder: String, tables: [String], keeping bounds: AuditBounds,
    line: (Forgotten) -> AuditEntry
  ) throws -> [Forgotten] {
    let lock = Mutex<FolderLock?>(try FolderLock(folder: folder))
    defer { lock.withLock { $0 = nil } }
    return try translatingErrors {
      let queue = try DatabaseQueue(
        path: folder + "/brume.sqlite", configuration: SQLiteMoving.configuration)
      defer { try? queue.close() }
      return try queue.inDatabase { database in
        try Migrations.requireNewest(database)
        try SQLiteMoving.requireFinished(database)
        try database.execute(sql: "PRAGMA synchronous = FULL")
        return try forget(tables, in: database, keeping: bounds, line)
      }
    }
  }

  private static func forget(
    _ tables: [String], in database: Database, keeping bounds: AuditBounds,
    _ line: (Forgotten) -> AuditEntry
  ) throws -> [Forgotten] {
    let connection = Connection(database, DamagedRows())
    defer { connection.forgetStatements() }
    var forgotten: [Forgotten] = []
    try database.inTransaction(.immediate) {
      forgotten = try removed.filter { tables.contains($0.name) }.map {
        try connection.forgetDamaged($0)
      }
      let audit = SQLiteAudit(connection)
      for some in forgotten where !some.rows.isEmpty {
        try audit.append(line(some), keeping: bounds)
      }
      return .commit
    }
    return forgotten
  }
}

extension Connection {
  fileprivate func forgetDamaged(_ table: SummedTable) throws -> DamagedRowRemoval.Forgotten {
    var rows: [String] = []
    let isDamaged = "NOT \(table.fits)"
    try each(composed: "SELECT \(table.shownKey()) FROM \(table.name) WHERE \(isDamaged)") { row in
      rows.append(row.text(0))
      return true
    }
    if !rows.isEmpty {
      let statement =
        table.name == SummedTable.mailbox.name
        ? Self.emptyEntries : "DELETE FROM \(table.name) WHERE \(isDamaged)"
      try each(composed: statement) { _ in true }
    }
    return (table.name, rows)
  }

  /// A push that waits is news that its device has of nobody else: what takes its place cannot be read, so that the device is
  /// sent "fetch everything". Its number stays, also if that is what is damaged: the index leads the right device to it.
  private static let emptyEntries = """
    UPDATE mailbox SET notification = '', subscription = '', collapse = NULL, payload = x'', time = 0,
      request = '', checksum = \(SummedTable.mailbox.sum(of: [
        "position": "position", "device": "device", "notification": "''", "subscription": "''",
        "payload": "x''", "time": "0", "request": "''",
      ]))
    WHERE NOT \(SummedTable.mailbox.fits)
    """
}

extension MovedTable {
  /// What to do about a damaged row, as a sentence goes on.
  var sqliteAdvice: String {
    let name = self == .mailboxes ? SummedTable.mailbox.name : rawValue
    return DamagedRowRemoval.tables.contains(name)
      ? "; stop the server, and 'brume doctor --forget \(name)' forgets such rows of this table"
      : ""
  }
}
