// Checksums of rows in SQLite (decision 0042): two functions of SQL, and for each table the columns that its
// sum is of. The statements that write a row compute its sum with it; those that read one ask whether it fits.

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

/// The columns that a table's sums are of. A change of them needs a migration that makes all sums anew.
struct SummedTable {
  let name: String
  /// The key first.
  let columns: [String]

  /// As part of a SELECT: 1, or 0 for a damaged row.
  var fits: String { fits(at: [:]) }

  /// The same for a row that was looked for by values of its key, so that another one in its place is damage.
  func fits(at key: [String: String]) -> String {
    "row_fits(checksum, \(columns.map { key[$0] ?? $0 }.joined(separator: ", ")))"
  }

  /// The same with the name of the table in the statement.
  func fits(_ alias: String) -> String {
    "row_fits(\((["checksum"] + columns).map { "\(alias).\($0)" }.joined(separator: ", ")))"
  }

  static let records = SummedTable(
    name: "records",
    columns: [
      "zone", "name", "type", "deleted_type", "deleted_creator", "deleted_shares", "sequence",
      "parent", "content",
    ])
  /// Without the image, which is dropped by itself.
  static let log = SummedTable(
    name: "log",
    columns: [
      "position", "database", "kind", "zone", "name", "type", "subject", "sequence", "shares",
      "user", "device", "request", "time", "container", "environment",
    ])
  /// Without the number, which is given with the row, and the sequence, which is written apart.
  static let databases = SummedTable(
    name: "databases", columns: ["container", "environment", "owner"])
  static let zones = SummedTable(
    name: "zones",
    columns: [
      "id", "database", "name", "incarnation", "last_sequence", "deletion", "has_shares",
    ])
  static let settings = SummedTable(name: "settings", columns: ["name", "value"])
  static let subscriptions = SummedTable(
    name: "subscriptions",
    columns: [
      "container", "environment", "scope", "user", "id", "birth", "watched_type", "content",
    ])
  static let mailbox = SummedTable(
    name: "mailbox",
    columns: [
      "position", "device", "notification", "subscription", "collapse", "payload", "time",
      "request",
    ])
  static let kept = SummedTable(
    name: "kept_notifications",
    columns: ["position", "inbox", "notification", "subscription", "payload", "is_read"])
}
