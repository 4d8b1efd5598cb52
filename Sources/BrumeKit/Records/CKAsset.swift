// Assets: files that belong to a record. Their way to the server and back is in `Assets/`.

import BrumeModel
public import Foundation

/// A file that is kept with a record.
///
/// Saving a record sends the files of the assets that were set since; fetching it brings them into
/// a staging area on this machine, which the system may clear: copy what is to stay. The file may be
/// moved or removed. It must not be written to, not even where it was moved to: other assets with the
/// same content may share its bytes, so write to a copy. Only the bytes are kept, not the file's name. A
/// record that comes with an error, such as the server's in ``CKError/Code/serverRecordChanged``, has
/// assets without files. Source: Apple's `CKAsset` page.
// Sendable because its properties are constant.
open class CKAsset: NSObject, NSSecureCoding, __CKRecordObjCValue, @unchecked Sendable {
  /// Where the file is on this machine; nil if it was not fetched.
  open var fileURL: URL? { file }
  private let file: URL?
  /// What the server said about a saved or fetched asset.
  let stored: Asset?
  /// What the server is to copy.
  let imported: ExportedAssetID?

  /// Takes a local file, to be stored when its record is saved.
  public init(fileURL: URL) {
    file = fileURL
    stored = nil
    imported = nil
  }

  /// Takes a file that another record holds, which the server copies when the record is saved.
  ///
  /// There is no ``fileURL`` before the record is fetched. The save fails with
  /// ``CKError/Code/unknownItem`` if the source is gone, and with ``CKError/Code/assetNotAvailable`` if
  /// the ID is too old, or of another user or device.
  public convenience init(importing exportedAssetID: CKAsset.ExportedAssetID) {
    self.init(exportedAssetID)
  }

  private init(_ imported: ExportedAssetID) {
    file = nil
    stored = nil
    self.imported = imported
  }

  init(stored: Asset, fileURL: URL? = nil) {
    file = fileURL
    self.stored = stored
    imported = nil
  }

  // MARK: Coding

  /// Always true.
  open class var supportsSecureCoding: Bool { true }

  /// Reads an asset from an archive, which has the place of the file and not its bytes.
  ///
  /// An asset that was fetched and whose file is gone from the staging area has no ``fileURL``: fetch
  /// the record again. One that was to be saved names its file still, and a save says that it is missing.
  public required init?(coder: NSCoder) {
    let path = coder.text("path") ?? coder.appleFile?.path
    let checksum = coder.text("checksum")
    imported = coder.text("imported").map { ExportedAssetID(text: $0) }
    let isWithoutFile = ["isWithoutFile", AppleKey.assetFile].contains(where: coder.containsValue)
    guard path != nil || checksum != nil || imported != nil || isWithoutFile else { return nil }
    stored = checksum.map { Asset(fileChecksum: $0, size: coder.decodeInt64(forKey: "size")) }
    let isGone = path.map { !FileManager.default.fileExists(atPath: $0) } ?? true
    file = isGone && checksum != nil ? nil : path.map { URL(fileURLWithPath: $0) }
  }

  /// Writes the place of the file, and what the server knows of it.
  open func encode(with coder: NSCoder) {
    coder.encodeText(fileURL?.path, "path")
    coder.encodeText(stored?.fileChecksum, "checksum")
    coder.encodeText(imported?.text, "imported")
    if let stored { coder.encode(stored.size, forKey: "size") }
    // One of Apple's without a file, which is to be read again.
    if file == nil, stored == nil, imported == nil {
      coder.encode(true, forKey: "isWithoutFile")
    }
  }

  // MARK: Comparing

  /// Whether two are equal.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKAsset else { return false }
    return fileURL == other.fileURL && imported == other.imported
      && stored?.fileChecksum == other.stored?.fileChecksum
  }

  /// A hash that agrees with ``isEqual(_:)``.
  open override var hash: Int { fileURL.hashValue }

  /// A text for logs and debuggers.
  open override var description: String { "<CKAsset: \(fileURL?.path ?? "without a file")>" }
}
