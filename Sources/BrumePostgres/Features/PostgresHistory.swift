// The history of deliveries in PostgreSQL. A bucket's rows are written under its notifier's lease.

import BrumeModel
import BrumeStorage

final class PostgresHistory: HistoryWriting {
  private let session: Session

  init(_ session: Session) { self.session = session }

  func lastDelivery(in bucket: Bucket) throws -> Int64 {
    try session.first(Self.findLast, [.integer(bucket.number)]) { $0.integer(0) } ?? 0
  }

  func served(at position: Int64, in bucket: Bucket) throws -> [ServedChange] {
    try session.all(Self.findAt, [.integer(bucket.number), .integer(position)]) {
      $0.servedChange
    }
  }

  func served(after delivery: Int64, in bucket: Bucket, limit: Int) throws -> [ServedChange] {
    try session.all(
      Self.findAfter, [.integer(bucket.number), .integer(delivery), .integer(max(0, limit))]
    ) { $0.servedChange }
  }

  func append(_ served: [ServedChange], in bucket: Bucket) throws {
    for change in served {
      session.put(
        [
          .integer(bucket.number), .integer(change.last), .integer(change.position),
          .integer(change.generation), .integer(change.time), .integer(change.deliveries),
          .bytes(change.bytes),
        ], in: Self.table)
    }
  }

  func trim(in bucket: Bucket, through delivery: Int64) throws {
    session.run(Self.trim, [.integer(bucket.number), .integer(delivery)])
  }

  func trim(in bucket: Bucket, before time: Milliseconds, rows: Int) throws {
    session.run(
      Self.trimOld, [.integer(bucket.number), .integer(time), .integer(max(0, rows))])
  }

  private static let table = Table(
    "served_changes", key: [("bucket", .integer), ("last", .integer)],
    columns: [
      ("position", .integer), ("generation", .integer), ("time", .integer),
      ("deliveries", .integer), ("bytes", .bytes),
    ])
  private static let columns = "last, position, generation, time, deliveries, bytes"
  private static let findLast = SQL(
    "SELECT last FROM served_changes WHERE bucket = $1 ORDER BY last DESC LIMIT 1")
  private static let findAt = SQL(
    """
    SELECT \(columns) FROM served_changes WHERE bucket = $1 AND position = $2 ORDER BY last
    """)
  private static let findAfter = SQL(
    """
    SELECT \(columns) FROM served_changes WHERE bucket = $1 AND last > $2 ORDER BY last LIMIT $3
    """)
  private static let trim = SQL("DELETE FROM served_changes WHERE bucket = $1 AND last <= $2")
  private static let trimOld = SQL(
    """
    DELETE FROM served_changes WHERE bucket = $1 AND last <= (
      SELECT max(last) FROM (
        SELECT last, time FROM served_changes WHERE bucket = $1 ORDER BY last LIMIT $3) AS oldest
      WHERE time < $2)
    """)
}

extension Row {
  fileprivate var servedChange: ServedChange {
    ServedChange(
      last: integer(0), position: integer(1), generation: integer(2), time: integer(3),
      deliveries: Int(clamping: integer(4)), bytes: bytes(5))
  }
}
