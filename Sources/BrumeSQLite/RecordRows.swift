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
    try connection.first(Self.findContent, { $0.bind(rowKey) }) { row in
      StoredRecord(
        name: rowKey.name, type: row.text(0), sequence: row.int(1),
        content: .encoded(row.blob(2), coder))
    }
  }

  /// The record as its bytes, by its row where that is known.
  func stored(_ row: RecordRow, in zone: Int64) throws -> StoredRecord? {
    guard let id = row.row else {
      return try stored(RecordRowKey(zone: zone, name: row.name))
    }
    return try connection.first(Self.findContentOfRow, { $0.bind(1, id) }) {
      StoredRecord(
        name: row.name, type: $0.text(0), sequence: $0.int(1),
        content: .encoded($0.blob(2), coder))
    }
  }

  private static let findContent = SQL(
    """
    SELECT type, sequence, content FROM records
    WHERE zone = ?1 AND name = ?2 AND type IS NOT NULL
    """)
  private static let findContentOfRow = SQL(
    "SELECT type, sequence, content FROM records WHERE id = ?1 AND type IS NOT NULL")
}

extension Prepared {
  func bind(_ rowKey: RecordRowKey) {
    bind(1, rowKey.zone)
    bind(2, rowKey.name)
  }
}
