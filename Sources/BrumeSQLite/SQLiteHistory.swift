// The history of deliveries in SQLite. Rows come at the end and go at the front.

import BrumeModel
import BrumeStorage

final class SQLiteHistory: HistoryWriting {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  func lastDelivery(in bucket: Bucket) throws -> Int64 {
    try connection.first(Self.findLast) { $0.int(0) } ?? 0
  }

  /// Without rows that are damaged, here and below.
  func served(at position: Int64, in bucket: Bucket) throws -> [ServedChange] {
    try connection.allWhole(Self.findAt, .servedChanges, { $0.bind(1, position) }) {
      $0.servedChange
    }
  }

  func served(after delivery: Int64, in bucket: Bucket, limit: Int) throws -> [ServedChange] {
    try connection.allWhole(
      Self.findAfter, .servedChanges, limit: limit, { $0.bind(1, delivery) }
    ) { $0.servedChange }
  }

  func append(_ served: [ServedChange], in bucket: Bucket) throws {
    for change in served {
      try connection.run(Self.add) {
        $0.bind(1, change.last)
        $0.bind(2, change.position)
        $0.bind(3, change.generation)
        $0.bind(4, change.time)
        $0.bind(5, change.deliveries)
        $0.bind(6, change.bytes)
      }
    }
  }

  func trim(in bucket: Bucket, through delivery: Int64) throws {
    try connection.run(Self.trim) { $0.bind(1, delivery) }
  }

  func trim(in bucket: Bucket, before time: Milliseconds, rows: Int) throws {
    try connection.run(Self.trimOld) {
      $0.bind(1, time)
      $0.bind(2, max(0, rows))
    }
  }

  private static let columns = SummedTable.servedChanges.whole
  private static let findLast = SQL("SELECT last FROM served_changes ORDER BY last DESC LIMIT 1")
  private static let findAt = SQL(
    "SELECT \(columns) FROM served_changes WHERE position = ?1 ORDER BY last")
  private static let findAfter = SQL(
    "SELECT \(columns) FROM served_changes WHERE last > ?1 ORDER BY last")
  private static let add = SQL(SummedTable.servedChanges.replace)
  private static let trim = SQL("DELETE FROM served_changes WHERE last <= ?1")
  private static let trimOld = SQL(
    """
    DELETE FROM served_changes WHERE last <= (
      SELECT max(last) FROM (SELECT last, time FROM served_changes ORDER BY last LIMIT ?2)
      WHERE time < ?1)
    """)
}

extension Prepared {
  fileprivate var servedChange: ServedChange {
    ServedChange(
      last: int(0), position: int(1), generation: int(2), time: int(3),
      deliveries: Int(clamping: int(4)), bytes: blob(5))
  }
}
