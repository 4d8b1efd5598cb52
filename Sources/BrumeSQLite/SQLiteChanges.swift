// A zone's change feed: one range of one index. A deleted record is a row without content, so each
// name is there once, in its newest state.

import BrumeModel
import BrumeStorage

final class SQLiteChanges: ChangeReading {
  private let connection: Connection
  private let coder: RecordCoder
  private let numbers: DatabaseNumbers

  init(_ connection: Connection, _ coder: RecordCoder, _ numbers: DatabaseNumbers) {
    self.connection = connection
    self.coder = coder
    self.numbers = numbers
  }

  func page(
    in zone: ZoneKey, after: Int64, through: Int64, limit: Int, byteLimit: Int, newestFirst: Bool
  ) throws -> [StoredChange] {
    guard let number = try numbers.number(of: zone) else { return [] }
    let bind = range(number, after, through, limit)
    var changes: [StoredChange] = []
    var bytes = 0
    try connection.each(newestFirst ? Self.findNewestChanges : Self.findChanges, bind) { row in
      let change = change(row, number)
      changes.append(change)
      bytes += change.byteCount
      return bytes < byteLimit
    }
    return changes
  }

  func deletions(
    in zone: ZoneKey, after: Int64, through: Int64, limit: Int
  ) throws -> [StoredDeletion] {
    guard let number = try numbers.number(of: zone) else { return [] }
    let bind = range(number, after, through, limit)
    return try connection.all(Self.findDeletions, bind) { change($0, number) }.compactMap {
      if case .deleted(let gone) = $0 { gone } else { nil }
    }
  }

  private func range(
    _ zone: Int64, _ after: Int64, _ through: Int64, _ limit: Int
  ) -> (Prepared) -> Void {
    {
      $0.bind(1, zone)
      $0.bind(2, after)
      $0.bind(3, through)
      $0.bind(4, limit)
    }
  }

  private func change(_ row: Prepared, _ zone: Int64) -> StoredChange {
    let (name, type, sequence) = (row.text(0), row.text(1), row.int(2))
    guard row.bool(5) else {
      connection.noteDamage(RecordRowKey(zone: zone, name: name))
      return .changed(StoredRecord(damaged: name, sequence: sequence))
    }
    guard let content = row.optionalBlob(3) else {
      return .deleted(
        StoredDeletion(
          name: name, type: type, coveringShares: Lines.texts(ofColumn: row.optionalText(4)),
          sequence: sequence))
    }
    return .changed(
      StoredRecord(
        name: name, type: type, sequence: sequence, content: .encoded(content, coder)))
  }

  private static let range = "\(rows) ORDER BY sequence"
  private static let rows = """
    SELECT name, coalesce(type, deleted_type), sequence, content, deleted_shares,
      \(SummedTable.records.fits(at: ["zone": "?1"]))
    FROM records
    WHERE zone = ?1 AND sequence > ?2 AND sequence <= ?3
    """
  private static let findDeletions = SQL("\(rows) AND type IS NULL ORDER BY sequence LIMIT ?4")
  private static let findChanges = SQL("\(range) LIMIT ?4")
  private static let findNewestChanges = SQL("\(range) DESC LIMIT ?4")
}
