// A statement that is put together for a query: its text has some hundred forms, whatever a client asks for, and each
// is prepared once.

import BrumeQueryPlan
import Synchronization

struct Statement {
  var text = ""
  private(set) var values: [SQLValue]
  private static let known = Mutex<[String: SQL]>([:])

  /// - Parameter bucket: the first parameter.
  init(_ bucket: SQLValue) { values = [bucket] }

  /// The text, the same object for the same text.
  var sql: SQL {
    Self.known.withLock { known in
      if let sql = known[text] { return sql }
      let sql = SQL(text, isOfQuery: true)
      known[text] = sql
      return sql
    }
  }

  /// Adds a parameter and answers its place.
  mutating func add(_ value: SQLValue) -> String {
    values.append(value)
    return "$\(values.count)"
  }

  /// Adds a range. Answers where the rows come from and the condition on `value`.
  mutating func add(_ range: ValueRange) -> (source: String, condition: String) {
    switch range {
    case .equals(let value): ("query_index", "value = \(add(.bytes(value.orderedBytes)))")
    case .oneOf(let values): ("query_index", "value = ANY (\(add(values)))")
    case .between(let lower, let upper): ("query_index", between(lower, upper))
    case .within(let ranges): within(ranges)
    }
  }

  private mutating func between(_ lower: ValueRange.Bound?, _ upper: ValueRange.Bound?) -> String {
    var conditions: [String] = []
    if let lower {
      let value = add(.bytes(lower.value.orderedBytes))
      conditions.append("value \(lower.isIncluded ? ">=" : ">") \(value)")
    }
    if let upper {
      let value = add(.bytes(upper.value.orderedBytes))
      conditions.append("value \(upper.isIncluded ? "<=" : "<") \(value)")
    }
    return conditions.isEmpty ? "true" : conditions.joined(separator: " AND ")
  }

  private mutating func within(
    _ ranges: [ClosedRange<Int64>]
  ) -> (source: String, condition: String) {
    let (low, high) = add(ranges)
    return (
      "unnest(\(low), \(high)) AS ranges (low, high) CROSS JOIN query_index",
      "value BETWEEN low AND high"
    )
  }

  /// The names under a key in a range, in any order, and those behind one: what stands behind FROM. Each of many values is
  /// looked up by itself; OFFSET 0 keeps a planner without statistics from comparing all rows of the key with each.
  mutating func names(ofKey key: Int64, in range: ValueRange, after name: String? = nil) -> String {
    var rows = "query_index WHERE bucket = $1 AND key = \(add(.integer(key)))"
    if let name { rows += " AND name > \(add(.text(name)))" }
    func looked(_ condition: String) -> String {
      "CROSS JOIN LATERAL (SELECT name FROM \(rows) AND \(condition) OFFSET 0) AS looked"
    }
    switch range {
    case .equals, .between: return "\(rows) AND \(add(range).condition)"
    case .oneOf(let values):
      return "unnest(\(add(values))) AS wanted (one) \(looked("value = one"))"
    case .within(let ranges):
      let (low, high) = add(ranges)
      let condition = "value BETWEEN low AND high"
      return "unnest(\(low), \(high)) AS wanted (low, high) \(looked(condition))"
    }
  }

  private mutating func add(_ ranges: [ClosedRange<Int64>]) -> (low: String, high: String) {
    (add(ranges.map { .int($0.lowerBound) }), add(ranges.map { .int($0.upperBound) }))
  }

  private mutating func add(_ values: [IndexValue]) -> String {
    add(.array(.bytes, values.map { .bytes($0.orderedBytes) })) + "::bytea[]"
  }

  // MARK: Pages

  /// The first rows in name order.
  func pageByName(
    of names: String, _ limit: Int, bytes: Int, zone: String, _ needs: RowNeeds
  ) -> Statement {
    page(
      of: names + " ORDER BY name", limit, bytes: bytes, zone: zone, needs, order: "name", more: "")
  }

  /// The first rows, with their records if they are needed, and without those for which a probe does not
  /// hold. With records they end with the one with which they have more bytes, and the last column is how many bytes
  /// they have up to there.
  ///
  /// - Parameters:
  ///   - zone: of the records, in SQL.
  ///   - ties: the beginning of the order, if an index has the rows in this: a planner without statistics would take all
  ///     of them to sort them. Nil: rows come in their order.
  func page(
    of rows: String, _ limit: Int, bytes: Int, zone: String, _ needs: RowNeeds, order: String,
    ties: String? = nil, more: String
  ) -> Statement {
    var page = self
    let most = page.add(.integer(limit))
    var first = "SELECT * FROM (\(rows)) AS rows\(page.probes(needs.probes))"
    if let ties {
      first += " ORDER BY \(ties) FETCH FIRST (\(most)) ROWS WITH TIES"
      first = "SELECT * FROM (\(first)) AS tied"
    }
    let found = "(\(first) ORDER BY \(order) LIMIT \(most)) AS found"
    guard needs.records else {
      page.text = "SELECT name\(more) FROM \(found) ORDER BY \(order)"
      return page
    }
    let all = """
      SELECT found.name\(more), record.*, \(Self.bytes(upTo: order)) AS bytes FROM \(found)
        LEFT JOIN LATERAL (\(Self.record(zone))) AS record ON true
      """
    page.text = """
      SELECT name\(more), zone, \(RecordColumns.names), bytes FROM (\(all)) AS page
      WHERE \(Self.bytesBefore) <= \(page.add(.integer(bytes))) ORDER BY \(order)
      """
    return page
  }

  /// The records of names, in the order of the names; those that are not there are left out. They end with the one
  /// with which they have more bytes.
  mutating func addRecords(ofNames names: [String], zone: String, bytes: Int) {
    let (list, most) = (add(.texts(names)), add(.integer(bytes)))
    let all = """
      SELECT found.name, found.number, record.*, \(Self.bytes(upTo: "number")) AS bytes
      FROM unnest(\(list)::text[]) WITH ORDINALITY AS found (name, number)
        CROSS JOIN LATERAL (\(Self.record(zone))) AS record
      """
    text = """
      SELECT name, zone, \(RecordColumns.names), bytes, number FROM (\(all)) AS page
      WHERE \(Self.bytesBefore) <= \(most) ORDER BY number
      """
  }

  private static func record(_ zone: String) -> String {
    """
    SELECT zone, \(RecordColumns.names) FROM records WHERE bucket = $1 AND zone = \(zone)
      AND records.name = found.name OFFSET 0
    """
  }

  /// The size of a content is known without reading it.
  private static func bytes(upTo order: String) -> String {
    "coalesce(sum(octet_length(content)) OVER (ORDER BY \(order) ROWS UNBOUNDED PRECEDING), 0)::bigint"
  }
  private static let bytesBefore = "bytes - coalesce(octet_length(content), 0)"

  // OFFSET 0 keeps the planner from a join, for which it would read all rows with the value once for each name.
  private mutating func probes(_ probes: [ZonePlan.Rows]) -> String {
    let conditions = probes.compactMap { probe -> String? in
      guard case .equals(let value) = probe.range else { return nil }
      let (key, bytes) = (add(.integer(probe.key.id)), add(.bytes(value.orderedBytes)))
      return """
        EXISTS (SELECT 1 FROM query_index AS other WHERE other.bucket = $1 AND other.key = \(key)
          AND other.value = \(bytes) AND other.name = rows.name OFFSET 0)
        """
    }
    return conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
  }
}
