// The rows of assets in SQLite. Who holds which file: `AssetHolders.swift`.

import BrumeModel
import BrumeStorage

final class SQLiteAssets: AssetWriting {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  func file(_ checksum: String) throws -> AssetFile? {
    try connection.firstWhole(
      Self.findFile, .assetFiles, "what is known of a file", { $0.bind(1, checksum) }
    ) { $0.assetFile() }
  }

  /// Without what is damaged, in this and all other lists: it stays, and nothing is done with what it names.
  func files(after checksum: String, limit: Int) throws -> [AssetFile] {
    try connection.allWhole(
      Self.filesAfter, .assetFiles, limit: limit, { $0.bind(1, checksum) }
    ) { $0.assetFile() }
  }

  func idleFiles(since time: Milliseconds, limit: Int) throws -> [AssetFile] {
    try connection.allWhole(Self.idleFiles, .assetFiles, limit: limit, { $0.bind(1, time) }) {
      $0.assetFile()
    }
  }

  func isFileNeeded(_ checksum: String) throws -> Bool {
    try connection.first(Self.isNeeded, { $0.bind(1, checksum) }) { $0.bool(0) } ?? false
  }

  func upload(_ id: String) throws -> AssetUpload? {
    try connection.firstWhole(
      Self.findUpload, .assetUploads, "what is known of this upload", { $0.bind(1, id) }
    ) { $0.assetUpload() }
  }

  func uploads(begunBy time: Milliseconds, limit: Int) throws -> [AssetUpload] {
    try connection.allWhole(Self.oldUploads, .assetUploads, limit: limit, { $0.bind(1, time) }) {
      $0.assetUpload()
    }
  }

  func discardedObjects(after name: String, limit: Int) throws -> [String] {
    try connection.allWhole(Self.discarded, .assetDiscards, limit: limit, { $0.bind(1, name) }) {
      $0.text(0)
    }
  }

  private static let columns = SummedTable.assetFiles.whole
  private static let uploadColumns = SummedTable.assetUploads.whole
  private static let findFile = SQL("SELECT \(columns) FROM asset_files WHERE checksum = ?1")
  private static let filesAfter = SQL(
    "SELECT \(columns) FROM asset_files WHERE checksum > ?1 ORDER BY checksum")
  private static let idleFiles = SQL(
    """
    SELECT \(columns) FROM asset_files
    WHERE idle_since <= ?1 ORDER BY idle_since, checksum
    """)
  private static let isNeeded = SQL(
    """
    SELECT EXISTS (SELECT 1 FROM asset_holders WHERE checksum = ?1)
      OR EXISTS (SELECT 1 FROM asset_uploads WHERE checksum = ?1)
    """)
  private static let findUpload = SQL(
    "SELECT \(uploadColumns) FROM asset_uploads WHERE id = ?1")
  private static let oldUploads = SQL(
    "SELECT \(uploadColumns) FROM asset_uploads WHERE began <= ?1 ORDER BY began, id")
  private static let discarded = SQL(
    """
    SELECT \(SummedTable.assetDiscards.whole) FROM asset_discards
    WHERE object > ?1 ORDER BY object
    """)

  // MARK: Writing

  func put(_ file: AssetFile) throws {
    try connection.run(Self.putFile) {
      $0.bind(1, file.checksum)
      $0.bind(2, file.object)
      $0.bind(3, file.size)
      $0.bind(4, file.digest)
      $0.bind(5, file.idleSince)
    }
  }

  func removeFile(_ checksum: String) throws {
    try connection.run(Self.removeFile) { $0.bind(1, checksum) }
  }

  func put(_ upload: AssetUpload) throws {
    try connection.run(Self.putUpload) {
      $0.bind(1, upload.id)
      $0.bind(2, upload.checksum)
      $0.bind(3, upload.began)
    }
  }

  func removeUpload(_ id: String) throws {
    try connection.run(Self.removeUpload) { $0.bind(1, id) }
  }

  func discardObject(_ name: String) throws {
    try connection.run(Self.discard) { $0.bind(1, name) }
  }

  func forgetObject(_ name: String) throws {
    try connection.run(Self.forget) { $0.bind(1, name) }
  }

  private static let putFile = SQL(SummedTable.assetFiles.replace)
  private static let removeFile = SQL("DELETE FROM asset_files WHERE checksum = ?1")
  private static let putUpload = SQL(SummedTable.assetUploads.replace)
  private static let removeUpload = SQL("DELETE FROM asset_uploads WHERE id = ?1")
  private static let discard = SQL(SummedTable.assetDiscards.replace)
  private static let forget = SQL("DELETE FROM asset_discards WHERE object = ?1")
}

extension Prepared {
  fileprivate func assetFile() -> AssetFile {
    AssetFile(
      checksum: text(0), object: text(1), size: int(2), digest: blob(3), idleSince: optionalInt(4))
  }

  fileprivate func assetUpload() -> AssetUpload {
    AssetUpload(id: text(0), checksum: optionalText(1), began: int(2))
  }
}
