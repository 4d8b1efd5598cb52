// The move of a store to another engine, with the stores that settings name. Only here are two engines known.

package import BrumeCore
import BrumePostgres
import BrumeSQLite
import BrumeStorage
package import Logging

/// One move between a data folder and a database.
package struct StoreMigration: Sendable {
  private enum Direction: Sendable {
    case toPostgres(String), toSQLite(String)
  }
  private let direction: Direction
  /// Where SQLite's database is, or comes to be.
  private let folder: String

  /// - Throws: `SettingError`: these are not SQLite and PostgreSQL.
  package init(from source: String, to target: String, folder: String) throws {
    let engines = (
      source: try Settings.engine(source, of: "--from"),
      target: try Settings.engine(target, of: "--to")
    )
    switch engines {
    case (.sqlite, .postgres(let url)): direction = .toPostgres(url)
    case (.postgres(let url), .sqlite): direction = .toSQLite(url)
    default:
      throw SettingError(
        "a store is moved from sqlite to postgres://… or back; --from and --to name one each")
    }
    self.folder = folder
  }

  /// - Parameter report: called after each page.
  /// - Throws: `StoreError` or `DataFolderError`, in words for the operator.
  package func run(
    logger: Logger, report: @escaping (StoreMove.Progress) throws -> Void
  ) throws -> StoreMove.Outcome {
    if case .toPostgres = direction, !DiskFile.exists(folder + "/brume.sqlite") {
      throw DataFolderError(
        "there is no 'brume.sqlite' in '\(folder)'; name the folder with --data",
        isMissing: true)
    }
    let lock = try DataFolder(path: folder, otherwise: "name another folder with --data FOLDER")
    defer { withExtendedLifetime(lock) {} }
    switch direction {
    case .toPostgres(let url):
      return try SQLiteMoving.run(folder: folder, isNew: false, logger: logger) { source in
        let target = try PostgresMoving(url: url)
        return try StoreMove(from: source, to: target, report: report).run()
      }
    case .toSQLite(let url):
      let source = try PostgresMoving(url: url, isSource: true)
      return try SQLiteMoving.run(folder: folder, isNew: true, logger: logger) { target in
        try StoreMove(from: source, to: target, report: report).run()
      }
    }
  }
}
