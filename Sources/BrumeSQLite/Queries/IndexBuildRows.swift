// The records from which an index is built (`IndexBuild`).

import BrumeModel
import BrumeQueryPlan
import BrumeStorage

struct IndexBuildRows: IndexBuildReading {
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
    return try connection.all(Self.byName, bind) { try found($0, type) }
  }

  func records(
    of type: RecordTypeRowKey, afterSequence sequence: Int64, limit: Int
  ) throws -> [FoundRecord] {
    let bind: (Prepared) -> Void = {
      $0.bind(type)
      $0.bind(3, sequence)
      $0.bind(4, limit)
    }
    return try connection.all(Self.bySequence, bind) { try found($0, type) }
  }

  /// Of a damaged record only the name is taken, and no value: it comes into no index.
  private func found(_ row: Prepared, _ type: RecordTypeRowKey) throws -> FoundRecord {
    var record = Record(
      name: row.text(3), zone: ZoneID(name: ""), type: type.type, changeTag: "")
    if row.bool(4) {
      record = try coder.decode(row.blob(1))
    } else {
      connection.noteDamage(RecordRowKey(zone: type.zone, name: record.name))
    }
    return FoundRecord(row: row.int(0), record: record, sequence: row.int(2))
  }

  private static let columns =
    "id, content, sequence, name, \(SummedTable.records.fits(at: ["zone": "?1"]))"

  private static let byName = SQL(
    """
    SELECT \(columns) FROM records
    WHERE zone = ?1 AND type = ?2 AND name > ?3 ORDER BY name LIMIT ?4
    """)
  private static let bySequence = SQL(
    """
    SELECT \(columns) FROM records
    WHERE zone = ?1 AND sequence > ?3 AND type = ?2 ORDER BY sequence LIMIT ?4
    """)
}
