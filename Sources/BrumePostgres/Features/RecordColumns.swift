// The columns of a record behind its key, as they are read, and whether they fit their checksum.

import BrumeModel
import BrumeStorage

struct RecordColumns {
  /// All that the checksum is of, in the order of the table, and it.
  static let names = names(content: "content")
  static let count: Int32 = 8

  private let row: Row
  private let first: Int32
  private let contentPlace: (row: Row, column: Int32)
  let name: String
  /// False also notes the damage.
  let isWhole: Bool

  /// - Parameters:
  ///   - first: where `names` begin.
  ///   - zone: bucket and number of the zone, as they were asked for.
  ///   - content: where it is, if not in this row.
  init(
    _ row: Row, from first: Int32, name: String, in zone: [SQLValue], _ damaged: DamagedRows,
    content: (row: Row, column: Int32)? = nil
  ) {
    self.row = row
    self.first = first
    self.name = name
    let content = content ?? (row, first + 6)
    contentPlace = content
    isWhole =
      row.optionalInteger(first + 7).map { $0 == Self.sum(row, first, content, name, zone) } ?? true
    if !isWhole { damaged.note("records", "'\(name)' in zone number \(zone.last?.number ?? 0)") }
  }

  /// `names`, with a content only where it is no larger.
  ///
  /// - Parameter bytes: a number, or the parameter that it comes in.
  static func names(contentUpTo bytes: String) -> String {
    names(content: "CASE WHEN octet_length(content) <= \(bytes) THEN content END")
  }

  /// Whether a row of `names(contentUpTo:)`, which begins with them, is of a record whose content is larger. One that is
  /// deleted has neither type nor content.
  static func isWithoutContent(_ row: Row) -> Bool {
    row.optionalText(0) != nil && row.isNull(6)
  }

  private static func names(content: String) -> String {
    "type, deleted_type, deleted_creator, deleted_shares, sequence, parent, \(content), checksum"
  }

  /// As `Table` made it when the row was written.
  private static func sum(
    _ row: Row, _ first: Int32, _ content: (row: Row, column: Int32), _ name: String,
    _ zone: [SQLValue]
  ) -> Int64 {
    var sum = RowSum(of: zone)
    sum.add(name)
    for column in first..<first + 4 { row.add(text: column, to: &sum) }
    row.add(integer: first + 4, to: &sum)
    row.add(text: first + 5, to: &sum)
    content.row.add(bytes: content.column, to: &sum)
    return sum.value
  }

  var type: String? { row.optionalText(first) }
  var deletedType: String { row.text(first + 1) }
  var deletedShares: [String] { Lines.texts(ofColumn: row.optionalText(first + 3)) }
  var sequence: Int64 { row.integer(first + 4) }
  var content: [UInt8]? { contentPlace.row.optionalBytes(contentPlace.column) }

  func state(_ coder: RecordCoder) -> RecordState {
    if let live = live(coder) { return .live(live) }
    let creator = row.optionalText(first + 2).map { UserID($0) }
    return .deleted(
      DeletedRecord(type: deletedType, creator: creator, coveringShares: deletedShares))
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
