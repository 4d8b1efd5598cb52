// A zone's change feed in PostgreSQL: one range of one index. A deleted record is a row without content, so
// each name is there once, in its newest state.

import BrumeModel
import BrumeStorage

final class PostgresChanges: ChangeReading, Remembering {
  private struct PageKey: Hashable {
    let zone: ZoneKey
    let after: Int64
  }
  private struct Page {
    let changes: [StoredChange]
    /// Of the question.
    let limit: Int
    /// Whether nothing follows but for the limit.
    var isCut: Bool { changes.count < limit && bytes >= PostgresChanges.plannedBytes }
    private var bytes: Int { changes.reduce(0) { $0 + $1.byteCount } }
  }
  /// Ours: bytes that a planned page brings before anybody says how many are wanted.
  private static let plannedBytes = 2 << 20

  private let session: Session
  private let coder: RecordCoder
  private let places: Places
  private var pages: [PageKey: Page] = [:]

  init(_ session: Session, _ coder: RecordCoder, _ places: Places) {
    self.session = session
    self.coder = coder
    self.places = places
  }

  func page(
    in zone: ZoneKey, after: Int64, through: Int64, limit: Int, byteLimit: Int, newestFirst: Bool
  ) throws -> [StoredChange] {
    if !newestFirst, let page = pages[PageKey(zone: zone, after: after)], limit <= page.limit,
      !page.isCut || byteLimit <= Self.plannedBytes
    {
      return page.changes.prefix(limit).prefix { $0.sequence <= through }.fitting(byteLimit)
    }
    guard let values = try self.values(zone, after, through, limit, byteLimit) else { return [] }
    return try session.all(newestFirst ? Self.findNewest : Self.find, values) {
      change($0, Array(values.prefix(2)))
    }
  }

  func deletions(
    in zone: ZoneKey, after: Int64, through: Int64, limit: Int
  ) throws -> [StoredDeletion] {
    guard let number = try places.number(of: zone) else { return [] }
    let place = [places.bucketValue(of: zone.database), SQLValue.integer(number)]
    let range: [SQLValue] = [.integer(after), .integer(through), .integer(limit)]
    return try session.all(Self.findDeletions, place + range) { change($0, place) }.compactMap {
      if case .deleted(let gone) = $0 { gone } else { nil }
    }
  }

  func question(_ zone: ZoneKey, after: Int64, limit: Int) throws -> Question? {
    let key = PageKey(zone: zone, after: after)
    guard let values = try values(zone, after, .max, limit, Self.plannedBytes) else { return nil }
    return Question(Self.find, values) { [self] rows in
      pages[key] = Page(
        changes: rows.map { change($0, Array(values.prefix(2))) }, limit: limit)
    }
  }

  func forget() { pages = [:] }

  private func values(
    _ zone: ZoneKey, _ after: Int64, _ through: Int64, _ limit: Int, _ byteLimit: Int
  ) throws -> [SQLValue]? {
    try places.number(of: zone).map { number in
      [
        places.bucketValue(of: zone.database), .integer(number), .integer(after),
        .integer(through), .integer(limit), .integer(byteLimit),
      ]
    }
  }

  private func change(_ row: Row, _ zone: [SQLValue]) -> StoredChange {
    let columns = RecordColumns(row, from: 1, name: row.text(0), in: zone, session.damaged)
    if let live = columns.live(coder) { return .changed(live) }
    return .deleted(
      StoredDeletion(
        name: columns.name, type: columns.deletedType, coveringShares: columns.deletedShares,
        sequence: columns.sequence))
  }

  private static let find = SQL(page("ASC"))
  private static let findNewest = SQL(page("DESC"))
  private static let findDeletions = SQL(
    """
    SELECT name, \(RecordColumns.names) FROM records
    WHERE bucket + 0 = $1 AND zone + 0 = $2 AND sequence > $3 AND sequence <= $4 AND type IS NULL
    ORDER BY sequence LIMIT $5
    """)

  /// Rows until those before have as many bytes as are wanted. `bucket + 0` and `zone + 0`
  /// are what the feed's index holds: so no planner takes it for a look-up by name, whatever its statistics
  /// say.
  private static func page(_ order: String) -> String {
    """
    SELECT name, \(RecordColumns.names) FROM (
      SELECT name, \(RecordColumns.names),
        coalesce(sum(octet_length(content)) OVER (ORDER BY sequence \(order)
          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS bytes_before
      FROM (
        SELECT name, \(RecordColumns.names) FROM records
        WHERE bucket + 0 = $1 AND zone + 0 = $2 AND sequence > $3 AND sequence <= $4
        ORDER BY sequence \(order) LIMIT $5) AS page) AS counted
    WHERE bytes_before < $6 ORDER BY sequence \(order)
    """
  }
}

extension Collection<StoredChange> {
  /// Up to the one with which they have so many bytes.
  fileprivate func fitting(_ byteLimit: Int) -> [StoredChange] {
    var bytes = 0
    var fitting: [StoredChange] = []
    for change in self {
      fitting.append(change)
      bytes += change.byteCount
      if bytes >= byteLimit { break }
    }
    return fitting
  }
}
