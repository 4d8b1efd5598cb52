// Rows of records as they are stored.

import BrumeModel
import BrumeStorage

/// What there is under a record's name.
enum RecordState {
  case live(StoredRecord)
  case deleted(DeletedRecord)
  /// There never was anything, or nothing is known any more.
  case none

  var live: StoredRecord? { if case .live(let stored) = self { stored } else { nil } }
}

struct RecordRows {
  private let session: Session
  private let coder: RecordCoder

  init(_ session: Session, _ coder: RecordCoder) {
    self.session = session
    self.coder = coder
  }

  func row(_ zone: [SQLValue], _ name: String) throws -> RecordState {
    try session.first(Self.find, zone + [.texts([name])]) { state($0, zone) } ?? .none
  }

  /// Rows of many names in one zone.
  func question(
    _ zone: [SQLValue], _ names: [String], _ take: @escaping (String, RecordState) -> Void
  ) -> Question {
    Question(Self.find, zone + [.texts(names)]) { rows in
      for (name, row) in rows.map({ ($0.text(0), state($0, zone)) }) { take(name, row) }
    }
  }

  private func state(_ row: Row, _ zone: [SQLValue]) -> RecordState {
    RecordColumns(row, from: 1, name: row.text(0), in: zone, session.damaged).state(coder)
  }

  // OFFSET 0 keeps the planner from turning the look-ups into a scan of the bucket.
  private static let find = SQL(
    """
    SELECT wanted.name, found.* FROM unnest($3::text[]) AS wanted (name)
      CROSS JOIN LATERAL (
        SELECT \(RecordColumns.names) FROM records
        WHERE bucket = $1 AND zone = $2 AND records.name = wanted.name OFFSET 0) AS found
    """)
}
