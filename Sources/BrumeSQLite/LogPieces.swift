// The layer under SQLite's files that writes a commit's part of the log in one piece: `CLogPieces`.

import BrumeStorage
import CLogPieces
import GRDB
import GRDBSQLite

enum LogPieces {
  /// Once for the process, by whoever opens the first store.
  private static let outcome = brume_log_pieces_install()

  /// Puts the layer under all connections that are opened from now on.
  static func install() throws(StoreError) {
    guard outcome == SQLITE_OK else {
      throw StoreError(.unavailable, "SQLite does not take our layer under its files")
    }
  }

  /// The system's number of the error for which the last write or sync of this thread failed; 0: none did since it was asked for.
  static func takeReason() -> Int32 { brume_log_pieces_take_reason() }

  /// Leaves the log to the next start, when a connection is closed that would copy it into the database.
  static func keepLog(of database: Database) {
    guard let connection = database.sqliteConnection else { return }
    _ = brume_log_pieces_keep(connection)
  }
}
