// The assets in a record's fields: which are to be sent with a save, which are to be fetched, and
// putting others in their places.

import BrumeModel
import Foundation

/// Where an asset is in a record.
struct AssetSpot: Hashable, Sendable {
  let key: String
  /// Its place in a list; nil if the field holds one asset.
  let index: Int?
}

extension CKRecord {
  /// All assets in fields and lists, by their places.
  var assetsBySpot: [AssetSpot: CKAsset] {
    var found: [AssetSpot: CKAsset] = [:]
    for (key, value) in fields {
      if let asset = value as? CKAsset { found[AssetSpot(key: key, index: nil)] = asset }
      guard let list = value as? NSArray else { continue }
      for (index, element) in list.enumerated() {
        if let asset = element as? CKAsset { found[AssetSpot(key: key, index: index)] = asset }
      }
    }
    return found
  }

  /// Puts assets in the places of others, without counting the fields as changed.
  func replaceAssets(_ assets: [AssetSpot: CKAsset]) {
    for (spot, asset) in assets {
      guard let index = spot.index else {
        fields[spot.key] = asset
        continue
      }
      guard let list = fields[spot.key] as? NSArray, index < list.count else { continue }
      var elements = list.map { $0 }
      elements[index] = asset
      fields[spot.key] = NSArray(array: elements)
    }
  }

  /// Files that a save sends: those of fields that the app set.
  ///
  /// An asset that another record fetched is sent anew for this one. Assets of fields that were not
  /// set go as what the server knows already.
  var filesToSend: [AssetSpot: URL] {
    assetsBySpot.filter { changes.contains($0.key.key) }.compactMapValues(\.fileURL)
  }

  /// Whether a save has something to do for its files first.
  var bringsFiles: Bool { !filesToSend.isEmpty || !filesToImport.isEmpty }

  /// Files that the server copies with a save: those of fields that the app set.
  var filesToImport: [AssetSpot: CKAsset.ExportedAssetID] {
    assetsBySpot.filter { changes.contains($0.key.key) }.compactMapValues(\.imported)
  }

  /// After a save: the server's assets with the local files that they were made of.
  func keepFiles(of before: [AssetSpot: CKAsset]) {
    var kept: [AssetSpot: CKAsset] = [:]
    for (spot, asset) in assetsBySpot {
      guard let file = before[spot]?.fileURL, let stored = asset.stored else { continue }
      kept[spot] = CKAsset(stored: stored, fileURL: file)
    }
    replaceAssets(kept)
  }
}

extension RecordOperation {
  /// The operation with what uploads answered in the places of the assets.
  func sending(_ uploaded: [AssetSpot: Asset]) -> RecordOperation {
    var operation = self
    for (spot, asset) in uploaded {
      guard let index = spot.index else {
        operation.record.fields[spot.key]?.value = .asset(asset)
        continue
      }
      guard case .list(var values, _)? = operation.record.fields[spot.key]?.value,
        index < values.count
      else { continue }
      values[index] = .asset(asset)
      operation.record.fields[spot.key]?.value = .list(values, of: .asset)
    }
    return operation
  }
}
