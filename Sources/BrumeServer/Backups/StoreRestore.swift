// A backup comes back, into a store that no server has run on. Rows first, marked as unfinished so that no server
// takes them for a store; then assets; then rows are compared with the file and the mark goes. Whatever ends it in
// between, the same command goes on, and no server serves a part.

package import BrumeCore
import BrumePostgres
import BrumeSQLite
import BrumeStorage
package import Logging

/// One restore of one backup.
package struct StoreRestore {
  /// How far a restore is.
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
  private let report: @Sendable (Progress) throws -> Void

  /// - Parameters:
  ///   - settings: of the server that is going to run on what is restored.
  ///   - report: called now and then; the restore ends with what it throws.
  package init(
    into settings: Settings, host: Host = .real, logger: Logger,
    report: @escaping @Sendable (Progress) throws -> Void
  ) {
    self.settings = settings
    self.host = host
    self.logger = logger
    self.report = report
  }

  /// - Parameter isNamed: whether errors say which file is meant.
  /// - Returns: what was restored.
  /// - Throws: `StoreError`, `DataFolderError` or `AssetFailure`, in words for the operator.
  package func run(_ path: String, isNamed: Bool = true) async throws -> BackupReport {
    let backup = try BackupChain.check(path, isNamed: isNamed) { [report] in
      try report(.verified($0.checked, of: $0.all))
    }
    try requireEmptyFolder()
    let lock = try DataFolder(
      path: settings.dataFolder,
      otherwise: "restore into that server with --in-place, or name another folder with --data")
    defer { withExtendedLifetime(lock) {} }
    try move(backup) { try $0.copy() }
    try await putAssets(backup)
    try move(backup) { _ = try $0.run() }
    return backup.report
  }

  /// A folder with a database is looked at by the move: it may hold a part of this restore.
  private func requireEmptyFolder() throws {
    let folder = settings.dataFolder
    switch settings.engine {
    case .memory:
      throw SettingError("a store in memory keeps nothing; restore into sqlite or postgres://…")
    case .postgres:
      guard settings.assets.storeLocation == .besideRecords else { return }
      // A restored server removes files that its records do not hold, and a server of before may need them. What a restore
      // that goes on has left is no such server's.
      let others = [DataFolder.databaseMark, "brume.sqlite", "usage.json"]
      guard let other = others.first(where: { DiskFile.exists("\(folder)/\($0)") }) else { return }
      throw inUse(folder, other)
    case .sqlite:
      guard !DiskFile.exists(folder + "/brume.sqlite") else { return }
    }
    // The last is what a new volume of ext4 has.
    let ours = ["lock", "server.lock", "lost+found"]
    let others = OwnerOnly.names(in: folder).filter { !ours.contains($0) }
    if let other = others.min() { throw inUse(folder, other) }
  }

  private func inUse(_ folder: String, _ other: String) -> DataFolderError {
    DataFolderError(
      "the folder '\(folder)' is not empty ('\(other)' is in it); a restore needs a new or empty one: "
        + "name another with --data, or move this one away")
  }

  private func move(_ backup: BackupFile, _ body: (StoreMove) throws -> Void) throws {
    let report = report
    func move(to target: any StoreImport) throws {
      try body(StoreMove(from: backup, to: target) { try report(.rows($0)) })
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

  private func putAssets(_ backup: BackupFile) async throws {
    let store = try settings.openAssets(host)
    // A backup that others continue has assets that went since.
    let wanted = backup.earlier == nil ? nil : try backup.objects()
    let total = backup.chain.reduce(0) { $0 + $1.report.count.bytes }
    var bytes: Int64 = 0
    for file in backup.chain {
      var assets = file.assets()
      var next = try assets.next()
      while let first = next {
        let pieces = AssetPieces(first, assets) { [report] count in
          bytes += count
          try report(.assets(bytes, of: total))
        }
        if wanted?.contains(ObjectMark(first.object)) == false {
          while try pieces.next() != nil {}
        } else {
          // What an interrupted restore wrote is replaced. Nothing is removed first, whatever else the place is.
          try await store.write(first.object) { try pieces.next() }
        }
        (assets, next) = (pieces.assets, pieces.following)
      }
    }
  }
}

/// The pieces of one asset, and where the next one begins.
private final class AssetPieces {
  private(set) var assets: BackupAssets
  /// The first piece of the next asset, when all of this one were asked for.
  private(set) var following: BackupAssetPiece?
  private var piece: BackupAssetPiece?
  private let progress: (Int64) throws -> Void

  init(
    _ first: BackupAssetPiece, _ assets: BackupAssets, progress: @escaping (Int64) throws -> Void
  ) {
    (piece, self.assets, self.progress) = (first, assets, progress)
  }

  func next() throws -> ArraySlice<UInt8>? {
    guard let current = piece else { return nil }
    try progress(Int64(current.data.count))
    piece = nil
    let read = try assets.next()
    // Another asset begins at its first byte.
    if let read, read.offset > 0 { piece = read } else { following = read }
    return current.data[...]
  }
}
