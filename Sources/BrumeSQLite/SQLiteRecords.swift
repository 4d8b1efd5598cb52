// Records in SQLite: the row, and with it the rows that queries, references and assets are found by.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage

/// What a write replaces.
private struct SeenRecord {
  /// Nil: there never was a row.
  let row: Int64?
  let sequence: Int64
  /// Nil: no such record, or a deleted one.
  let record: Record?
}

final class SQLiteRecords: RecordWriting, Remembering {
  private let connection: Connection
  private let coder: RecordCoder
  private let numbers: DatabaseNumbers
  private let rows: RecordRows
  private let references: ReferenceRows
  private let holders: AssetHolders
  private let index: QueryIndex
  private let isWriter: Bool
  /// Records that the running body has looked at, so that a write knows what it replaces.
  private var seen: [RecordRowKey: SeenRecord] = [:]

  init(
    _ connection: Connection, _ coder: RecordCoder, _ numbers: DatabaseNumbers,
    _ index: QueryIndex, isWriter: Bool
  ) {
    self.connection = connection
    self.coder = coder
    self.numbers = numbers
    self.index = index
    self.isWriter = isWriter
    rows = RecordRows(connection, coder)
    references = ReferenceRows(connection)
    holders = AssetHolders(connection)
  }

  func find(_ key: RecordKey) throws -> StoredRecord? {
    guard let zone = try numbers.number(of: key.zone) else { return nil }
    let rowKey = RecordRowKey(zone: zone, name: key.name)
    // A damaged one is unreadable for who writes as for who reads, and no error before it is replaced.
    guard isWriter, let seen = try BrumeError.unlessDamaged({ try look(at: rowKey) }) else {
      return try rows.stored(rowKey)
    }
    return seen.record.map {
      StoredRecord(name: $0.name, type: $0.type, sequence: seen.sequence, content: .value($0))
    }
  }

  func deleted(_ key: RecordKey) throws -> DeletedRecord? {
    guard let zone = try numbers.number(of: key.zone) else { return nil }
    let rowKey = RecordRowKey(zone: zone, name: key.name)
    // Nearly always a write has seen that there is no such row.
    if isWriter {
      let seen = try look(at: rowKey)
      if seen.row == nil || seen.record != nil { return nil }
    }
    return try connection.first(Self.findDeleted, { $0.bind(rowKey) }) { row in
      guard row.bool(3) else { throw damage(rowKey) }
      return row.optionalText(0).map {
        DeletedRecord(
          type: $0, creator: row.optionalText(1).map { UserID($0) },
          coveringShares: Lines.texts(ofColumn: row.optionalText(2)))
      }
    } ?? nil
  }

  func children(of key: RecordKey, limit: Int) throws -> [String] {
    guard let zone = try numbers.number(of: key.zone) else { return [] }
    return try connection.all(
      Self.findChildren,
      {
        $0.bind(RecordRowKey(zone: zone, name: key.name))
        $0.bind(3, limit)
      }
    ) { $0.text(0) }
  }

  func descendants(of roots: [String], in zone: ZoneKey, limit: Int) throws -> [String] {
    guard let zone = try numbers.number(of: zone) else { return [] }
    var found: Set<ByteText> = []
    for root in roots where found.count < limit {
      let bind: (Prepared) -> Void = {
        $0.bind(RecordRowKey(zone: zone, name: root))
        $0.bind(3, limit)
      }
      try connection.each(Self.findDescendants, bind) { row in
        found.insert(ByteText(row.text(0)))
        return found.count < limit
      }
    }
    return found.map(\.text)
  }

  func depth(
    below key: RecordKey, levels: Int, limit: Int
  ) throws -> (levels: Int, records: Int) {
    guard let zone = try numbers.number(of: key.zone) else { return (0, 0) }
    let bind: (Prepared) -> Void = {
      $0.bind(RecordRowKey(zone: zone, name: key.name))
      $0.bind(3, levels)
      $0.bind(4, limit)
    }
    return try connection.first(Self.findDepth, bind) { row in
      (levels: Int(row.int(0)), records: Int(row.int(1)))
    } ?? (0, 0)
  }

  func referrers(
    to key: RecordKey, by action: Reference.Action, limit: Int
  ) throws -> [String] {
    guard let zone = try numbers.number(of: key.zone) else { return [] }
    return try references.referrers(
      to: RecordRowKey(zone: zone, name: key.name), by: action, limit: limit)
  }

