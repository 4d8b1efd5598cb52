// The port's part for the rows of assets: which files there are, which records hold them, which uploads
// wait for their save, which objects are to be removed. An engine keeps the holders itself, with
// the record that `put` and `remove` write; a file that lost one is marked for the sweeper.
//
// An object gets its row before it exists and loses its row after it is gone, so that no crash
// leaves one that nobody knows of.

package import BrumeModel

/// A file that was uploaded, by its checksum.
package struct AssetFile: Equatable, Sendable {
  /// As records hold it (`Asset.fileChecksum`).
  package let checksum: String
  /// The object of the asset store that has the bytes.
  package let object: String
  /// In bytes.
  package let size: Int64
  /// SHA-256 of the bytes.
  package let digest: [UInt8]
  /// Since when nobody seems to need it. Zero: something let go of it, and the sweeper has not
  /// looked yet. Nil: needed.
  package var idleSince: Milliseconds?

  package init(
    checksum: String, object: String, size: Int64, digest: [UInt8], idleSince: Milliseconds? = nil
  ) {
    self.checksum = checksum
    self.object = object
    self.size = size
    self.digest = digest
    self.idleSince = idleSince
  }
}

/// An upload that no save has used yet.
package struct AssetUpload: Equatable, Sendable {
  /// Until the upload is complete also the name of the object that it writes.
  package let id: String
  /// What arrived; nil while it is arriving.
  package var checksum: String?
  /// When it was entered.
  package let began: Milliseconds

  package init(id: String, checksum: String?, began: Milliseconds) {
    self.id = id
    self.checksum = checksum
    self.began = began
  }
}

/// Checksums are texts as records hold them. Every call throws what ``ReadTransaction`` says.
package protocol AssetReading: AnyObject {
  /// The file with a checksum; nil if it has no row.
  func file(_ checksum: String) throws -> AssetFile?
  /// Files with a checksum after `checksum`, in order, at most `limit`.
  func files(after checksum: String, limit: Int) throws -> [AssetFile]
  /// Files that are idle since `time` or before, longest first, at most `limit`.
  func idleFiles(since time: Milliseconds, limit: Int) throws -> [AssetFile]
  /// Whether a record holds the file or an upload of it waits for its save.
  func isFileNeeded(_ checksum: String) throws -> Bool
  /// The upload with an ID; nil if there is none, or a save has used it.
  func upload(_ id: String) throws -> AssetUpload?
  /// Uploads that began at `time` or before, oldest first, at most `limit`.
  func uploads(begunBy time: Milliseconds, limit: Int) throws -> [AssetUpload]
  /// Objects with a name after `name` that nothing refers to any more and that may still be in the asset store, in order, at
  /// most `limit`.
  func discardedObjects(after name: String, limit: Int) throws -> [String]
}

/// Every call throws what ``WriteTransaction`` says; the write's scope has `server`.
package protocol AssetWriting: AssetReading {
  /// Inserts or replaces by checksum.
  func put(_ file: AssetFile) throws
  /// Removes the row of a file, if it has one. The object with its bytes stays until it is discarded.
  func removeFile(_ checksum: String) throws
  /// Inserts or replaces by ID.
  func put(_ upload: AssetUpload) throws
  /// Forgets an upload, if it is there. Neither its object nor its file changes.
  func removeUpload(_ id: String) throws
  /// Notes that an object is to be removed from the asset store.
  func discardObject(_ name: String) throws
  /// Forgets an object that was removed.
  func forgetObject(_ name: String) throws
}

extension Record {
  /// The files that the record's fields hold, also in lists, in the order of the fields' names.
  package var assets: [Asset] { fields.sorted { $0.key < $1.key }.flatMap(\.value.assets) }

  /// The same files by their checksums, once each.
  package var assetChecksums: Set<String> {
    Set(fields.values.lazy.flatMap(\.assets).map(\.fileChecksum))
  }
}

extension FieldValue {
  fileprivate var assets: [Asset] {
    switch self {
    case .asset(let asset): [asset]
    case .list(let elements, of: .asset): elements.flatMap(\.assets)
    case .string, .int64, .double, .bytes, .timestamp, .location, .reference, .list: []
    }
  }
}
