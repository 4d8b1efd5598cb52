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
    try session.first(Self.find, zone + [.text(name)]) { state($0, zone, name) } ?? .none
  }

  /// Those of many names are asked together.
  ///
  /// - Parameters:
  ///   - bytes: of a content that comes with the row.
  ///   - take: gets nil for a record whose content is larger, with its bytes; nothing if there is no row.
  func question(
    _ zone: [SQLValue], _ name: String, contentUpTo bytes: Int,
    _ take: @escaping (RecordState?, Int64) -> Void
  ) -> Question {
    Question(Self.findPlanned, zone + [.text(name), .integer(bytes)]) { rows in
      guard let row = rows.first else { return }
      let isTooLarge = RecordColumns.isWithoutContent(row)
      take(isTooLarge ? nil : state(row, zone, name), row.integer(RecordColumns.count))
    }
  }

  private func state(_ row: Row, _ zone: [SQLValue], _ name: String) -> RecordState {
    RecordColumns(row, from: 0, name: name, in: zone, session.damaged).state(coder)
  }

  private static let find = SQL(
    "SELECT \(RecordColumns.names) FROM records WHERE bucket = $1 AND zone = $2 AND name = $3")
  private static let findPlanned = SQL(
    """
    SELECT \(RecordColumns.names(contentUpTo: "$4::bigint")), octet_length(content)::bigint
    FROM records WHERE bucket = $1 AND zone = $2 AND name = $3
    """, each: [.integer, .integer, .text, .integer])
}
