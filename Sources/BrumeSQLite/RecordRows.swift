// Rows of records as they are stored: how queries and readers get at them.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage

/// A record by its zone's number.
struct RecordRowKey: Hashable {
  let zone: Int64
  let name: String
}

struct RecordRows: RecordRowReading {
  private let connection: Connection
  private let coder: RecordCoder

  init(_ connection: Connection, _ coder: RecordCoder) {
    self.connection = connection
    self.coder = coder
  }

  /// The record as its bytes.
  func stored(_ rowKey: RecordRowKey) throws -> StoredRecord? {
    try connection.first(Self.findContent, { $0.bind(rowKey) }) { stored($0, rowKey) } ?? nil
  }

  /// The record as its bytes, by its row where that is known.
  func stored(_ row: RecordRow, in zone: Int64) throws -> StoredRecord? {
    let rowKey = RecordRowKey(zone: zone, name: row.name)
    guard let id = row.row else { return try stored(rowKey) }
    let bind: (Prepared) -> Void = {
      $0.bind(rowKey)
      $0.bind(3, id)
    }
    return try connection.first(Self.findContentOfRow, bind) { stored($0, rowKey) } ?? nil
  }

  /// Nil: it is deleted. What is damaged may have been deleted too.
  private func stored(_ row: Prepared, _ rowKey: RecordRowKey) -> StoredRecord? {
    guard row.bool(3) else {
      connection.noteDamage(rowKey)
      return StoredRecord(damaged: rowKey.name, sequence: row.int(1))
    }
    if row.isNull(0) { return nil }
    return StoredRecord(
      name: rowKey.name, type: row.text(0), sequence: row.int(1),
      content: .encoded(row.blob(2), coder))
  }

  private static let columns =
    "type, sequence, content, \(SummedTable.records.fits(at: ["zone": "?1", "name": "?2"]))"
  private static let findContent = SQL(
    "SELECT \(columns) FROM records WHERE zone = ?1 AND name = ?2")
  private static let findContentOfRow = SQL("SELECT \(columns) FROM records WHERE id = ?3")
}

extension Connection {
  func noteDamage(_ rowKey: RecordRowKey) {
    damaged.note("records", "'\(rowKey.name)' in zone number \(rowKey.zone)")
  }
}

extension Prepared {
  func bind(_ rowKey: RecordRowKey) {
    bind(1, rowKey.zone)
    bind(2, rowKey.name)
  }
}
