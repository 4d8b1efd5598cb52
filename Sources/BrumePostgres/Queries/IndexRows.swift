// The statements of queries: rows of the index in one range, in one order, with the records that they lead to,
// a page at a time. Texts are put together from constant pieces; names and values are always parameters.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage

struct IndexRows: IndexRowReading {
  let session: Session
  let coder: RecordCoder
  let bucket: SQLValue
  /// Ours: rows that one exchange brings with their records.
  var pageSize = 256
  /// Of these records; the one that passes it is the last.
  var pageBytes = NamedRecords.pageBytes

  func nextSize(_ count: Int) -> Int { NamedRecords.nextSize(count, most: pageSize) }

  // MARK: In the order of names

  func each(
    _ rows: ZonePlan.Rows, after: String?, _ needs: RowNeeds, _ visit: (RecordRow) throws -> Bool
  ) throws {
    let found = NamedRows(isInOrder: rows.range.isEquality) { statement, after in
      "SELECT DISTINCT name FROM "
        + statement.names(ofKey: rows.key.id, in: rows.range, after: after)
    } zone: {
      Self.zone(ofKey: $0.add(.integer(rows.key.id)))
    }
    try each(found, after: after, needs, visit)
  }

  func each(
    ofType type: String, in zone: Int64, after: String?, _ needs: RowNeeds,
    _ visit: (RecordRow) throws -> Bool
  ) throws {
    let found = NamedRows(isInOrder: true) { statement, after in
      Self.names(ofType: type, in: zone, after: after, &statement)
    } zone: {
      $0.add(.integer(zone))
    }
    try each(found, after: after, needs, visit)
  }

  // EXCEPT reads each side once. A condition with a subquery looks through all rows of the key for each record
  // when there are too many to remember: the sessions join by look-ups only, and no index has names.
  func each(
    ofType type: String, in zone: Int64, without key: IndexKey, _ needs: RowNeeds,
    _ visit: (RecordRow) throws -> Bool
  ) throws {
    let found = NamedRows(isInOrder: false) { statement, after in
      let all = Self.names(ofType: type, in: zone, after: after, &statement)
      let (key, name) = (statement.add(.integer(key.id)), statement.add(.text(after)))
      return """
        \(all)
        EXCEPT SELECT name FROM query_index WHERE bucket = $1 AND key = \(key) AND name > \(name)
        """
    } zone: {
      $0.add(.integer(zone))
    }
    try each(found, after: nil, needs, visit)
  }

  private static func names(
    ofType type: String, in zone: Int64, after: String, _ statement: inout Statement
  ) -> String {
    let (zone, type) = (statement.add(.integer(zone)), statement.add(.text(type)))
    let name = statement.add(.text(after))
    return """
      SELECT name FROM records
      WHERE bucket = $1 AND zone = \(zone) AND type = \(type) AND name > \(name)
      """
  }

  // MARK: In the order of values

  func each(
    under key: IndexKey, _ range: ValueRange?, ascending: Bool, _ needs: RowNeeds,
    _ visit: (RecordRow, SortedValue) throws -> Bool
  ) throws {
    var after: (value: [UInt8], name: String)?
    var (left, size) = (needs.limit ?? .max, pageSize)
    while left > 0 {
      let limit = min(left, size)
      let statement = walk(key, range ?? .all, ascending, after, limit, needs)
      var isFull = false
      let rows = try session.all(statement.sql, statement.values) { row in
        isFull = self.isFull(row, needs, from: 2)
        return (row: candidate(row, needs, from: 2), value: row.bytes(1))
      }
      for row in rows {
        if try !visit(row.row, SortedValue(row.value, isText: key.kind.holdsText)) { return }
      }
      guard rows.count == limit || isFull, let last = rows.last else { return }
      after = (last.value, last.row.name)
      left -= rows.count
      size = nextSize(rows.count)
    }
  }

  private func walk(
    _ key: IndexKey, _ range: ValueRange, _ ascending: Bool,
    _ after: (value: [UInt8], name: String)?, _ limit: Int, _ needs: RowNeeds
  ) -> Statement {
    var statement = Statement(bucket)
    let number = statement.add(.integer(key.id))
    let condition = statement.add(range)
    var seen = ""
    if let after {
      let (value, name) = (statement.add(.bytes(after.value)), statement.add(.text(after.name)))
      seen =
        ascending
        ? "AND (value, name) > (\(value), \(name))"
        : "AND value <= \(value) AND (value < \(value) OR name > \(name))"
    }
    // The index has both in the same direction.
    let order = "value\(ascending ? "" : " DESC"), name"
    let rows = """
      SELECT name, value FROM \(condition.source)
      WHERE bucket = $1 AND key = \(number) AND \(condition.condition) \(seen)
      \(ascending ? "ORDER BY \(order)" : "")
      """
    return statement.page(
      of: rows, limit, bytes: pageBytes, zone: Self.zone(ofKey: number), needs, order: order,
      ties: ascending ? nil : "value DESC", more: ", value")
  }

  /// The zone whose records a key's rows lead to.
  private static func zone(ofKey key: String) -> String {
    "(SELECT zone FROM index_keys WHERE bucket = $1 AND id = \(key))"
  }

  // MARK: Looking up

  func holds(_ probe: ZonePlan.Rows, for name: String) throws -> Bool {
    guard case .equals(let value) = probe.range else { return false }
    return try session.exists(
      Self.probe,
      [bucket, .integer(probe.key.id), .bytes(value.orderedBytes), .text(name)])
  }

  func count(_ rows: ZonePlan.Rows, limit: Int) throws -> Int {
    var statement = Statement(bucket)
    let found = statement.names(ofKey: rows.key.id, in: rows.range)
    let most = statement.add(.integer(limit))
    statement.text = "SELECT count(*) FROM (SELECT 1 FROM \(found) LIMIT \(most)) AS found"
    return try session.first(statement.sql, statement.values) { Int($0.integer(0)) } ?? 0
  }

  /// Name, and from a later column on what was found of the record: its zone and the rest.
  func candidate(_ row: Row, _ needs: RowNeeds, from column: Int32) -> RecordRow {
    let name = row.text(0)
    guard needs.records, let zone = row.optionalInteger(column) else {
      return RecordRow(name: name, row: nil)
    }
    let columns = RecordColumns(
      row, from: column + 1, name: name, in: [bucket, .integer(zone)], session.damaged)
    guard let stored = columns.live(coder) else { return RecordRow(name: name, row: nil) }
    return RecordRow(
      name: name, row: nil, stored: stored, holdsProbes: !needs.probes.isEmpty)
  }

  /// Whether a page ends with the row because its records have enough bytes.
  func isFull(_ row: Row, _ needs: RowNeeds, from column: Int32) -> Bool {
    needs.records && row.integer(column + 1 + RecordColumns.count) > pageBytes
  }

  private static let probe = SQL(
    "SELECT 1 FROM query_index WHERE bucket = $1 AND key = $2 AND value = $3 AND name = $4")
}

extension SortedValue {
  /// From the bytes that sort: a number's first eight are a double whose sign was turned.
  fileprivate init(_ bytes: [UInt8], isText: Bool) {
    if isText {
      self = .text(String(decoding: bytes, as: UTF8.self))
    } else {
      let bits = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      self = .number(Double(bitPattern: bits >> 63 == 1 ? bits & ~(1 << 63) : ~bits))
    }
  }
}