  /// The record as a value, remembered for the write that may follow.
  private func look(at rowKey: RecordRowKey) throws -> SeenRecord {
    if let known = seen[rowKey] { return known }
    let found = try connection.first(Self.findRow, { $0.bind(rowKey) }) { row in
      guard row.bool(3) else { throw damage(rowKey) }
      return SeenRecord(
        row: row.int(0), sequence: row.int(1),
        record: try row.optionalBlob(2).map { try coder.decode($0) })
    }
    let record = found ?? SeenRecord(row: nil, sequence: 0, record: nil)
    seen[rowKey] = record
    return record
  }

  /// Their checksums were looked at when they were read.
  func takeOver(_ found: [StoredRecord], in zone: ZoneKey) throws -> Bool {
    guard let zone = try numbers.number(of: zone) else { return found.isEmpty }
    var areSame = true
    for stored in found {
      let rowKey = RecordRowKey(zone: zone, name: stored.name)
      let bind: (Prepared) -> Void = {
        $0.bind(rowKey)
        $0.bind(3, stored.sequence)
      }
      if let row = try connection.first(Self.findSame, bind, { $0.int(0) }) {
        seen[rowKey] = SeenRecord(
          row: row, sequence: stored.sequence, record: try stored.record())
      } else {
        areSame = false
      }
    }
    return areSame
  }

  private func damage(_ rowKey: RecordRowKey) -> BrumeError {
    connection.noteDamage(rowKey)
    return .damaged("record '\(NameRules.shown(rowKey.name))'")
  }

  private static let fits = SummedTable.records.fits(at: ["zone": "?1", "name": "?2"])
  private static let findDeleted = SQL(
    """
    SELECT deleted_type, deleted_creator, deleted_shares, \(fits) FROM records
    WHERE zone = ?1 AND name = ?2
    """)
  private static let findRow = SQL(
    "SELECT id, sequence, content, \(fits) FROM records WHERE zone = ?1 AND name = ?2")
  private static let findSame = SQL(
    """
    SELECT id FROM records
    WHERE zone = ?1 AND name = ?2 AND +sequence = ?3 AND +type IS NOT NULL
    """)
  private static let findChildren = SQL(
    "SELECT name FROM records WHERE zone = ?1 AND parent = ?2 ORDER BY name LIMIT ?3")
  /// What the index says of a record is asked of its row too: who is below a record is seen with it, and goes with it.
  private static let isItsOwn = """
    EXISTS (SELECT 1 FROM records own WHERE own.id = records.id AND own.zone = ?1
      AND own.name = records.name AND own.parent = records.parent)
    """
  private static let findDescendants = SQL(
    """
    WITH RECURSIVE below (name) AS (
      SELECT name FROM records INDEXED BY records_by_parent
      WHERE zone = ?1 AND parent = ?2 AND \(isItsOwn)
      UNION
      SELECT records.name FROM below CROSS JOIN records INDEXED BY records_by_parent
      WHERE records.zone = ?1 AND records.parent = below.name AND \(isItsOwn))
    SELECT name FROM below LIMIT ?3
    """)
  /// Level by level, so that those which are counted are the uppermost.
  private static let findDepth = SQL(
    """
    WITH RECURSIVE below (name, level) AS (
      SELECT name, 1 FROM records INDEXED BY records_by_parent
      WHERE zone = ?1 AND parent = ?2 AND ?3 > 0 AND \(isItsOwn)
      UNION ALL
      SELECT records.name, below.level + 1
      FROM below CROSS JOIN records INDEXED BY records_by_parent
      WHERE below.level < ?3 AND records.zone = ?1 AND records.parent = below.name AND \(isItsOwn))
    SELECT coalesce(max(level), 0), count(*) FROM (SELECT level FROM below LIMIT ?4)
    """)

  // MARK: Writing

  func put(_ record: Record, in zone: ZoneKey, sequence: Int64) throws -> StoredRecord {
    let rowKey = RecordRowKey(zone: try numbers.givenNumber(of: zone), name: record.name)
    let old = try look(at: rowKey)
    let bytes = coder.encode(record)
    let row = try writeRow(
      old.row, rowKey, type: record.type, sequence: sequence, parent: record.parent, content: bytes)
    try index.update(
      rowKey.name, row: row, sequence: sequence, inZone: rowKey.zone, of: zone.database,
      from: old.record, to: record)
    try references.update(rowKey, in: zone, from: old.record, to: record)
    try holders.update(rowKey, from: old.record, to: record)
    seen[rowKey] = SeenRecord(row: row, sequence: sequence, record: record)
    return StoredRecord(
      name: record.name, type: record.type, sequence: sequence,
      content: .encoded(bytes, coder))
  }

