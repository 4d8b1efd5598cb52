// The assets in a record's fields: which are to be sent with a save, which are to be fetched, and
// putting others in their places.

import BrumeClient
import BrumeModel
import Foundation

/// Where an asset is in a record.
struct AssetSpot: Hashable, Comparable, Sendable {
  let key: String
  /// Its place in a list; nil if the field holds one asset.
  let index: Int?

  static func < (a: Self, b: Self) -> Bool { (a.key, a.index ?? 0) < (b.key, b.index ?? 0) }
}

extension CKRecord.Contents {
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
  mutating func replaceAssets(_ assets: [AssetSpot: CKAsset]) {
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

  /// Files that a save sends: those of the fields that it sends. Of unchanged ones too, because the server may hold
  /// another file by now; see ``filesOfServer(among:)``.
  ///
  /// An asset that another record fetched is sent anew for this one.
  func filesToSend(_ policy: SavePolicy) -> [AssetSpot: URL] {
    let keys = keysToSend(policy)
    return assetsBySpot.filter { keys.contains($0.key.key) }.compactMapValues(\.fileURL)
  }

  /// Of files to send, those that the server had in the same fields, and that are as they were. It names none in lists.
  func filesOfServer(among files: [AssetSpot: URL]) -> [(spot: AssetSpot, asset: Asset)] {
    let assets = assetsBySpot
    return files.compactMap { spot, url in
      guard spot.index == nil, !changes.contains(spot.key), let stored = assets[spot]?.stored,
        AssetCache.holds(url, stored)
      else { return nil }
      return (spot, stored)
    }.sorted { $0.spot.key < $1.spot.key }
  }

  /// Files that the server copies with a save: those of fields that the app set.
  var filesToImport: [AssetSpot: CKAsset.ExportedAssetID] {
    assetsBySpot.filter { changes.contains($0.key.key) }.compactMapValues(\.imported)
  }

  /// Gives the server's assets the local files with the same content: that of the same place, or of another one.
  mutating func keepFiles(_ files: [AssetSpot: SentFile]) {
    let byContent = Dictionary(
      files.values.map { ($0.checksum, $0.url) }, uniquingKeysWith: { first, _ in first })
    var kept: [AssetSpot: CKAsset] = [:]
    for (spot, asset) in assetsBySpot {
      guard let stored = asset.stored else { continue }
      let own = files[spot].flatMap { $0.checksum == stored.fileChecksum ? $0.url : nil }
      guard let file = own ?? byContent[stored.fileChecksum] else { continue }
      kept[spot] = CKAsset(stored: stored, fileURL: file)
    }
    replaceAssets(kept)
  }
}

extension CKRecord {
  /// All assets in fields and lists, by their places.
  var assetsBySpot: [AssetSpot: CKAsset] { contents.assetsBySpot }

  /// Puts assets in the places of others, without counting the fields as changed.
  func replaceAssets(_ assets: [AssetSpot: CKAsset]) { change { $0.replaceAssets(assets) } }
}

extension CKAsset {
  /// Whether its file is on this machine.
  var hasFile: Bool { fileURL.map { FileManager.default.fileExists(atPath: $0.path) } ?? false }
}

extension RecordOperation {
  /// What the operation sends in a place.
  func asset(at spot: AssetSpot) -> Asset? {
    switch (record.fields[spot.key]?.value, spot.index) {
    case (.asset(let asset)?, nil): asset
    case (.list(let values, _)?, let index?):
      if case .asset(let asset)? = values[ifThere: index] { asset } else { nil }
    default: nil
    }
  }

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
