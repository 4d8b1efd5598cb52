// The statements that change rows of the index, whenever `QueryIndex` says so.

import BrumeQueryPlan

extension IndexRows: IndexRowStoring {
  func insert(_ row: IndexRow) throws {
    try connection.run(Self.addRow) {
      $0.bindPlace(row)
      $0.bind(4, row.row)
    }
  }

  func remove(_ row: IndexRow) throws {
    try connection.run(Self.removeRow) { $0.bindPlace(row) }
  }

  func removeRows(ofZone zone: Int64) throws {
    try connection.run(Self.removeAll) { $0.bind(1, zone) }
  }

  private static let addRow = SQL("INSERT OR IGNORE INTO query_index VALUES (?1, ?2, ?3, ?4)")
  private static let removeRow = SQL(
    "DELETE FROM query_index WHERE key = ?1 AND value = ?2 AND name = ?3")
  private static let removeAll = SQL(
    "DELETE FROM query_index WHERE key IN (SELECT id FROM index_keys WHERE zone = ?1)")
}

extension QueryIndex: Remembering {
  /// The delay only counts, and may be wrong.
  func forget() { forgetRemainders() }
}

extension Prepared {
  fileprivate func bindPlace(_ row: IndexRow) {
    bind(1, row.key)
    bind(2, row.value)
    bind(3, row.name)
  }

  /// SQLite compares numbers of both types exactly, and texts by their bytes: its order under a key is
  /// `Order.of`.
  func bind(_ index: Int32, _ value: IndexValue) {
    switch value {
    case .int(let value): bind(index, value)
    case .double(let value): bind(index, value)
    case .text(let value): bind(index, value)
    case .cut(let bytes): bind(index, textBytes: bytes)
    }
  }
}
