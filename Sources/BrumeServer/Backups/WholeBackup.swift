// A whole backup on its way to who has no command at hand: the rows of a snapshot, and behind them every asset that
// they name, in the form in which `brume backup` writes a file. An asset whose bytes are not what was uploaded breaks
// the transfer off; the command would note it and go on, because it can take back what it wrote.

import BrumeCore
import BrumeModel
import BrumeStorage

struct WholeBackup: PieceSource {
  let rows: SnapshotRest
  let file: DiskFile
  let size: Int64
  let assets: any AssetStore
  let downloads: AssetDownloads

  func read(into take: (ArraySlice<UInt8>) async throws -> Void) async throws {
    try await rows.read(into: take)
    let read: BackupFrames.Read = { [file] in try file.bytes(at: $0, count: $1) }
    guard let backup = BackupFile(try await checked(read).report, read) else {
      throw Self.noSnapshot
    }
    var (position, count) = (size, BackupAssetCount())
    func add(_ kind: BackupFrame.Kind, _ content: [UInt8]) async throws {
      let frame = BackupFrame(kind, at: position, content)
      position = frame.end
      try await take(frame.bytes[...])
    }
    let files = try backup.rows(of: .assetFiles)
    while let file = try files.next() {
      let (object, size) = (try file.text("object"), try file.integer("size"))
      // A place for assets that does not answer is no missing file.
      guard
        let present = try await downloads.object(
          of: file.text("checksum"), named: object, size: size)
      else {
        try await add(.missingAsset, Array(object.utf8))
        count.missing += 1
        continue
      }
      let pieces = BackupAssetPieces(object: object)
      try await assets.read(present, 0..<size) { data in
        for piece in pieces.add(data) { try await add(.asset, piece.bytes) }
      }
      if let last = pieces.last(size: size) { try await add(.asset, last.bytes) }
      guard pieces.isWhole(size, file["digest"].bytes) else {
        throw BrumeError(.assetNotAvailable, "the bytes of an asset are not what was uploaded")
      }
      count.assets += 1
      count.bytes += size
    }
    try await add(.end, count.packed)
  }

  /// Others have their turn between two frames.
  private func checked(_ read: @escaping BackupFrames.Read) async throws -> BackupCheck {
    var check = BackupCheck(read)
    var frames = BackupFrames(read)
    while let frame = try frames.next() {
      try check.take(frame)
      await Task.yield()
    }
    guard check.hasAllRows else { throw Self.noSnapshot }
    return check
  }

  private static let noSnapshot = BrumeError(.internalError, "the snapshot was cut")
}
