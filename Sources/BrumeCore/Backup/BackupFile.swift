// A backup as a store that is read from its first row to its last, so that a restore is a move from it; and its
// assets, one after the other. One that continues an earlier backup is read together with it.

import BrumeModel
package import BrumeStorage

/// A backup file that was checked. Calls throw `StoreError` with `corrupt` if it is not any more what it was
/// then, and what its reading closure throws.
package final class BackupFile: StoreExport {
  package let engineName: String
  package let bucketCount: Int
  /// Of this file, not of those that it continues.
  package let header: BackupHeader
  /// Of this file alone, until `survey` has reported the rows.
  package private(set) var report: BackupReport
  /// The backup that this one continues.
  package let earlier: BackupFile?
  private let read: BackupFrames.Read

  /// - Parameters:
  ///   - report: of a check of all rows.
  ///   - earlier: the backup that it continues; of a whole one it says nothing.
  package init?(
    _ report: BackupReport, _ read: @escaping BackupFrames.Read, after earlier: BackupFile? = nil
  ) {
    guard let header = report.header else { return nil }
    self.header = header
    self.report = report
    self.read = read
    self.earlier = header.base == nil ? nil : earlier
    engineName = "a backup of \(header.engineName)"
    bucketCount = header.bucketCount
  }

  package func outline() throws -> StoreOutline { header.outline }

  package func rows(of table: MovedTable) throws -> any MovedRows {
    try BackupTableRows(
      BackupTableEntries(table, from: report.offsets[table], read), on: earlier?.rows(of: table))
  }

  package func logPlaces() throws -> [LogPlace] {
    let rows = try rows(of: .log)
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

  /// Reads all rows, as they are with what became of them, and compares them with what the file says of them.
  ///
  /// - Throws: `StoreError` if they are not those that were backed up.
  package func survey() throws {
    let expected = (report.rows, report.hash)
    var hash = MoveHash()
    report.forgetRows()
    for table in MovedTable.allCases {
      hash.begin(table)
      let rows = try rows(of: table)
      while let row = try rows.next() {
        hash.add(row)
        report.note(row)
      }
    }
    guard (report.rows, hash.text) == expected else {
      throw StoreError(
        .corrupt,
        "the backup and those that it continues do not make what was backed up; take a whole one")
    }
  }

  // MARK: Assets

  /// Pieces of all assets in the file, in its order.
  package func assets() -> BackupAssets { BackupAssets(from: report.assetOffset, read) }

  /// Its frames behind the rows.
  func assetFrames() -> BackupFrames { BackupFrames(from: report.assetOffset, read) }

  /// Whether the bytes of an object are in it, or in one that it continues.
  package func holds(_ object: ObjectMark) -> Bool {
    report.holds(object) || earlier?.holds(object) == true
  }

  /// The objects that its rows name.
  ///
  /// - Throws: `StoreError` with `corrupt` if a row cannot be read.
  package func objects() throws -> Set<ObjectMark> {
    let files = try rows(of: .assetFiles)
    var objects: Set<ObjectMark> = []
    while let file = try files.next() { objects.insert(ObjectMark(try file.text("object"))) }
    return objects
  }

  /// With those that it continues, the oldest first.
  package var chain: [BackupFile] { (earlier?.chain ?? []) + [self] }
}

/// The entries of one table in one file.
final class BackupTableEntries {
  private let table: MovedTable
  private var frames: BackupFrames?
  /// Read and not yet asked for, the first last.
  private var waiting: [BackupChange] = []

  /// - Parameter offset: of the table's first frame; nil: it has no entries.
  init(_ table: MovedTable, from offset: Int64?, _ read: @escaping BackupFrames.Read) {
    self.table = table
    frames = offset.map { BackupFrames(from: $0, read) }
  }

  func next() throws -> BackupChange? {
    if waiting.isEmpty { try readPage() }
    return waiting.popLast()
  }

  private func readPage() throws {
    do {
      guard let frame = try frames?.next(), let page = try BackupPage(frame), page.table == table
      else { return frames = nil }
      waiting = page.entries.reversed()
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
  ///
  /// - Throws: `StoreError` with `corrupt` for a frame that is damaged.
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
