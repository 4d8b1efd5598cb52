// The statements of queries: rows of the index in one range, in one order. Their text is put
// together from constant pieces; names and values are always parameters. A limit of nil is none. Rows bring
// no records along: here a statement costs little, and rows of the index are read without those of records.

import BrumeQueryPlan
import BrumeStorage

struct IndexRows: IndexRowReading {
  let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  func each(
    _ rows: ZonePlan.Rows, after: String?, _ needs: RowNeeds, _ visit: (RecordRow) throws -> Bool
  ) throws {
    let text = """
      SELECT DISTINCT name, row FROM \(rows.range.source)
      WHERE key = ?1 AND \(rows.range.sql)\(after == nil ? "" : " AND name > ?")
      ORDER BY name LIMIT ?
      """
    let bind: (Prepared) -> Void = {
      var index = $0.bind(rows)
      if let after {
        $0.bind(index, after)
        index += 1
      }
      $0.bind(index, needs.limit ?? -1)
    }
    try connection.each(composed: text, bind) { try visit(RecordRow($0)) }
  }

  func each(
    ofType type: String, in zone: Int64, after: String?, _ needs: RowNeeds,
    _ visit: (RecordRow) throws -> Bool
  ) throws {
    let bind: (Prepared) -> Void = {
      $0.bind(1, zone)
      $0.bind(2, type)
      $0.bind(3, after ?? "")
      $0.bind(4, needs.limit ?? -1)
    }
    try connection.each(Self.rowsOfType, bind) { try visit(RecordRow($0)) }
  }

  func each(
    under key: IndexKey, _ range: ValueRange?, ascending: Bool, _ needs: RowNeeds,
    _ visit: (RecordRow, SortedValue) throws -> Bool
  ) throws {
    let text = """
      SELECT name, row, value FROM query_index WHERE key = ?\(range.map { " AND " + $0.sql } ?? "")
      ORDER BY value\(ascending ? "" : " DESC"), name LIMIT ?
      """
    let bind: (Prepared) -> Void = { statement in
      statement.bind(1, key.id)
      statement.bind(range.map { statement.bind($0, from: 2) } ?? 2, needs.limit ?? -1)
    }
    try connection.each(composed: text, bind) {
      try visit(RecordRow($0), SortedValue($0, column: 2, isText: key.kind.holdsText))
    }
  }

  func each(
    ofType type: String, in zone: Int64, without key: IndexKey, _ needs: RowNeeds,
    _ visit: (RecordRow) throws -> Bool
  ) throws {
    let bind: (Prepared) -> Void = {
      $0.bind(1, zone)
      $0.bind(2, type)
      $0.bind(3, key.id)
    }
    try connection.each(Self.rowsWithout, bind) { try visit(RecordRow($0)) }
  }

  func holds(_ probe: ZonePlan.Rows, for name: String) throws -> Bool {
    guard case .equals(let value) = probe.range else { return false }
    return try connection.exists(Self.probe) {
      $0.bind(1, probe.key.id)
      $0.bind(2, value)
      $0.bind(3, name)
    }
  }

  func count(_ rows: ZonePlan.Rows, limit: Int) throws -> Int {
    let text = """
      SELECT count(*) FROM
      (SELECT 1 FROM \(rows.range.source) WHERE key = ?1 AND \(rows.range.sql) LIMIT ?)
      """
    var count = 0
    try connection.each(composed: text, { $0.bind($0.bind(rows), limit) }) { row in
      count = Int(row.int(0))
      return false
    }
    return count
  }

  private static let rowsOfType = SQL(
    """
    SELECT name, id FROM records
    WHERE zone = ?1 AND type = ?2 AND name > ?3 ORDER BY name LIMIT ?4
    """)
  private static let rowsWithout = SQL(
    """
    SELECT name, id FROM records WHERE zone = ?1 AND type = ?2
      AND name NOT IN (SELECT name FROM query_index WHERE key = ?3)
    ORDER BY name
    """)
  private static let probe = SQL(
    "SELECT 1 FROM query_index WHERE key = ?1 AND value = ?2 AND name = ?3")
}

extension RecordRow {
  /// From the first two columns.
  fileprivate init(_ row: Prepared) { self.init(name: row.text(0), row: row.int(1)) }
}

extension ValueRange {
  /// Where the rows come from. With several ranges each is looked up by itself: as a condition with
  /// OR it would make SQLite read all rows of the key. Parameters are numbered from 2.
  fileprivate var source: String {
    guard case .within(let ranges) = self else { return "query_index" }
    let pairs = padded(ranges).indices.map { "(?\(2 * $0 + 2), ?\(2 * $0 + 3))" }
    return "(VALUES \(pairs.joined(separator: ", "))) AS ranges CROSS JOIN query_index"
  }

  /// The range as a condition on `value`. Lists of values have a length that is a power of two, so
  /// that few texts are prepared.
  fileprivate var sql: String {
    switch self {
    case .equals: "value = ?"
    case .oneOf(let values):
      "value IN (?" + String(repeating: ", ?", count: padded(values).count - 1) + ")"
    case .within: "value BETWEEN ranges.column1 AND ranges.column2"
    case .between(nil, nil): "1"
    case .between(let lower, let upper):
      [
        lower.map { $0.isIncluded ? "value >= ?" : "value > ?" },
        upper.map { $0.isIncluded ? "value <= ?" : "value < ?" },
      ].compactMap { $0 }.joined(separator: " AND ")
    }
  }

  fileprivate var parameters: [IndexValue] {
    switch self {
    case .equals(let value): [value]
    case .oneOf(let values): padded(values)
    case .between(let lower, let upper): [lower, upper].compactMap { $0?.value }
    case .within(let ranges):
      padded(ranges).flatMap { [.int($0.lowerBound), .int($0.upperBound)] }
    }
  }

  /// Names are distinguished, so a value or range may be there twice.
  private func padded<Value>(_ values: [Value]) -> [Value] {
    var count = 1
    while count < values.count { count *= 2 }
    return values + Array(repeating: values[0], count: count - values.count)
  }
}

extension Prepared {
  /// Answers the next parameter's index.
  fileprivate func bind(_ rows: ZonePlan.Rows) -> Int32 {
    bind(1, rows.key.id)
    return bind(rows.range, from: 2)
  }

  fileprivate func bind(_ range: ValueRange, from start: Int32) -> Int32 {
    var index = start
    for value in range.parameters {
      bind(index, value)
      index += 1
    }
    return index
  }
}

extension SortedValue {
  fileprivate init(_ row: Prepared, column: Int32, isText: Bool) {
    self = isText ? .text(row.text(column)) : .number(row.double(column))
  }
}
