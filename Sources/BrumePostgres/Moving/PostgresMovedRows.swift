// A table's rows, one after the other, from a cursor of the server. One that does not fit its checksum ends the move:
// its copy would get a checksum that fits.

import BrumeModel
import BrumeStorage

final class PostgresMovedRows: MovedRows {
  private let table: MovedTable
  private let columns: [MovedColumn]
  private let connection: Connection
  private let fetch: SQL
  /// Read and not yet asked for, the first last.
  private var waiting: [MovedRow] = []
  private var isAtEnd = false

  init(_ table: MovedTable, _ connection: Connection) {
    self.table = table
    self.connection = connection
    columns = table.columns
    fetch = SQL("FETCH \(Self.fetched) FROM \(table.cursor)")
  }

  func next() throws -> MovedRow? {
    if waiting.isEmpty, !isAtEnd { try read() }
    return waiting.popLast()
  }

  private func read() throws {
    try translatingErrors {
      try connection.send(fetch)
      let rows = try connection.exchange().first
      waiting = try rows?.map { try moved($0) }.reversed() ?? []
      isAtEnd = waiting.count < Self.fetched
    }
  }

  private func moved(_ row: Row) throws -> MovedRow {
    let moved = try MovedRow(table, values(row))
    if let advice = adviceOnDamage(row) {
      throw moved.unreadable("it is damaged; 'brume doctor --deep' names all that is; \(advice)")
    }
    return moved
  }

  /// What to do about a row that does not fit its checksum. Nil: it fits, or its table has none.
  private func adviceOnDamage(_ row: Row) -> String? {
    switch table {
    case .records:
      let zone = [SQLValue.integer(row.integer(13)), .integer(row.integer(14))]
      let record = RecordColumns(
        row, from: Int32(table.keyLength), name: row.text(4), in: zone, connection.damaged)
      return record.isWhole ? nil : "restore an older backup, or delete its zone"
    case .log where !row.isWholeEntry(Self.columnsOfEntry):
      let (bucket, position) = (row.integer(22), row.integer(23))
      connection.damaged.note("log", "bucket \(bucket), position \(position)")
      return "it counts as not there, and this statement removes it: "
        + "DELETE FROM log WHERE bucket = \(bucket) AND position = \(position)"
    default: return nil
    }
  }

  /// Where the select has the columns of the table, in its order, and the checksum.
  private static let columnsOfEntry: [Int32] =
    [22, 23, 24, 5, 25] + (10...21) + [26]

  private func values(_ row: Row) -> [MovedValue] {
    columns.enumerated().map { index, column in
      switch column.kind {
      case .integer: row.optionalInteger(Int32(index)).map { .integer($0) } ?? .null
      case .text, .positions, .place: .text(row.optionalText(Int32(index)))
      case .bytes: .bytes(row.optionalBytes(Int32(index)))
      }
    }
  }

  /// Ours: rows in one exchange; a record may have a megabyte.
  private static let fetched = 64
}

extension MovedTable {
  /// The name of its cursor.
  var cursor: String { "moved_\(rawValue)" }
}
