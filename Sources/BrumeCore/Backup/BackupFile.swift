// A backup file as a store that is read from its first row to its last, so that a restore is a move from it; and its
// assets, one after the other.

package import BrumeModel
package import BrumeStorage

package final class BackupFile: StoreExport {
  package let engineName: String
  package let bucketCount: Int
  private let header: BackupHeader
  private let report: BackupReport
  private let read: BackupFrames.Read

  /// - Parameter report: of a check of all rows.
  package init?(_ report: BackupReport, _ read: @escaping BackupFrames.Read) {
    guard let header = report.header else { return nil }
    self.header = header
    self.report = report
    self.read = read
    engineName = "a backup of \(header.engineName)"
    bucketCount = header.bucketCount
  }

  package func outline() throws -> StoreOutline { header.outline }

  package func rows(of table: MovedTable) throws -> any MovedRows {
    BackupTableRows(table, from: report.offsets[table], read)
  }

  package func logPlaces() throws -> [LogPlace] {
    let rows = BackupTableRows(.log, from: report.offsets[.log], read)
    var places: [LogPlace] = []
    while let row = try rows.next() {
      let positions = try LogPositions(text: row.text("place"))
      guard let bucket = positions.buckets.first else {
        throw row.unreadable("it says no place in the log")
      }
      places.append(
        LogPlace(
          bucket: bucket, position: positions[bucket], database: try row.database(),
          time: try row.integer("time")))
    }
    return places.sorted { ($0.bucket, $0.position) < ($1.bucket, $1.position) }
  }

  /// Pieces of all assets in the file, in its order.
  package func assets() -> BackupAssets { BackupAssets(from: report.assetOffset, read) }
}

/// The rows of one table in a backup.
package final class BackupTableRows: MovedRows {
  private let table: MovedTable
  private var frames: BackupFrames?
  /// Read and not yet asked for, the first last.
  private var waiting: [MovedRow] = []

  /// - Parameter offset: of the table's first frame; nil: it has no rows.
  init(_ table: MovedTable, from offset: Int64?, _ read: @escaping BackupFrames.Read) {
    self.table = table
    frames = offset.map { BackupFrames(from: $0, read) }
  }

  package func next() throws -> MovedRow? {
    if waiting.isEmpty { try readPage() }
    return waiting.popLast()
  }

  private func readPage() throws {
    do {
      guard let frame = try frames?.next(), frame.kind == .rows,
        let page = try BackupRows(frame.content), page.table == table
      else { return frames = nil }
      waiting = page.rows.reversed()
    } catch let damage as BackupDamage {
      throw StoreError(
        .corrupt,
        "the backup is damaged at byte \(damage.offset), in table \(table.rawValue); take another")
    }
  }
}

/// The assets of a backup that was checked.
package struct BackupAssets {
  private var frames: BackupFrames

  init(from offset: Int64, _ read: @escaping BackupFrames.Read) {
    frames = BackupFrames(from: offset, read)
  }

  /// The next piece; nil when all were read.
  package mutating func next() throws -> BackupAssetPiece? {
    do {
      while let frame = try frames.next() {
        if frame.kind == .asset { return BackupAssetPiece(frame.content) }
      }
      return nil
    } catch let damage as BackupDamage {
      throw StoreError(.corrupt, "the backup is damaged at byte \(damage.offset); take another")
    }
  }
}
