// The writer writes all rows of a store, as the first part of a backup file. The assets come behind them,
// written by who fetches them (`BackupAssetPiece`). The writer holds one page of rows in memory.

package import BrumeModel
package import BrumeStorage

/// Writes the header and the rows of one backup.
package struct BackupWriter {
  private let source: any StoreExport
  private let write: ([UInt8]) throws -> Void

  /// - Parameter write: appends to the file; called once for each frame.
  package init(of source: any StoreExport, write: @escaping ([UInt8]) throws -> Void) {
    self.source = source
    self.write = write
  }

  /// - Parameters:
  ///   - id: never used for another backup.
  ///   - made: now.
  /// - Returns: how many rows were written.
  /// - Throws: `StoreError`: a row cannot be read or is too large; or what `write` threw.
  package func run(id: String, made: Milliseconds) throws -> Int64 {
    var (hash, rows) = (MoveHash(), Int64(0))
    var frames = try BackupFrameWriter(write)
    try frames.add(.header, BackupHeader(of: source, id: id, made: made).bytes)
    for table in MovedTable.allCases {
      hash.begin(table)
      let source = try self.source.rows(of: table)
      rows += try frames.add(.rows, of: table) {
        guard let row = try source.next() else { return nil }
        hash.add(row)
        return .put(row)
      }
    }
    try frames.add(
      .rowsEnd, BackupRowsEnd(rows: rows, entries: rows, hash: hash.text).bytes)
    return rows
  }
}
