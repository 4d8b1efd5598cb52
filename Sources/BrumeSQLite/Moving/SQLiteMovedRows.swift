// A table's rows, one after the other, as the move wants them.

import BrumeModel
import BrumeStorage
import GRDB
import GRDBSQLite

final class SQLiteMovedRows: MovedRows {
  private let table: MovedTable
  private let columns: [MovedColumn]
  /// Kept for as long as its handle is used.
  private let statement: Statement
  private let row: Prepared
  /// Answers how many there are; nil: those that come are all.
  private let count: Statement?
  private var given: Int64 = 0
  /// After the last row SQLite would begin again.
  private var isAtEnd = false

  init(_ table: MovedTable, _ statement: Statement, count: Statement?) {
    self.table = table
    columns = table.columns
    self.statement = statement
    self.count = count
    row = Prepared(handle: statement.sqliteStatement)
  }

  deinit { sqlite3_reset(row.handle) }

  func next() throws -> MovedRow? {
    if isAtEnd { return nil }
    let code = sqlite3_step(row.handle)
    isAtEnd = code != SQLITE_ROW
    if code == SQLITE_DONE {
      try requireAll()
      return nil
    }
    guard code == SQLITE_ROW else { throw failure(code) }
    given += 1
    let moved =
      try table == .devices
      ? device() : MovedRow(table, columns.indices.map { value(Int32($0)) })
    guard isWhole else {
      throw moved.unreadable(
        "it is damaged; 'brume doctor --deep' names all that is\(table.sqliteAdvice)")
    }
    return moved
  }

  private func failure(_ code: Int32) -> StoreError {
    let error = StorageFailure(code: code).error
    guard error.code == .corrupt else { return error }
    return StoreError(
      .corrupt,
      "table \(table.rawValue), behind row \(given): \(error); 'brume doctor --deep' names all that is damaged, and only "
        + "an older backup mends a page")
  }

  private func requireAll() throws {
    guard let count else { return }
    let counted = Prepared(handle: count.sqliteStatement)
    defer { sqlite3_reset(counted.handle) }
    let code = sqlite3_step(counted.handle)
    guard code == SQLITE_ROW else { throw StorageFailure(code: code).error }
    let all = counted.int(0)
    guard given == all else {
      throw StoreError(
        .corrupt,
        "an index of \(table.rawValue) is damaged and leads to \(given) of \(all); 'brume doctor --deep' names all "
          + "that is")
    }
  }

  /// A column behind the row's own says whether it fits its checksum.
  private var isWhole: Bool {
    let column = table == .devices ? Self.columnsOfDevice : Int32(columns.count)
    return sqlite3_column_count(row.handle) <= column || row.bool(column)
  }

  /// As it is stored: what does not fit its column is found by who makes a row of it.
  private func value(_ column: Int32) -> MovedValue {
    switch sqlite3_column_type(row.handle, column) {
    case SQLITE_INTEGER: .integer(row.int(column))
    case SQLITE_TEXT: String(validating: row.blob(column), as: UTF8.self).map { .text($0) } ?? .null
    case SQLITE_BLOB: .bytes(row.blob(column))
    default: .null
    }
  }

  private static let columnsOfDevice: Int32 = 9

  /// A column of its own holds what the channel needs: a topic, or key and secret.
  private func device() throws -> MovedRow {
    var values = (0..<Self.columnsOfDevice).map { value($0) }
    let (registered, detail) = (values.removeLast(), values.removeLast())
    guard values[4].text == Device.Channel.Kind.webpush.rawValue else {
      return try MovedRow(table, values + [detail, .null, .null, registered])
    }
    let keys = (detail.text ?? "").split(separator: " ").map { Base64.bytes(String($0)) }
    let read = try MovedRow(table, values + [.null, .null, .null, registered])
    guard keys.count == 2, let key = keys[0], let secret = keys[1] else {
      throw read.unreadable("its push keys cannot be read")
    }
    return try MovedRow(table, values + [.null, .bytes(key), .bytes(secret), registered])
  }
}
