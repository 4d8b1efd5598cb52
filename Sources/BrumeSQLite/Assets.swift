// Assets' books in SQLite. A record without assets costs no statement here.

import BrumeModel
import BrumeStorage

// MARK: Reading

extension SQLiteTransaction {
  func assetFile(_ checksum: String) throws -> AssetFile? {
    try connection.first(Self.findFile, { $0.bind(1, checksum) }) { $0.assetFile() }
  }

  func assetFiles(after checksum: String, limit: Int) throws -> [AssetFile] {
    try connection.all(
      Self.filesAfter,
      {
        $0.bind(1, checksum)
        $0.bind(2, limit)
      }
    ) { $0.assetFile() }
  }

  func idleAssetFiles(since time: Milliseconds, limit: Int) throws -> [AssetFile] {
    try connection.all(
      Self.idleFiles,
      {
        $0.bind(1, time)
        $0.bind(2, limit)
      }
    ) { $0.assetFile() }
  }

  func isAssetFileNeeded(_ checksum: String) throws -> Bool {
    try connection.first(Self.isNeeded, { $0.bind(1, checksum) }) { $0.bool(0) } ?? false
  }

  func assetUpload(_ id: String) throws -> AssetUpload? {
    try connection.first(Self.findUpload, { $0.bind(1, id) }) { $0.assetUpload() }
  }

  func assetUploads(begunBy time: Milliseconds, limit: Int) throws -> [AssetUpload] {
    try connection.all(
      Self.oldUploads,
      {
        $0.bind(1, time)
        $0.bind(2, limit)
      }
    ) { $0.assetUpload() }
  }

  func discardedAssetObjects(limit: Int) throws -> [String] {
    try connection.all(Self.discarded, { $0.bind(1, limit) }) { $0.text(0) }
  }

  private static let columns = "checksum, object, size, digest, idle_since"
  private static let findFile = SQL("SELECT \(columns) FROM asset_files WHERE checksum = ?1")
  private static let filesAfter = SQL(
    "SELECT \(columns) FROM asset_files WHERE checksum > ?1 ORDER BY checksum LIMIT ?2")
  private static let idleFiles = SQL(
    """
    SELECT \(columns) FROM asset_files
    WHERE idle_since <= ?1 ORDER BY idle_since, checksum LIMIT ?2
    """)
  private static let isNeeded = SQL(
    """
    SELECT EXISTS (SELECT 1 FROM asset_holders WHERE checksum = ?1)
      OR EXISTS (SELECT 1 FROM asset_uploads WHERE checksum = ?1)
    """)
  private static let findUpload = SQL(
    "SELECT id, checksum, began FROM asset_uploads WHERE id = ?1")
  private static let oldUploads = SQL(
    "SELECT id, checksum, began FROM asset_uploads WHERE began <= ?1 ORDER BY began, id LIMIT ?2")
  private static let discarded = SQL("SELECT object FROM asset_discards ORDER BY object LIMIT ?1")
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

// MARK: Writing

extension SQLiteTransaction {
  func put(_ file: AssetFile) throws {
    try connection.run(Self.putFile) {
      $0.bind(1, file.checksum)
      $0.bind(2, file.object)
      $0.bind(3, file.size)
      $0.bind(4, file.digest)
      $0.bind(5, file.idleSince)
    }
  }

  func removeAssetFile(_ checksum: String) throws {
    try connection.run(Self.removeFile) { $0.bind(1, checksum) }
  }

  func put(_ upload: AssetUpload) throws {
    try connection.run(Self.putUpload) {
      $0.bind(1, upload.id)
      $0.bind(2, upload.checksum)
      $0.bind(3, upload.began)
    }
  }

  func removeAssetUpload(_ id: String) throws {
    try connection.run(Self.removeUpload) { $0.bind(1, id) }
  }

  func discardAssetObject(_ name: String) throws {
    try connection.run(Self.discard) { $0.bind(1, name) }
  }

  func forgetAssetObject(_ name: String) throws {
    try connection.run(Self.forget) { $0.bind(1, name) }
  }

  private static let putFile = SQL(
    "INSERT OR REPLACE INTO asset_files (\(columns)) VALUES (?1, ?2, ?3, ?4, ?5)")
  private static let removeFile = SQL("DELETE FROM asset_files WHERE checksum = ?1")
  private static let putUpload = SQL(
    "INSERT OR REPLACE INTO asset_uploads (id, checksum, began) VALUES (?1, ?2, ?3)")
  private static let removeUpload = SQL("DELETE FROM asset_uploads WHERE id = ?1")
  private static let discard = SQL("INSERT OR IGNORE INTO asset_discards (object) VALUES (?1)")
  private static let forget = SQL("DELETE FROM asset_discards WHERE object = ?1")
}

// MARK: Holders

extension SQLiteTransaction {
  /// Keeps the list of who holds which file in step with a record.
  func updateAssets(_ rowKey: RecordRowKey, from old: Record?, to new: Record?) throws {
    let before = old?.assetChecksums ?? []
    let after = new?.assetChecksums ?? []
    guard before != after else { return }
    for checksum in before.subtracting(after) {
      try connection.run(Self.removeHolder) { $0.bind(checksum, heldBy: rowKey) }
      try connection.run(Self.suspect) { $0.bind(1, checksum) }
    }
    for checksum in after.subtracting(before) {
      try connection.run(Self.addHolder) { $0.bind(checksum, heldBy: rowKey) }
    }
  }

  /// A zone's records go all at once.
  static let removeAssetHolders = [
    SQL(
      """
      UPDATE asset_files SET idle_since = 0
      WHERE checksum IN (SELECT checksum FROM asset_holders WHERE zone = ?1)
      """),
    SQL("DELETE FROM asset_holders WHERE zone = ?1"),
  ]

  private static let addHolder = SQL(
    "INSERT OR IGNORE INTO asset_holders (zone, name, checksum) VALUES (?1, ?2, ?3)")
  private static let removeHolder = SQL(
    "DELETE FROM asset_holders WHERE zone = ?1 AND name = ?2 AND checksum = ?3")
  private static let suspect = SQL("UPDATE asset_files SET idle_since = 0 WHERE checksum = ?1")
}

extension Prepared {
  fileprivate func bind(_ checksum: String, heldBy rowKey: RecordRowKey) {
    bind(1, rowKey.zone)
    bind(2, rowKey.name)
    bind(3, checksum)
  }
}
