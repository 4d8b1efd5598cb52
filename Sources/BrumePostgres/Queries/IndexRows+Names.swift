// Rows in the order of their names, with their records. What an index has in another order is sorted, all of it,
// for whoever wants its first names: so after the first page many names are read at once, and then their records.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage

extension IndexRows {
  /// A statement that finds names.
  struct NamedRows {
    /// Whether the first names are found without a look at the rest.
    let isInOrder: Bool
    /// The names behind one, in any order, in SQL.
    let names: (inout Statement, _ after: String) -> String
    /// The number of the zone that has the records, in SQL.
    let zone: (inout Statement) -> String
  }

  /// Ours: how many times as many names are read the next time.
  private static let growth = 16
  /// Ours: names that are read at once, in pages.
  private static let mostPages = 256

  /// Page after page until there are no more, or enough, or `visit` answers false.
  func each(
    _ found: NamedRows, after: String?, _ needs: RowNeeds, _ visit: (RecordRow) throws -> Bool
  ) throws {
    var (after, left, size) = (after ?? "", needs.limit ?? .max, pageSize)
    while left > 0 {
      let limit = min(left, size)
      let isBare = needs.records && size > pageSize
      let (rows, isFull) = try page(of: found, after, limit, isBare ? needs.ofNames : needs)
      let goesOn = try visitAll(rows, of: found, isBare ? needs : nil, visit)
      guard goesOn, rows.count == limit || isFull, let last = rows.last else { return }
      after = last.name
      left -= rows.count
      size =
        found.isInOrder
        ? nextSize(rows.count) : min(size * Self.growth, pageSize * Self.mostPages)
    }
  }

  private func page(
    of found: NamedRows, _ after: String, _ limit: Int, _ needs: RowNeeds
  ) throws -> (rows: [RecordRow], isFull: Bool) {
    var statement = Statement(bucket)
    let names = found.names(&statement, after)
    let zone = needs.records ? found.zone(&statement) : ""
    let page = statement.pageByName(of: names, limit, bytes: pageBytes, zone: zone, needs)
    var isFull = false
    let rows = try session.all(page.sql, page.values) { row in
      isFull = self.isFull(row, needs, from: 1)
      return candidate(row, needs, from: 1)
    }
    return (rows, isFull)
  }

  /// Answers whether to go on.
  ///
  /// - Parameter missing: what the rows must still be fetched with; nil: nothing.
  private func visitAll(
    _ rows: [RecordRow], of found: NamedRows, _ missing: RowNeeds?,
    _ visit: (RecordRow) throws -> Bool
  ) throws -> Bool {
    guard let missing else { return try rows.allSatisfy(visit) }
    let records = NamedRecords(session: session, coder: coder, bucket: bucket)
    var (left, size) = (rows[...], pageSize)
    while !left.isEmpty {
      let page = try records.first(
        of: left.prefix(size).map(\.name), zone: found.zone, bytes: pageBytes)
      left = left.dropFirst(page.names)
      size = nextSize(page.names)
      for stored in page.records {
        let row = RecordRow(
          name: stored.name, row: nil, stored: stored, holdsProbes: !missing.probes.isEmpty)
        if try !visit(row) { return false }
      }
    }
    return true
  }
}

extension RowNeeds {
  /// The same rows, without their records.
  fileprivate var ofNames: RowNeeds { RowNeeds(limit: limit, records: false, probes: probes) }
}
