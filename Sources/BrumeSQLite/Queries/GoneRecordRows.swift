// Records whose rows of the query index go later: the table `gone_records`. What they are for: `GoneRecord`.

import BrumeModel
import BrumeQueryPlan

struct GoneRecordRows: GoneRecordStoring {
  private let connection: Connection
  private let coder: RecordCoder

  init(_ connection: Connection, _ coder: RecordCoder) {
    self.connection = connection
    self.coder = coder
  }

  func add(_ record: Record, row: Int64, of type: RecordTypeRowKey) throws {
    try connection.run(Self.add) {
      $0.bind(type)
      $0.bind(3, row)
      $0.bind(4, coder.encode(record))
    }
  }

  /// Of one that is damaged nobody knows which rows it has, so that the type stays as it is, and its records are
  /// evaluated.
  func first(of type: RecordTypeRowKey) throws -> GoneRecord? {
    try connection.first(Self.first, { $0.bind(type) }) { row in
      try connection.requireWhole(
        row, .goneRecords, "what the index held of a record of type '\(NameRules.shown(type.type))'"
      )
      return GoneRecord(
        id: row.int(4), record: try coder.decode(row.blob(3)), row: row.int(2),
        now: try row.optionalBlob(6).map { try coder.decode($0) })
    }
  }

  func remove(_ id: Int64) throws { try connection.run(Self.remove) { $0.bind(1, id) } }

  func removeAll(ofZone zone: Int64) throws {
    try connection.run(Self.removeAll) { $0.bind(1, zone) }
  }

  private static let add = SQL(SummedTable.goneRecords.insertNext())
  /// The record as it is now stands behind, if it is whole.
  private static let first = SQL(
    """
    SELECT \(SummedTable.goneRecords.whole),
      (SELECT content FROM records WHERE records.id = gone_records.row
        AND records.zone = gone_records.zone AND \(SummedTable.records.fits("records")))
    FROM gone_records WHERE zone = ?1 AND type = ?2 ORDER BY id LIMIT 1
    """)
  private static let remove = SQL("DELETE FROM gone_records WHERE id = ?1")
  private static let removeAll = SQL("DELETE FROM gone_records WHERE zone = ?1")
}
