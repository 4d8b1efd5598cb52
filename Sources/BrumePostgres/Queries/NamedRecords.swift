// Records by their names, many in one exchange, and no more of them than their bytes allow.

import BrumeModel
import BrumeStorage

struct NamedRecords {
  /// Ours: bytes of records that one exchange brings, and one record more. A record has up to a megabyte.
  static let pageBytes = 8 << 20

  /// How many to ask for behind a page that had so many: what does not fit into its bytes is looked up for nothing.
  static func nextSize(_ count: Int, most: Int) -> Int { min(most, 2 * count) }

  let session: Session
  let coder: RecordCoder
  let bucket: SQLValue

  /// Those of the first names that are there, in the order of the names: all that together have no more bytes, and the
  /// next.
  ///
  /// - Parameter zone: the number of the zone, in SQL.
  /// - Returns: the records, and of how many names they are.
  func first(
    of names: [String], zone: (inout Statement) -> String, bytes: Int
  ) throws -> (records: [StoredRecord], names: Int) {
    var statement = Statement(bucket)
    let zone = zone(&statement)
    statement.addRecords(ofNames: names, zone: zone, bytes: bytes)
    var count = names.count
    let records = try session.all(statement.sql, statement.values) { row in
      if row.integer(Self.bytes) > bytes { count = Int(row.integer(Self.bytes + 1)) }
      return record(row)
    }
    return (records.compactMap { $0 }, count)
  }

  /// The column.
  private static let bytes = 2 + RecordColumns.count

  private func record(_ row: Row) -> StoredRecord? {
    let zone = [bucket, .integer(row.integer(1))]
    return RecordColumns(row, from: 2, name: row.text(0), in: zone, session.damaged).live(coder)
  }
}
