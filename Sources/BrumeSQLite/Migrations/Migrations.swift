// The schema's history: a list of steps, append-only. `PRAGMA user_version` counts those done, so a
// file of a newer version is recognised and refused.

import BrumeStorage
import GRDB

enum Migrations {
  static let steps: [String] = [
    foundation, wantedFields, assets, signIn, delivery, devicesOfUser, deletedCreators,
    emailCase, ownColumns, indexedRows, lateIndexRows, operators, servedChanges,
  ]

  /// Brings a database file from where it is to the newest step, or to an earlier one.
  ///
  /// - Throws: `StoreError`: the file has steps that are not in the list.
  static func run(_ steps: [String] = steps, on writer: Database) throws {
    let done = try Int.fetchOne(writer, sql: "PRAGMA user_version") ?? 0
    guard done <= steps.count else {
      throw StoreError(
        .tooNew,
        """
        the data folder has schema version \(done), this server knows \(steps.count); run the \
        version that wrote it, or a newer one
        """)
    }
    for (index, step) in steps.enumerated().dropFirst(done) {
      try writer.inTransaction {
        try writer.execute(sql: step)
        try writer.execute(sql: "PRAGMA user_version = \(index + 1)")
        return .commit
      }
    }
  }
}
