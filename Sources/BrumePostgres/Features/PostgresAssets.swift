// The rows of assets in PostgreSQL. Who holds which file is written with records.

import BrumeModel
import BrumeStorage

final class PostgresAssets: AssetWriting {
  private let session: Session
  private let locks: Locks

  init(_ session: Session, _ locks: Locks) {
    self.session = session
    self.locks = locks
  }

  // MARK: Reading

  func file(_ checksum: String) throws -> AssetFile? {
    try session.first(Self.findFile, [.text(checksum)]) { $0.assetFile() }
  }

  func files(after checksum: String, limit: Int) throws -> [AssetFile] {
    try session.all(Self.filesAfter, [.text(checksum), .integer(limit)]) { $0.assetFile() }
  }

  /// Whoever asks in a write looks next who needs a file, and puts it: no save lets go of it meanwhile.
  func idleFiles(since time: Milliseconds, limit: Int) throws -> [AssetFile] {
    try session.all(
      locks.isWriter ? Self.idleFilesLocked : Self.idleFiles, [.integer(time), .integer(limit)]
    ) { $0.assetFile() }
  }

  func isFileNeeded(_ checksum: String) throws -> Bool {
    try session.exists(Self.isNeeded, [.text(checksum)])
  }

  func upload(_ id: String) throws -> AssetUpload? {
    try session.first(Self.findUpload, [.text(id)]) { $0.assetUpload() }
  }

  func uploads(begunBy time: Milliseconds, limit: Int) throws -> [AssetUpload] {
    try session.all(Self.oldUploads, [.integer(time), .integer(limit)]) { $0.assetUpload() }
  }

  func discardedObjects(after name: String, limit: Int) throws -> [String] {
    try session.all(Self.discarded, [.text(name), .integer(limit)]) { $0.text(0) }
  }

  // MARK: Writing

  func put(_ file: AssetFile) throws {
    session.put(
      [
        .text(file.checksum), .text(file.object), .integer(file.size), .bytes(file.digest),
        .integer(file.idleSince),
      ], in: Self.files)
  }

  func removeFile(_ checksum: String) throws { session.remove([.text(checksum)], from: Self.files) }

  func put(_ upload: AssetUpload) throws {
    session.put(
      [.text(upload.id), .text(upload.checksum), .integer(upload.began)], in: Self.uploads)
  }

  func removeUpload(_ id: String) throws { session.remove([.text(id)], from: Self.uploads) }

  func discardObject(_ name: String) throws { session.put([.text(name)], in: Self.discards) }

  func forgetObject(_ name: String) throws { session.remove([.text(name)], from: Self.discards) }
}

// MARK: Statements

extension PostgresAssets {
  private static let files = Table(
    "asset_files", key: [("checksum", .text)],
    columns: [
      ("object", .text), ("size", .integer), ("digest", .bytes), ("idle_since", .integer),
    ])
  private static let uploads = Table(
    "asset_uploads", key: [("id", .text)], columns: [("checksum", .text), ("began", .integer)])
  private static let discards = Table("asset_discards", key: [("object", .text)], columns: [])

  private static let select = "SELECT checksum, object, size, digest, idle_since FROM asset_files"
  private static let findFile = SQL("\(select) WHERE checksum = $1")
  private static let filesAfter = SQL("\(select) WHERE checksum > $1 ORDER BY checksum LIMIT $2")
  private static let idle = """
    \(select) WHERE idle_since <= $1 ORDER BY idle_since, checksum LIMIT $2
    """
  private static let idleFiles = SQL(idle)
  private static let idleFilesLocked = SQL("\(idle) FOR UPDATE")
  private static let isNeeded = SQL(
    """
    SELECT 1 WHERE EXISTS (SELECT 1 FROM asset_holders WHERE checksum = $1)
      OR EXISTS (SELECT 1 FROM asset_uploads WHERE checksum = $1)
    """)
  private static let findUpload = SQL("SELECT id, checksum, began FROM asset_uploads WHERE id = $1")
  private static let oldUploads = SQL(
    "SELECT id, checksum, began FROM asset_uploads WHERE began <= $1 ORDER BY began, id LIMIT $2")
  private static let discarded = SQL(
    "SELECT object FROM asset_discards WHERE object > $1 ORDER BY object LIMIT $2")
}

extension Row {
  fileprivate func assetFile() -> AssetFile {
    AssetFile(
      checksum: text(0), object: text(1), size: integer(2), digest: bytes(3),
      idleSince: optionalInteger(4))
  }

  fileprivate func assetUpload() -> AssetUpload {
    AssetUpload(id: text(0), checksum: optionalText(1), began: integer(2))
  }
}
