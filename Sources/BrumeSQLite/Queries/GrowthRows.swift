// The records from which an index grows (`IndexGrowth`).

import BrumeModel
import BrumeQueryPlan
import BrumeStorage

struct GrowthRows: GrowthReading {
  private let connection: Connection
  private let coder: RecordCoder
  private let numbers: DatabaseNumbers

  init(_ connection: Connection, _ coder: RecordCoder, _ numbers: DatabaseNumbers) {
    self.connection = connection
    self.coder = coder
    self.numbers = numbers
  }

  func database(ofZone zone: Int64) throws -> DatabaseKey? { try numbers.database(ofZone: zone) }

  func records(
    of type: RecordTypeRowKey, afterName name: String, limit: Int
  ) throws -> [FoundRecord] {
    let bind: (Prepared) -> Void = {
      $0.bind(type)
      $0.bind(3, name)
      $0.bind(4, limit)
    }
    return try connection.all(Self.byName, bind) { try found($0) }
  }

  func records(
    of type: RecordTypeRowKey, afterSequence sequence: Int64, limit: Int
  ) throws -> [FoundRecord] {
    let bind: (Prepared) -> Void = {
      $0.bind(type)
      $0.bind(3, sequence)
      $0.bind(4, limit)
    }
    return try connection.all(Self.bySequence, bind) { try found($0) }
  }

  private func found(_ row: Prepared) throws -> FoundRecord {
    FoundRecord(row: row.int(0), record: try coder.decode(row.blob(1)), sequence: row.int(2))
  }

  private static let byName = SQL(
    """
    SELECT id, content, sequence FROM records
    WHERE zone = ?1 AND type = ?2 AND name > ?3 ORDER BY name LIMIT ?4
    """)
  private static let bySequence = SQL(
    """
    SELECT id, content, sequence FROM records
    WHERE zone = ?1 AND sequence > ?3 AND type = ?2 ORDER BY sequence LIMIT ?4
    """)
}
