// A backup comes back, into a store that no server has run on. Rows first, marked as unfinished so that no server
// takes them for a store; then assets; then rows are compared with the file and the mark goes. Whatever ends it in
// between, the same command goes on, and no server serves a part.

package import BrumeCore
import BrumePostgres
import BrumeSQLite
package import BrumeStorage
package import Logging

package struct StoreRestore {
  package enum Progress: Sendable {
    /// Bytes of the file, of all.
    case verified(Int64, of: Int64)
    /// Rows of a table.
    case rows(StoreMove.Progress)
    /// Bytes of assets, of all.
    case assets(Int64, of: Int64)
  }
  private let settings: Settings
  private let host: Host
  private let logger: Logger
  private let report: @Sendable (Progress) -> Void

  /// - Parameter settings: of the server that is going to run on what is restored.
  package init(
    into settings: Settings, host: Host = .real, logger: Logger,
    report: @escaping @Sendable (Progress) -> Void
  ) {
    self.settings = settings
    self.host = host
    self.logger = logger
    self.report = report
  }

  /// - Returns: what was restored.
  /// - Throws: `StoreError`, `DataFolderError` or `AssetFailure`, in words for the operator.
  package func run(_ path: String) async throws -> BackupReport {
    let file = try DiskFile.reading(path)
    let read: BackupFrames.Read = { try file.bytes(at: $0, count: $1) }
    let size = try file.size()
    let contents = try BackupCheck.run(read) { [report] in report(.verified($0, of: size)) }
    guard let backup = BackupFile(contents, read) else {
      throw StoreError(.corrupt, "the backup has no beginning")
    }
    try requireEmptyFolder()
    let lock = try DataFolder(path: settings.dataFolder)
    defer { withExtendedLifetime(lock) {} }
    try move(backup) { try $0.copy() }
    try await putAssets(backup, contents.count.bytes)
    try move(backup) { _ = try $0.run() }
    return contents
  }

  /// A folder with a database is looked at by the move: it may hold a part of this restore.
  private func requireEmptyFolder() throws {
    let folder = settings.dataFolder
    switch settings.engine {
    case .memory:
      throw SettingError("a store in memory keeps nothing; restore into sqlite or postgres://…")
    case .postgres: return
    case .sqlite:
      guard !DiskFile.exists(folder + "/brume.sqlite") else { return }
    }
    let others = OwnerOnly.names(in: folder).filter { !["lock", "server.lock"].contains($0) }
    guard let other = others.min() else { return }
    throw DataFolderError(
      "the folder '\(folder)' is not empty ('\(other)' is in it); a restore needs a new or empty one: "
        + "name another with --data, or move this one away")
  }

  private func move(_ backup: BackupFile, _ body: (StoreMove) throws -> Void) throws {
    let report = report
    func move(to target: any StoreImport) throws {
      try body(StoreMove(from: backup, to: target) { report(.rows($0)) })
    }
    switch settings.engine {
    case .memory: return
    case .postgres(let url): try move(to: PostgresMoving(url: url))
    case .sqlite:
      try SQLiteMoving.run(folder: settings.dataFolder, isNew: true, logger: logger) {
        try move(to: $0)
      }
    }
  }

  private func putAssets(_ backup: BackupFile, _ total: Int64) async throws {
    let store = try settings.openAssets(host)
    var assets = backup.assets()
    var bytes: Int64 = 0
    var next = try assets.next()
    while let first = next {
      next = nil
      var piece: BackupAssetPiece? = first
      try await store.replace(first.object) {
        guard let current = piece else { return nil }
        bytes += Int64(current.data.count)
        report(.assets(bytes, of: total))
        let following = try assets.next()
        // Another asset begins at its first byte.
        if let following, following.offset > 0 {
          piece = following
        } else {
          (piece, next) = (nil, following)
        }
        return current.data[...]
      }
    }
  }
}

extension AssetStore {
  /// Writes an object that an interrupted restore may have written.
  fileprivate func replace(
    _ name: String, from next: () async throws -> ArraySlice<UInt8>?
  ) async throws {
    try await remove(name)
    try await write(name, from: next)
  }
}