  func remove(_ key: RecordKey, type: String, coveringShares: [String], sequence: Int64) throws {
    let rowKey = RecordRowKey(zone: try numbers.givenNumber(of: key.zone), name: key.name)
    let old = try look(at: rowKey)
    let row = try writeRow(
      old.row, rowKey, type: type, sequence: sequence, parent: nil, content: nil,
      shares: coveringShares,
      creator: key.zone.database.owner == nil ? old.record?.created?.user.name : nil)
    try index.update(
      rowKey.name, row: row, sequence: sequence, inZone: rowKey.zone, of: key.zone.database,
      from: old.record, to: nil)
    try references.update(rowKey, in: key.zone, from: old.record, to: nil)
    try holders.update(rowKey, from: old.record, to: nil)
    seen[rowKey] = SeenRecord(row: row, sequence: sequence, record: nil)
  }

  func removeAll(in zone: ZoneKey) throws {
    guard let zone = try numbers.number(of: zone) else { return }
    try index.removeContents(ofZone: zone)
    try references.removeContents(ofZone: zone)
    try connection.run(Self.removeAll) { $0.bind(1, zone) }
    try holders.letGo(ofZone: zone)
    seen.removeAll()
  }

  func removeIndex(of zone: ZoneKey, limit: Int) throws -> Int? {
    guard let zone = try numbers.number(of: zone) else { return 0 }
    try index.endFields(ofZone: zone)
    return try ZoneIndexRows(connection).remove(ofZone: zone, limit: limit)
  }

  func forgetDeletions(
    of names: [String], in zone: ZoneKey, through sequence: Int64
  ) throws -> Int {
    guard let number = try numbers.number(of: zone) else { return 0 }
    return try connection.changes {
      for name in names {
        let rowKey = RecordRowKey(zone: number, name: name)
        try connection.run(Self.forgetDeletion) {
          $0.bind(rowKey)
          $0.bind(3, sequence)
        }
        seen[rowKey] = nil
      }
    }
  }

  private func writeRow(
    _ row: Int64?, _ rowKey: RecordRowKey, type: String, sequence: Int64, parent: String?,
    content: [UInt8]?, shares: [String] = [], creator: String? = nil
  ) throws -> Int64 {
    try connection.run(row == nil ? Self.addRow : Self.changeRow) {
      $0.bind(1, content == nil ? nil : type)
      $0.bind(2, content == nil ? type : nil)
      $0.bind(3, sequence)
      $0.bind(4, parent)
      $0.bind(5, content)
      $0.bind(6, Lines.column(shares))
      $0.bind(7, creator)
      if let row {
        $0.bind(8, row)
      } else {
        $0.bind(8, rowKey.zone)
        $0.bind(9, rowKey.name)
      }
    }
    return row ?? connection.lastRowID
  }

  private static let addRow = SQL(
    """
    INSERT INTO records (
      type, deleted_type, sequence, parent, content, deleted_shares, deleted_creator, zone, name,
      checksum)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, \(sum(at: "?8, ?9")))
    """)
  private static let changeRow = SQL(
    """
    UPDATE records SET type = ?1, deleted_type = ?2, sequence = ?3, parent = ?4, content = ?5,
      deleted_shares = ?6, deleted_creator = ?7, checksum = \(sum(at: "zone, name"))
    WHERE id = ?8
    """)
  /// In the order of `SummedTable.records`. A row that is there has just been read, and fits.
  private static func sum(at key: String) -> String {
    "row_sum(\(key), ?1, ?2, ?7, ?6, ?3, ?4, ?5)"
  }
  private static let removeAll = SQL("DELETE FROM records WHERE zone = ?1")
  // By the name, which one row has; without the signs SQLite takes the index of the feed, with all rows of the zone.
  private static let forgetDeletion = SQL(
    "DELETE FROM records WHERE zone = ?1 AND name = ?2 AND +type IS NULL AND +sequence <= ?3")

  // MARK: Bodies

  func bodyBegins() {
    forgetSeen()
    holders.bodyBegins()
  }

  func bodyEnds() throws {
    try holders.bodyEnds()
    forgetSeen()
  }

  /// Not only when the next body begins: they are large, and until then a commit waits for the disk, or nobody writes.
  private func forgetSeen() {
    if seen.count > Self.few { seen = [:] } else { seen.removeAll(keepingCapacity: true) }
  }
  /// Ours: of more records not even the room is kept.
  private static let few = 1000

  func forget() { seen = [:] }
}
