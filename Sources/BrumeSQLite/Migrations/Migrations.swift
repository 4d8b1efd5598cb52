// The schema's history: a list of steps, append-only. `PRAGMA user_version` counts those done, so a
// file of a newer version is recognised and refused.

import BrumeStorage
import GRDB

enum Migrations {
  static let steps: [String] = [
    foundation, wantedFields, assets, signIn, delivery, devicesOfUser, deletedCreators,
    emailCase, ownColumns, indexedRows, lateIndexRows, operators, servedChanges, rowSums,
    mailboxDigests, moreRowSums, goneRecords,
  ]

  /// For who only reads.
  ///
  /// - Throws: `StoreError`: the file is of another version.
  static func requireNewest(_ database: Database) throws {
    let done = try version(of: database, steps)
    guard done < steps.count else { return }
    throw StoreError(
      .unavailable,
      "the data folder has schema version \(done), this program knows \(steps.count); start its server once, "
        + "which brings the folder to it")
  }

  /// Brings a database file from where it is to the newest step, or to an earlier one.
  ///
  /// - Throws: `StoreError`: the file has steps that are not in the list.
  static func run(_ steps: [String] = steps, on writer: Database) throws {
    let done = try version(of: writer, steps)
    for (index, step) in steps.enumerated().dropFirst(done) {
      try writer.inTransaction {
        try writer.execute(sql: step)
        try writer.execute(sql: "PRAGMA user_version = \(index + 1)")
        return .commit
      }
    }
  }

  /// Whether nothing was ever written into the file.
  static func isNew(_ database: Database) throws -> Bool { try version(of: database, steps) == 0 }

  private static func version(of database: Database, _ steps: [String]) throws -> Int {
    let done = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    if done <= steps.count { return done }
    throw StoreError(
      .tooNew,
      """
      the data folder has schema version \(done), this server knows \(steps.count); run the \
      version that wrote it, or a newer one
      """)
  }
}
