// What a table's checksums are of, and the pieces of statements that write them and ask for them. Which tables have
// some: `SummedTables.swift`.

import BrumeModel
import BrumeStorage

/// The columns that a table's sums are of. A change of them needs a migration that makes all sums anew.
struct SummedTable: Sendable {
  let name: String
  /// The key first.
  let columns: [String]
  /// How an operator finds a row again, with columns in braces; nothing that is a secret.
  let key: String
  /// The column that holds the sum.
  var sum = "checksum"
  /// Whether the rows have another sum too, of columns that are written with this one or apart from it.
  var isBesideAnother = false

  // MARK: Reading

  /// As part of a SELECT: 1, or 0 for a damaged row.
  var fits: String { fits(at: [:]) }

  /// The same for a row that was looked for by values of its key, so that another one in its place is damage.
  func fits(at key: [String: String]) -> String {
    "row_fits(\(sum), \(columns.map { key[$0] ?? $0 }.joined(separator: ", ")))"
  }

  /// The same with the name of the table in the statement.
  func fits(_ alias: String) -> String {
    "row_fits(\(([sum] + columns).map { "\(alias).\($0)" }.joined(separator: ", ")))"
  }

  /// As part of a SELECT: NULL, or what a damaged row is called by (`Connection.noteDamage`).
  var damage: String { "CASE WHEN NOT \(fits) THEN \(shownKey()) END" }

  /// The same with the name of the table in the statement.
  func damage(_ alias: String) -> String {
    "CASE WHEN NOT \(fits(alias)) THEN \(shownKey(alias + ".")) END"
  }

  /// All columns of a row and, as the last, its `damage`.
  var whole: String { "\(columns.joined(separator: ", ")), \(damage)" }

  /// `key` as a text of SQL, which is never NULL.
  func shownKey(_ prefix: String = "") -> String {
    let pieces = key.split(omittingEmptySubsequences: false) { $0 == "{" || $0 == "}" }
    return pieces.enumerated().filter { !$1.isEmpty }.map { index, piece in
      index % 2 == 1 ? "ifnull(\(prefix)\(piece), '')" : "'\(piece.replacing("'", with: "''"))'"
    }.joined(separator: " || ")
  }

  // MARK: Writing

  /// The sum of a row with these values, as SQL; a column that has none is NULL.
  func sum(of values: [String: String]) -> String {
    "row_sum(\(columns.map { values[$0] ?? "NULL" }.joined(separator: ", ")))"
  }

  /// As part of an UPDATE of some columns: the sum of the row with the new values. A row that did not fit keeps its
  /// sum, so that it does not fit afterwards.
  func sum(changing values: [String: String]) -> String {
    let new = Dictionary(uniqueKeysWithValues: columns.map { ($0, values[$0] ?? $0) })
    return "\(sum) = CASE WHEN \(fits) THEN \(sum(of: new)) ELSE \(sum) END"
  }

  /// Inserts a row of these columns, which are bound in this order, or of all of them; the others are NULL.
  ///
  /// - Parameter conflict: what becomes of a row with the same key, as SQL says it.
  func insert(_ bound: [String]? = nil, or conflict: String = "ABORT") -> String {
    let bound = bound ?? columns
    let places = (1...bound.count).map { "?\($0)" }
    let values = Dictionary(uniqueKeysWithValues: zip(bound, places))
    return """
      INSERT OR \(conflict) INTO \(name) (\(bound.joined(separator: ", ")), \(sum))
      VALUES (\(places.joined(separator: ", ")), \(sum(of: values)))
      """
  }

  /// Inserts a row of all columns, bound in their order, instead of one with the same key.
  var replace: String { insert(or: "REPLACE") }

  /// Inserts a row under the next number, which is the last column and which its sum is of too. Columns are bound in
  /// this order, without others all before the last; the others are NULL.
  ///
  /// - Parameters:
  ///   - isForGood: whether a number that was given once is never given again.
  ///   - ending: what follows, such as ON CONFLICT.
  func insertNext(
    _ bound: [String]? = nil, isForGood: Bool = false, ending: String = ""
  ) -> String {
    let (number, bound) = (columns[columns.count - 1], bound ?? columns.dropLast())
    let last = "ifnull((SELECT max(\(number)) FROM \(name)), 0)"
    let given = "ifnull((SELECT seq FROM sqlite_sequence WHERE name = '\(name)'), 0)"
    let next = isForGood ? "max(\(last), \(given)) + 1" : "\(last) + 1"
    let places = (1...bound.count).map { "?\($0)" }
    var values = Dictionary(uniqueKeysWithValues: zip(bound, places))
    values[number] = next
    return """
      INSERT INTO \(name) (\(bound.joined(separator: ", ")), \(number), \(sum))
      VALUES (\(places.joined(separator: ", ")), \(next), \(sum(of: values))) \(ending)
      """
  }
}

extension Connection {
  /// Notes a row that does not fit, if the column of its `damage` says so.
  func noteDamage(_ row: Prepared, _ table: SummedTable, at column: Int32) -> Bool {
    guard let key = row.optionalText(column) else { return false }
    damaged.note(table.name, key)
    return true
  }

  /// - Parameters:
  ///   - column: of the row's `damage`; nil: it was selected with `SummedTable.whole`.
  ///   - what: what the row stands for, as a sentence begins.
  /// - Throws: the `BrumeError` for damage if the row does not fit.
  func requireWhole(
    _ row: Prepared, _ table: SummedTable, at column: Int32? = nil,
    _ what: @autoclosure () -> String
  ) throws {
    guard noteDamage(row, table, at: column ?? Int32(table.columns.count)) else { return }
    throw BrumeError.damaged(what())
  }

  /// The value of the first row, which was selected with `SummedTable.whole`.
  ///
  /// - Parameter what: what the row stands for, as a sentence begins.
  /// - Throws: the `BrumeError` for damage if the row does not fit.
  func firstWhole<Value>(
    _ sql: SQL, _ table: SummedTable, _ what: @autoclosure () -> String,
    _ bind: (Prepared) -> Void, _ value: (Prepared) throws -> Value
  ) throws -> Value? {
    try first(sql, bind) { row in
      try requireWhole(row, table, what())
      return try value(row)
    }
  }

  /// The values of rows, which were selected with `SummedTable.whole`. What does not fit is left out.
  ///
  /// - Parameter limit: so many values at most, however many rows are left out.
  func allWhole<Value>(
    _ sql: SQL, _ table: SummedTable, limit: Int = .max, _ bind: (Prepared) -> Void = { _ in },
    _ value: (Prepared) throws -> Value
  ) throws -> [Value] {
    var values: [Value] = []
    guard limit > 0 else { return values }
    try each(sql, bind) { row in
      if !noteDamage(row, table, at: Int32(table.columns.count)) { values.append(try value(row)) }
      return values.count < limit
    }
    return values
  }
}
