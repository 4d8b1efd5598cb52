// The writer appends frames to a backup file, each with its place.

import BrumeStorage

struct BackupFrameWriter {
  private let write: ([UInt8]) throws -> Void
  private var position: Int64

  /// Begins the file.
  init(_ write: @escaping ([UInt8]) throws -> Void) throws {
    self.write = write
    try write(BackupFrame.magic)
    position = Int64(BackupFrame.magic.count)
  }

  /// - Throws: `StoreError` if the content is too large for a frame; or what writing threw.
  mutating func add(_ kind: BackupFrame.Kind, _ content: [UInt8]) throws {
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

  /// Writes entries of one table, a page at a time. It holds one page in memory.
  ///
  /// - Parameter next: answers nil after the last.
  /// - Returns: how many there were.
  mutating func add(
    _ kind: BackupFrame.Kind, of table: MovedTable, _ next: () throws -> BackupChange?
  ) throws -> Int64 {
    var page: [BackupChange] = []
    var (bytes, count) = (0, Int64(0))
    while let entry = try next() {
      page.append(entry)
      bytes += entry.byteCount
      count += 1
      guard bytes >= BackupPage.bytes || page.count >= BackupPage.most else { continue }
      try add(kind, BackupPage(table, page).bytes(as: kind))
      (page, bytes) = ([], 0)
    }
    if !page.isEmpty { try add(kind, BackupPage(table, page).bytes(as: kind)) }
    return count
  }
}
