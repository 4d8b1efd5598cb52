// Rows that are found by a unique key and then called by their number. A damaged index leads to the row of another
// key, and all that is under its number would be answered as if it were under this one: so the row itself is asked too.

import BrumeModel
import BrumeStorage

/// A table whose rows have a number, and a key with a unique index.
struct NumberedTable {
  private let name: String
  private let find: SQL

  /// - Parameter key: the columns of the index, which are bound in this order, from 1.
  init(_ name: String, key: [String]) {
    func isKey(of row: String) -> String {
      key.enumerated().map { "\(row).\($1) = ?\($0 + 1)" }.joined(separator: " AND ")
    }
    self.name = name
    // The second row is read by its number, so that its columns are its own and not those of the index.
    find = SQL(
      """
      SELECT found.id, (SELECT \(isKey(of: "own")) FROM \(name) own WHERE own.id = found.id)
      FROM \(name) found WHERE \(isKey(of: "found"))
      """)
  }

  /// The number of the row with the key that `bind` binds; nil: there is none.
  ///
  /// - Parameter what: what the row stands for, in an error for who asked for it.
  func number(
    on connection: Connection, of what: @autoclosure () -> String, _ bind: (Prepared) -> Void
  ) throws -> Int64? {
    try connection.first(find, bind) { row in
      if row.bool(1) { return row.int(0) }
      connection.damaged.note(name, "number \(row.int(0)), to which the index leads from \(what())")
      throw BrumeError.damaged(what())
    }
  }

  static let databases = NumberedTable("databases", key: ["container", "environment", "owner"])
  static let zones = NumberedTable("zones", key: ["database", "name"])
  static let devices = NumberedTable(
    "devices", key: ["container", "environment", "user", "device"])
  static let inboxes = NumberedTable("inboxes", key: ["container", "environment", "user"])
}
