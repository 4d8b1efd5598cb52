// A table's rows, one after the other, from a cursor of the server.

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
    do {
      try connection.send(fetch)
      let rows = try connection.exchange().first
      waiting = try rows?.map { try MovedRow(table, values($0)) }.reversed() ?? []
      isAtEnd = waiting.count < Self.fetched
    } catch let error as ServerError {
      throw error.storeError
    }
  }

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
