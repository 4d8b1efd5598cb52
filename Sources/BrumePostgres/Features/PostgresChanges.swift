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
    let rows: [Row]
    /// Of the question.
    let limit: Int
  }

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
    guard let values = try self.values(zone, after, through, limit) else { return [] }
    let place = Array(values.prefix(2))
    let rows: [Row]
    if !newestFirst, let page = pages[PageKey(zone: zone, after: after)], limit <= page.limit {
      rows = page.rows.prefix(limit).filter { $0.integer(Self.sequence) <= through }
    } else {
      rows = try session.all(newestFirst ? Self.findNewest : Self.find, values) { $0 }
    }
    let wanted = rows.fitting(byteLimit)
    let large = try contents(of: wanted.filter { $0.bytesOfContent > Self.smallBytes }, place)
    return wanted.map { change($0, place, large[ByteText($0.text(0))]) }
  }

  func deletions(
    in zone: ZoneKey, after: Int64, through: Int64, limit: Int
  ) throws -> [StoredDeletion] {
    guard let number = try places.number(of: zone) else { return [] }
    let place = places.values(number, in: zone.database)
    let range: [SQLValue] = [.integer(after), .integer(through), .integer(limit)]
    return try session.all(Self.findDeletions, place + range) { change($0, place) }.compactMap {
      if case .deleted(let gone) = $0 { gone } else { nil }
    }
  }

  func question(_ zone: ZoneKey, after: Int64, limit: Int) throws -> Question? {
    let key = PageKey(zone: zone, after: after)
    guard let values = try values(zone, after, .max, limit) else { return nil }
    return Question(Self.find, values) { [self] rows in
      pages[key] = Page(rows: rows.map { $0 }, limit: limit)
    }
  }

  func forget() { pages = [:] }

  private func values(
    _ zone: ZoneKey, _ after: Int64, _ through: Int64, _ limit: Int
  ) throws -> [SQLValue]? {
    guard let number = try places.number(of: zone) else { return nil }
    let range: [SQLValue] = [.integer(after), .integer(through), .integer(limit)]
    return places.values(number, in: zone.database) + range
  }

  /// By name, the rows whose content is too large to be part of a page before it is known to be wanted.
  private func contents(of rows: [Row], _ zone: [SQLValue]) throws -> [ByteText: Row] {
    if rows.isEmpty { return [:] }
    let sequences = rows.map { SQLValue.integer($0.integer(Self.sequence)) }
    let found = try session.all(Self.findContents, zone + [.array(.integer, sequences)]) {
      (ByteText($0.text(0)), $0)
    }
    // One that is damaged may have the sequence of another: then both come for each.
    return Dictionary(found) { first, _ in first }
  }

  private func change(_ row: Row, _ zone: [SQLValue], _ large: Row? = nil) -> StoredChange {
    let columns = RecordColumns(
      row, from: 1, name: row.text(0), in: zone, session.damaged, content: large.map { ($0, 1) })
    if let live = columns.live(coder) { return .changed(live) }
    return .deleted(
      StoredDeletion(
        name: columns.name, type: columns.deletedType, coveringShares: columns.deletedShares,
        sequence: columns.sequence))
  }

  /// Ours: bytes of a content that a page brings at once. So a page has 2 MB at most before it is known what of it
  /// the answer has room for.
  private static let smallBytes = 8 << 10
  /// Columns of a page.
  private static let sequence: Int32 = 5
  fileprivate static let bytesOfContent: Int32 = 9

  private static let find = SQL(page("ASC"))
  private static let findNewest = SQL(page("DESC"))
  /// Each by itself: with `= ANY` a planner without statistics reads the whole feed and compares each row.
  private static let findContents = SQL(
    """
    SELECT found.* FROM unnest($3::bigint[]) AS wanted (one) CROSS JOIN LATERAL (
      SELECT name, content FROM records
      WHERE bucket + 0 = $1 AND zone + 0 = $2 AND sequence = one OFFSET 0) AS found
    """)
  private static let findDeletions = SQL(
    """
    SELECT name, \(RecordColumns.names) FROM records
    WHERE bucket + 0 = $1 AND zone + 0 = $2 AND sequence > $3 AND sequence <= $4 AND type IS NULL
    ORDER BY sequence LIMIT $5
    """)

  /// The size of a content is known without reading it. `bucket + 0` and `zone + 0` are what the feed's index
  /// holds: so no planner takes it for a look-up by name, whatever its statistics say.
  private static func page(_ order: String) -> String {
    """
    SELECT name, \(RecordColumns.names(contentUpTo: "\(smallBytes)")), octet_length(content)::bigint FROM records
    WHERE bucket + 0 = $1 AND zone + 0 = $2 AND sequence > $3 AND sequence <= $4
    ORDER BY sequence \(order) LIMIT $5
    """
  }
}

extension Row {
  /// Of a page's record; 0 if it is deleted.
  fileprivate var bytesOfContent: Int { Int(integer(PostgresChanges.bytesOfContent)) }
}

extension [Row] {
  /// Up to the one with which a page's records have so many bytes.
  fileprivate func fitting(_ byteLimit: Int) -> ArraySlice<Row> {
    var bytes = 0
    let end = firstIndex { row in
      bytes += row.bytesOfContent
      return bytes >= byteLimit
    }
    return end.map { self[...$0] } ?? self[...]
  }
}
