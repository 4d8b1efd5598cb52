// Writes all rows of a store, as the first part of a backup file. The assets come behind them, written by who
// fetches them (`BackupAssetPiece`). Holds one page of rows in memory.

package import BrumeModel
package import BrumeStorage

package struct BackupWriter {
  private let source: any StoreExport
  private let write: ([UInt8]) throws -> Void
  private var position = Int64(0)
  private var hash = MoveHash()
  private var rows = Int64(0)

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
  package mutating func run(id: String, made: Milliseconds) throws -> Int64 {
    try write(BackupFrame.magic)
    position = Int64(BackupFrame.magic.count)
    try add(.header, BackupHeader(of: source, id: id, made: made).bytes)
    for table in MovedTable.allCases { try add(table) }
    try add(.rowsEnd, BackupRowsEnd(rows: rows, hash: hash.text).bytes)
    return rows
  }

  private mutating func add(_ table: MovedTable) throws {
    hash.begin(table)
    let source = try self.source.rows(of: table)
    var page: [MovedRow] = []
    var bytes = 0
    while let row = try source.next() {
      hash.add(row)
      page.append(row)
      bytes += row.byteCount
      rows += 1
      guard bytes >= BackupRows.bytes || page.count >= BackupRows.most else { continue }
      try add(.rows, BackupRows(table, page).bytes)
      (page, bytes) = ([], 0)
    }
    if !page.isEmpty { try add(.rows, BackupRows(table, page).bytes) }
  }

  private mutating func add(_ kind: BackupFrame.Kind, _ content: [UInt8]) throws {
    guard content.count <= BackupFrame.mostBytes else {
      throw StoreError(
        .corrupt,
        "a row is larger than a backup can hold (\(content.count) bytes, most is "
          + "\(BackupFrame.mostBytes))")
    }
    let frame = BackupFrame(kind, at: position, content)
    try write(frame.bytes)
    position = frame.end
  }
}
