// A table whose rows are written together: of all rows that a group of writes puts or removes, one statement
// each carries them, as arrays. Citus would pull such a statement to the coordinator; there each row is a statement.

import BrumeStorage
import Synchronization

final class Table: Sendable {
  typealias Column = (name: String, type: SQLType)

  let name: String
  /// A number of the table in this process.
  let id: Int
  private let key: [Column]
  private let columns: [Column]
  /// Whether each row has a column `checksum`, of the key and the other columns in their order.
  private let isSummed: Bool
  /// So many rows are sent before the body that writes them is done, so that the server works meanwhile, and no body is
  /// silent for long. Nil: all wait until it is done.
  let earlyRows: Int?
  /// Inserts rows, or replaces those with the same key.
  private let upsert: SQL
  /// Deletes rows by their keys.
  private let delete: SQL
  /// The same for one row; nil where something else is done with rows.
  private let upsertRow: SQL?
  private let deleteRow: SQL
  private static let count = Atomic<Int>(0)

  /// - Parameters:
  ///   - key: columns of the primary key.
  ///   - columns: the others that are written.
  ///   - kept: those that belong to the key, and are not NULL: a row that would change them is another one, which two servers
  ///     gave the same number, and the transaction fails.
  ///   - isSummed: whether rows get a checksum.
  ///   - earlyRows: how many rows are sent before the body that writes them is done.
  ///   - statement: what is done with the rows that are put, if it is something else. It gets them as what
  ///     stands behind FROM: `given`, with the names of all columns.
  ///   - citus: the same where tables are divided by bucket, if Citus does not take it.
  ///   - file: where it is written.
  init(
    _ name: String, key: [Column], columns: [Column], kept: Set<String> = [],
    isSummed: Bool = false, earlyRows: Int? = nil,
    file: String = #fileID, line: Int = #line,
    statement: ((String) -> String)? = nil, onCitus citus: ((String) -> String)? = nil
  ) {
    let columns = isSummed ? columns + [("checksum", .integer)] : columns
    self.name = name
    self.key = key
    self.columns = columns
    self.isSummed = isSummed
    self.earlyRows = earlyRows
    id = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
    let all = key + columns
    let given = Self.given(all)
    let conflict = Self.onConflict(name, key, columns, kept)
    upsert = SQL(
      statement?(given) ?? Self.upsert(name, all, conflict), onCitus: citus?(given), file: file,
      line: line)
    delete = SQL(Self.delete(name, key), file: file, line: line)
    let rows: SQL.Place = key.first?.name == "bucket" ? .ofBucket : .anywhere
    upsertRow = statement == nil ? SQL(Self.upsertRow(name, all, conflict), rows: rows) : nil
    deleteRow = SQL(Self.deleteRow(name, key))
  }

  /// Puts rows with the values of the key and of the columns.
  func upserted(_ rows: [[SQLValue]], onCitus: Bool) -> [Connection.Command] {
    let rows = isSummed ? rows.map { $0 + [.integer(RowSum(of: $0).value)] } : rows
    if onCitus, let upsertRow { return rows.map { (upsertRow, $0) } }
    return [(upsert, Self.arrays(key + columns, rows))]
  }

  func deleted(_ keys: [[SQLValue]], onCitus: Bool) -> [Connection.Command] {
    onCitus ? keys.map { (deleteRow, $0) } : [(delete, Self.arrays(key, keys))]
  }

  /// What distinguishes a row from all others of the table.
  func identity(_ values: [SQLValue]) -> ByteKey {
    var bytes: [UInt8] = []
    for (value, _) in zip(values, key) {
      let start = bytes.count
      _ = value.append(to: &bytes)
      _ = SQLValue.integer(bytes.count - start).append(to: &bytes)
    }
    return ByteKey(bytes)
  }

  private static func arrays(_ columns: [Column], _ rows: [[SQLValue]]) -> [SQLValue] {
    columns.indices.map { index in .array(columns[index].type, rows.map { $0[index] }) }
  }

  private static func upsert(_ name: String, _ all: [Column], _ conflict: String) -> String {
    """
    INSERT INTO \(name) (\(names(all))) SELECT * FROM unnest(\(parameters(all)))
    \(conflict)
    """
  }

  private static func upsertRow(_ name: String, _ all: [Column], _ conflict: String) -> String {
    let values = all.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
    return "INSERT INTO \(name) (\(names(all))) VALUES (\(values)) \(conflict)"
  }

  /// A column that is kept becomes NULL where it would be another, and no column that is kept may be NULL.
  private static func onConflict(
    _ name: String, _ key: [Column], _ columns: [Column], _ kept: Set<String>
  ) -> String {
    let changes = columns.map { column in
      let new = "excluded.\(column.name)"
      return kept.contains(column.name)
        ? "\(column.name) = CASE WHEN \(name).\(column.name) = \(new) THEN \(new) END"
        : "\(column.name) = \(new)"
    }
    return "ON CONFLICT (\(names(key))) DO "
      + (columns.isEmpty ? "NOTHING" : "UPDATE SET \(changes.joined(separator: ", "))")
  }

  private static func given(_ columns: [Column]) -> String {
    "unnest(\(parameters(columns))) AS given (\(names(columns)))"
  }

  private static func delete(_ name: String, _ key: [Column]) -> String {
    let same = key.map { "\(name).\($0.name) = gone.\($0.name)" }.joined(separator: " AND ")
    return
      "DELETE FROM \(name) USING unnest(\(parameters(key))) AS gone (\(names(key))) WHERE \(same)"
  }

  private static func deleteRow(_ name: String, _ key: [Column]) -> String {
    let same = key.enumerated().map { "\($0.element.name) = $\($0.offset + 1)" }
    return "DELETE FROM \(name) WHERE \(same.joined(separator: " AND "))"
  }

  private static func names(_ columns: [Column]) -> String {
    columns.map(\.name).joined(separator: ", ")
  }

  private static func parameters(_ columns: [Column]) -> String {
    columns.enumerated().map { "$\($0 + 1)::\($1.type.name)[]" }.joined(separator: ", ")
  }
}
