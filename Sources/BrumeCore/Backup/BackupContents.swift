// What frames of a backup hold, as values and as bytes: the end of all rows, pieces of assets, the end of all. Pages of
// rows are in `BackupPage.swift`. Reading is total: any bytes give a value or nil.

import BrumeModel
import BrumeStorage

/// All rows were written.
struct BackupRowsEnd: Equatable {
  /// Of the store.
  let rows: Int64
  /// In this file: as many as rows, or what became of them since an earlier backup.
  let entries: Int64
  /// As `MoveHash` makes it.
  let hash: String

  var bytes: [UInt8] {
    var packer = Packer()
    packer.add(rows)
    packer.add(entries)
    packer.add(hash)
    return packer.bytes
  }
}

extension BackupRowsEnd {
  init?(_ bytes: [UInt8]) {
    var unpacker = Unpacker(bytes)
    guard let rows = unpacker.number(), let entries = unpacker.number(),
      let hash = unpacker.text()
    else { return nil }
    self.init(rows: rows, entries: entries, hash: hash)
  }
}

/// A part of an asset's bytes.
package struct BackupAssetPiece: Equatable, Sendable {
  /// The name of the object in the asset store.
  package let object: String
  /// Of the piece, in the asset.
  package let offset: Int64
  package let data: [UInt8]

  /// Ours: bytes of an asset in one frame.
  package static let mostBytes = 1 << 20

  /// As the content of a frame.
  package var bytes: [UInt8] {
    var packer = Packer()
    packer.add(object)
    packer.add(offset)
    packer.add(data)
    return packer.bytes
  }
}

extension BackupAssetPiece {
  init?(_ bytes: [UInt8]) {
    var unpacker = Unpacker(bytes)
    guard let object = unpacker.text(), let offset = unpacker.number(), let data = unpacker.data()
    else { return nil }
    self.init(object: object, offset: offset, data: data)
  }
}

/// How many assets there are in the file, how many in earlier ones, and how many were missing on the server.
package struct BackupAssetCount: Equatable, Sendable {
  /// Whose bytes are in this file.
  package var assets: Int64 = 0
  /// Whose bytes are in an earlier backup.
  package var earlier: Int64 = 0
  /// Whose bytes the server did not have.
  package var missing: Int64 = 0
  /// Of all assets in this file.
  package var bytes: Int64 = 0

  package init() {}

  /// Files that it says something of.
  package var files: Int64 { assets + earlier + missing }

  /// As the content of a frame.
  package var packed: [UInt8] {
    var packer = Packer()
    for number in [assets, earlier, missing, bytes] { packer.add(number) }
    return packer.bytes
  }

  init?(_ packed: [UInt8]) {
    var unpacker = Unpacker(packed)
    guard let assets = unpacker.number(), let earlier = unpacker.number(),
      let missing = unpacker.number(), let bytes = unpacker.number()
    else { return nil }
    (self.assets, self.earlier, self.missing, self.bytes) = (assets, earlier, missing, bytes)
  }
}
