// This makes pieces of equal size of an asset's bytes, as they arrive in any sizes, and knows whether all of
// them came.

import Crypto

/// The bytes of an asset as they arrive, as pieces of equal size.
package final class BackupAssetPieces {
  private let object: String
  private var data: [UInt8] = []
  private var offset: Int64 = 0
  private var digest = SHA256()

  /// - Parameter object: the object of the asset store that the bytes are of.
  package init(object: String) { self.object = object }

  /// Takes in what arrived; answers the pieces that are full.
  package func add(_ arrived: ArraySlice<UInt8>) -> [BackupAssetPiece] {
    data += arrived
    var full: [BackupAssetPiece] = []
    while data.count >= BackupAssetPiece.mostBytes {
      full.append(cut(BackupAssetPiece.mostBytes))
    }
    return full
  }

  /// What is left, also of an asset without bytes.
  package func last(size: Int64) -> BackupAssetPiece? {
    data.isEmpty && size > 0 ? nil : cut(data.count)
  }

  private func cut(_ count: Int) -> BackupAssetPiece {
    let piece = BackupAssetPiece(object: object, offset: offset, data: Array(data.prefix(count)))
    digest.update(data: piece.data)
    data.removeFirst(count)
    offset += Int64(count)
    return piece
  }

  /// Whether these were all bytes, and the right ones.
  package func isWhole(_ size: Int64, _ expected: [UInt8]?) -> Bool {
    offset == size && Array(digest.finalize()) == expected
  }
}
