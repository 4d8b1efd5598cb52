// The columns of a record behind its key, as they are read, and whether they fit their checksum.

import BrumeModel
import BrumeStorage

struct RecordColumns {
  /// All that the checksum is of, in the order of the table, and it.
  static let names =
    "type, deleted_type, deleted_creator, deleted_shares, sequence, parent, content, checksum"
  static let count: Int32 = 8

  private let row: Row
  private let first: Int32
  let name: String
  /// False also notes the damage.
  let isWhole: Bool

  /// - Parameters:
  ///   - first: where `names` begin.
  ///   - zone: bucket and number of the zone, as they were asked for.
  init(_ row: Row, from first: Int32, name: String, in zone: [SQLValue], _ damaged: DamagedRows) {
    self.row = row
    self.first = first
    self.name = name
    isWhole = row.optionalInteger(first + 7).map { $0 == Self.sum(row, first, name, zone) } ?? true
    if !isWhole { damaged.note("records", "'\(name)' in zone number \(zone.last?.number ?? 0)") }
  }

  private static func sum(
    _ row: Row, _ first: Int32, _ name: String, _ zone: [SQLValue]
  ) -> Int64 {
    let texts = (0..<4).map { SQLValue.text(row.optionalText(first + $0)) }
    return RowSum(
      of: zone + [.text(name)] + texts + [
        .integer(row.optionalInteger(first + 4)), .text(row.optionalText(first + 5)),
        .bytes(row.optionalBytes(first + 6)),
      ]
    ).value
  }

  var type: String? { row.optionalText(first) }
  var deletedType: String { row.text(first + 1) }
  var deletedShares: [String] { Lines.texts(ofColumn: row.optionalText(first + 3)) }
  var sequence: Int64 { row.integer(first + 4) }
  var content: [UInt8]? { row.optionalBytes(first + 6) }

  func state(_ coder: RecordCoder) -> RecordState {
    if let live = live(coder) { return .live(live) }
    let creator = row.optionalText(first + 2).map { UserID($0) }
    return .deleted(DeletedRecord(type: deletedType, creator: creator))
  }

  /// Nil: it is deleted. What is damaged may have been deleted too.
  func live(_ coder: RecordCoder) -> StoredRecord? {
    guard isWhole else { return StoredRecord(damaged: name, sequence: sequence) }
    return type.map {
      StoredRecord(
        name: name, type: $0, sequence: sequence, content: .encoded(content ?? [], coder))
    }
  }
}
