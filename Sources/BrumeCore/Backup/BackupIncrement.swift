// Of a whole backup, this makes one that continues an earlier one: only what became of rows, and the assets that the
// whole one was made with, which are those that the earlier one does not have.

import BrumeStorage

/// Compares two backups and writes what changed between them.
package struct BackupIncrement {
  private let whole: BackupFile
  private let earlier: BackupFile

  /// - Parameters:
  ///   - whole: all rows, and the assets that `earlier` does not hold.
  ///   - earlier: what is continued.
  package init(of whole: BackupFile, continuing earlier: BackupFile) {
    self.whole = whole
    self.earlier = earlier
  }

  /// - Parameters:
  ///   - file: the earlier backup's name in the folder of both.
  ///   - progress: called with the rows that were compared, now and then.
  ///   - write: appends to the file; called once for each frame.
  /// - Throws: `StoreError`: one of both is damaged; or what `write` threw.
  package func run(
    file: String, progress: (Int64) throws -> Void = { _ in },
    write: @escaping ([UInt8]) throws -> Void
  ) throws {
    let base = BackupHeader.Base(id: earlier.header.id, file: file)
    var frames = try BackupFrameWriter(write)
    try frames.add(.header, BackupHeader(whole.header, continuing: base).bytes)
    var entries: Int64 = 0
    for table in MovedTable.allCases {
      var difference = try BackupDifference(
        from: earlier.rows(of: table), to: whole.rows(of: table))
      entries += try frames.add(.changes, of: table) { try difference.next() }
      try progress(entries)
    }
    let report = whole.report
    let end = BackupRowsEnd(rows: report.rows, entries: entries, hash: report.hash)
    try frames.add(.rowsEnd, end.bytes)
    var assets = whole.assetFrames()
    while let frame = try assets.next() { try frames.add(frame.kind, frame.content) }
  }
}
