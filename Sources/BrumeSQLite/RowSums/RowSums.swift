// Checksums of rows in SQLite (decision 0042): two functions of SQL. The statements that write a row compute its
// sum with one; those that read a row ask the other whether it fits. Of which columns: `SummedTables.swift`.

import BrumeStorage
import GRDBSQLite

enum RowSums {
  /// Makes `row_sum(values…)` and `row_fits(sum, values…)` known to a connection. A row from before checksums
  /// has none and fits.
  ///
  /// - Parameter verifies: whether a sum that differs counts. False in tests of what is found with it.
  static func install(on handle: OpaquePointer?, verifies: Bool = true) {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
    sqlite3_create_function_v2(
      handle, "row_sum", -1, flags, nil,
      { context, count, values in
        sqlite3_result_int64(context, RowSums.sum(values, from: 0, count))
      }, nil, nil, nil)
    sqlite3_create_function_v2(
      handle, "row_fits", -1, flags, nil,
      verifies
        ? fits
        : { context, _, _ in
          sqlite3_result_int(context, 1)
        }, nil, nil, nil)
  }

  private typealias Function =
    @convention(c) (
      OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?
    ) -> Void

  private static let fits: Function = { context, count, values in
    guard let values, count > 0, sqlite3_value_type(values[0]) != SQLITE_NULL else {
      return sqlite3_result_int(context, 1)
    }
    let isSame =
      sqlite3_value_type(values[0]) == SQLITE_INTEGER
      && sqlite3_value_int64(values[0]) == RowSums.sum(values, from: 1, count)
    sqlite3_result_int(context, isSame ? 1 : 0)
  }

  private static func sum(
    _ values: UnsafeMutablePointer<OpaquePointer?>?, from first: Int32, _ count: Int32
  ) -> Int64 {
    var sum = RowSum()
    guard let values else { return sum.value }
    for index in Int(first)..<Int(count) { add(values[index], to: &sum) }
    return sum.value
  }

  private static func add(_ value: OpaquePointer?, to sum: inout RowSum) {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: sum.add(sqlite3_value_int64(value))
    case SQLITE_FLOAT: sum.add(sqlite3_value_double(value))
    case SQLITE_TEXT:
      let start = sqlite3_value_text(value)
      sum.add(
        text: UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
    case SQLITE_BLOB:
      let start = sqlite3_value_blob(value)
      sum.add(
        bytes: UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
    default: sum.addNull()
    }
  }
}
