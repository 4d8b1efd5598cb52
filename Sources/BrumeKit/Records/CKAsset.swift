// Assets: files that belong to a record. Their way to the server and back is in `Assets/`.

import BrumeModel
public import Foundation

/// A file that is kept with a record.
///
/// Saving a record sends the files of the assets that were set since; fetching it brings them into
/// a staging area on this machine, which the system may clear: copy or move what is to stay. Only
/// the bytes are kept, not the file's name. A record that comes with an error, such as the server's
/// in ``CKError/Code/serverRecordChanged``, has assets without files. Source: Apple's `CKAsset` page.
// Sendable because its properties are constant.
open class CKAsset: NSObject, CKRecordValueProtocol, __CKRecordObjCValue, @unchecked Sendable {
  /// Where the file is on this machine; nil if it was not fetched.
  public let fileURL: URL?
  /// What the server said about a saved or fetched asset.
  let stored: Asset?

  /// Takes a local file, to be stored when its record is saved.
  public init(fileURL: URL) {
    self.fileURL = fileURL
    stored = nil
  }

  init(stored: Asset, fileURL: URL? = nil) {
    self.fileURL = fileURL
    self.stored = stored
  }

  /// Whether two are equal.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKAsset else { return false }
    return fileURL == other.fileURL && stored?.fileChecksum == other.stored?.fileChecksum
  }

  /// A hash that agrees with ``isEqual(_:)``.
  public override var hash: Int { fileURL.hashValue }

  /// A text for logs and debuggers.
  public override var description: String { "<CKAsset: \(fileURL?.path ?? "without a file")>" }
}
