// Damaged rows that nobody can mend are forgotten, for `brume doctor --forget`, with a line of the audit log for each
// table.

import BrumeCore
package import BrumeModel
import BrumeSQLite
import BrumeStorage

/// Forgets damaged rows of a data folder that no server uses.
package struct DamageRemoval {
  /// The names of the tables that may be asked for.
  package static let tables = DamagedRowRemoval.tables
  /// Ours: rows that the line of the audit log names. It has the number of all.
  private static let namedRows = 5

  private let folder: String
  private let limits: Limits
  private let now: Milliseconds
  private let requestID: String

  /// - Parameter settings: those of a server with SQLite.
  /// - Throws: `StoreError` if the folder has no database that this version can read.
  package init(
    _ settings: Settings, folder: String, now: Milliseconds, requestID: String
  ) throws {
    _ = try SQLiteInspection(folder: folder, coders: .wireForm)
    (self.folder, limits, self.now, self.requestID) = (folder, settings.limits, now, requestID)
  }

  /// Forgets the damaged rows of tables. Answers what was forgotten of each, by name.
  ///
  /// - Throws: `StoreError`, with nothing changed: a server uses the folder, or a page is damaged.
  package func run(_ tables: [String]) throws -> [(table: String, rows: [String])] {
    let bounds = AuditBounds(limits, at: now)
    return try DamagedRowRemoval.run(folder: folder, tables: tables, keeping: bounds) { line($0) }
  }

  private func line(_ forgotten: DamagedRowRemoval.Forgotten) -> AuditEntry {
    let more = forgotten.rows.count > Self.namedRows ? ", …" : ""
    let named = forgotten.rows.prefix(Self.namedRows).joined(separator: ", ")
    let subject = "\(forgotten.rows.count) of \(forgotten.table): \(named)\(more)"
    return AuditEntry(
      time: now, operatorName: OperatorAccess.ownerName, address: "", requestID: requestID,
      action: "doctor/forget", subject: Audit.shown(subject, within: limits.labelBytes),
      container: "", environment: "", status: 200, isRefused: false)
  }
}
