// Assets: files that belong to a record. Saving and fetching their bytes is not built yet; a record
// with one is refused by the conversion in `FieldConversion.swift`.

import BrumeModel
public import Foundation

/// A file that is kept with a record.
public class CKAsset: NSObject, CKRecordValueProtocol, __CKRecordObjCValue {
  /// Where the file is on this machine; nil if it was not fetched.
  public let fileURL: URL?
  /// What the server said about a fetched asset.
  let stored: Asset?

  /// Takes a local file, to be stored when its record is saved.
  public init(fileURL: URL) {
    self.fileURL = fileURL
    stored = nil
  }

  init(stored: Asset) {
    fileURL = nil
    self.stored = stored
  }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKAsset else { return false }
    return fileURL == other.fileURL && stored == other.stored
  }

  public override var hash: Int { fileURL.hashValue }
}
