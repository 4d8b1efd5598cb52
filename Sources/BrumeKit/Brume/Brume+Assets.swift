// IDs of assets, which on Apple's systems come from the photo library.

import BrumeClient
import BrumeModel

extension Brume {
  /// The ID of the file that a field of a saved record holds, for saving it in another record of the
  /// same container without uploading it: ``CKAsset/init(importing:)``.
  ///
  /// Good for the current user on this device, for three days, and as long as the record holds the file.
  ///
  /// - Throws: a ``CKError``: ``CKError/Code/unknownItem`` without such a record,
  ///   ``CKError/Code/invalidArguments`` if the field holds no single asset.
  public static func exportedAssetID(
    ofField key: CKRecord.FieldKey, in recordID: CKRecord.ID, of database: CKDatabase
  ) async throws -> CKAsset.ExportedAssetID {
    let request = AssetRereferenceRequest(
      zone: ZoneID(recordID.zoneID),
      assets: [AssetField(recordName: recordID.recordName, fieldName: key)])
    let viewpoint = database.viewpoint()
    do {
      guard let result = try await database.caller.exportAssets(request).first else {
        throw CKError.missingAnswer(for: "field '\(key)'")
      }
      return CKAsset.ExportedAssetID(text: try result.mapError(\.error).get())
    } catch {
      throw CKError(converting: error, from: viewpoint)
    }
  }
}
