// Records in SQLite: the row, and with it the rows that queries and references are found by.

import BrumeModel
import BrumeStorage

/// What a write replaces.
struct SeenRecord {
  /// Nil: there never was a row.
  let row: Int64?
  let sequence: Int64
  /// Nil: no such record, or a deleted one.
  let record: Record?
}

// MARK: Reading

extension SQLiteTransaction {
  func record(_ key: RecordKey) throws -> StoredRecord? {
    guard let zone = try number(of: key.zone) else { return nil }
    guard isWriter else { return try storedRecord(RecordRowKey(zone: zone, name: key.name)) }
    let seen = try look(at: RecordRowKey(zone: zone, name: key.name))
    return seen.record.map {
      StoredRecord(name: $0.name, type: $0.type, sequence: seen.sequence, content: .value($0))
    }
  }

  /// The record as its bytes.
  func storedRecord(_ rowKey: RecordRowKey) throws -> StoredRecord? {
    try connection.first(Self.findContent, { $0.bind(rowKey) }) { row in
      StoredRecord(
        name: rowKey.name, type: row.text(0), sequence: row.int(1),
        content: .encoded(row.blob(2), coders.record))
    }
  }

  /// The record as its bytes, by its row where that is known.
  func storedRecord(_ row: RecordRow, in zone: Int64) throws -> StoredRecord? {
    guard let id = row.row else {
      return try storedRecord(RecordRowKey(zone: zone, name: row.name))
    }
    return try connection.first(Self.findContentOfRow, { $0.bind(1, id) }) {
      StoredRecord(
        name: row.name, type: $0.text(0), sequence: $0.int(1),
        content: .encoded($0.blob(2), coders.record))
    }
  }

  func deletedRecord(_ key: RecordKey) throws -> DeletedRecord? {
    guard let zone = try number(of: key.zone) else { return nil }
    return try connection.first(
      Self.findDeleted, { $0.bind(RecordRowKey(zone: zone, name: key.name)) }
    ) { row in
      DeletedRecord(type: row.text(0), creator: row.optionalText(1).map { UserID($0) })
    }
  }

  func children(of key: RecordKey, limit: Int) throws -> [String] {
    guard let zone = try number(of: key.zone) else { return [] }
    return try connection.all(
      Self.findChildren,
      {
        $0.bind(RecordRowKey(zone: zone, name: key.name))
        $0.bind(3, limit)
      }
    ) { $0.text(0) }
  }

  func descendants(of roots: [String], in zone: ZoneKey, limit: Int) throws -> [String] {
    guard let zone = try number(of: zone) else { return [] }
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

  func referrers(
    to key: RecordKey, by action: Reference.Action, limit: Int
  ) throws -> [String] {
    guard let zone = try number(of: key.zone) else { return [] }
    return try connection.all(
      Self.findReferrers,
      {
        $0.bind(RecordRowKey(zone: zone, name: key.name))
        $0.bind(3, action.rawValue)
        $0.bind(4, limit)
      }
    ) { $0.text(0) }
  }

  /// The record as a value, remembered for the write that may follow.
  private func look(at rowKey: RecordRowKey) throws -> SeenRecord {
    if let known = seen[rowKey] { return known }
    let found = try connection.first(Self.findRow, { $0.bind(rowKey) }) { row in
      SeenRecord(
        row: row.int(0), sequence: row.int(1),
        record: try row.optionalBlob(2).map { try coders.record.decode($0) })
    }
    let record = found ?? SeenRecord(row: nil, sequence: 0, record: nil)
    seen[rowKey] = record
    return record
  }

  private static let findContent = SQL(
    """
    SELECT type, sequence, content FROM records
    WHERE zone = ?1 AND name = ?2 AND type IS NOT NULL
    """)
  private static let findContentOfRow = SQL(
    "SELECT type, sequence, content FROM records WHERE id = ?1 AND type IS NOT NULL")
  private static let findDeleted = SQL(
    """
    SELECT deleted_type, deleted_creator FROM records
    WHERE zone = ?1 AND name = ?2 AND deleted_type IS NOT NULL
    """)
  private static let findRow = SQL(
    "SELECT id, sequence, content FROM records WHERE zone = ?1 AND name = ?2")
  private static let findChildren = SQL(
    "SELECT name FROM records WHERE zone = ?1 AND parent = ?2 ORDER BY name LIMIT ?3")
  private static let findDescendants = SQL(
    """
    WITH RECURSIVE below (name) AS (
      SELECT name FROM records WHERE zone = ?1 AND parent = ?2
      UNION
      SELECT records.name FROM below CROSS JOIN records
      WHERE records.zone = ?1 AND records.parent = below.name)
    SELECT name FROM below LIMIT ?3
    """)
  private static let findReferrers = SQL(
    """
    SELECT name FROM record_references
    WHERE zone = ?1 AND target = ?2 AND action = ?3 ORDER BY name LIMIT ?4
    """)
}

// MARK: Writing

extension SQLiteTransaction {
  func put(_ record: Record, in zone: ZoneKey, sequence: Int64) throws -> StoredRecord {
    let rowKey = RecordRowKey(zone: try givenNumber(of: zone), name: record.name)
    let old = try look(at: rowKey)
    let bytes = coders.record.encode(record)
    let row = try writeRow(
      old.row, rowKey, type: record.type, sequence: sequence, parent: record.parent, content: bytes)
    try updateIndex(
      rowKey, row: row, sequence: sequence, in: zone.database, from: old.record, to: record)
    try updateReferences(rowKey, in: zone, from: old.record, to: record)
    try updateAssets(rowKey, from: old.record, to: record)
    seen[rowKey] = SeenRecord(row: row, sequence: sequence, record: record)
    return StoredRecord(
      name: record.name, type: record.type, sequence: sequence,
      content: .encoded(bytes, coders.record))
  }

  func remove(_ key: RecordKey, type: String, coveringShares: [String], sequence: Int64) throws {
    let rowKey = RecordRowKey(zone: try givenNumber(of: key.zone), name: key.name)
    let old = try look(at: rowKey)
    let row = try writeRow(
      old.row, rowKey, type: type, sequence: sequence, parent: nil, content: nil,
      shares: coveringShares)
    try updateIndex(
      rowKey, row: row, sequence: sequence, in: key.zone.database, from: old.record, to: nil)
    try updateReferences(rowKey, in: key.zone, from: old.record, to: nil)
    try updateAssets(rowKey, from: old.record, to: nil)
    if key.zone.database.owner == nil {
      try connection.run(Self.keepCreator) {
        $0.bind(1, row)
        $0.bind(2, old.record?.created?.user.name)
      }
    }
    seen[rowKey] = SeenRecord(row: row, sequence: sequence, record: nil)
  }

  private func writeRow(
    _ row: Int64?, _ rowKey: RecordRowKey, type: String, sequence: Int64, parent: String?,
    content: [UInt8]?, shares: [String] = []
  ) throws -> Int64 {
    try connection.run(row == nil ? Self.addRow : Self.changeRow) {
      $0.bind(1, content == nil ? nil : type)
      $0.bind(2, content == nil ? type : nil)
      $0.bind(3, sequence)
      $0.bind(4, parent)
      $0.bind(5, content)
      $0.bind(6, shares.isEmpty ? nil : lines(shares))
      if let row {
        $0.bind(7, row)
      } else {
        $0.bind(7, rowKey.zone)
        $0.bind(8, rowKey.name)
      }
    }
    return row ?? connection.lastRowID
  }

  private func updateReferences(
    _ rowKey: RecordRowKey, in zone: ZoneKey, from old: Record?, to new: Record?
  ) throws {
    let before = old?.pointers(within: zone) ?? []
    let after = new?.pointers(within: zone) ?? []
    for pointer in before.subtracting(after) {
      try connection.run(Self.removeReference) { $0.bind(pointer, from: rowKey) }
    }
    for pointer in after.subtracting(before) {
      try connection.run(Self.addReference) { $0.bind(pointer, from: rowKey) }
    }
  }

  private static let addRow = SQL(
    """
    INSERT INTO records (type, deleted_type, sequence, parent, content, deleted_shares, zone, name)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
    """)
  private static let changeRow = SQL(
    """
    UPDATE records SET type = ?1, deleted_type = ?2, sequence = ?3, parent = ?4, content = ?5,
      deleted_shares = ?6
    WHERE id = ?7
    """)
  private static let keepCreator = SQL(
    "UPDATE records SET deleted_creator = ?2 WHERE id = ?1")
  private static let addReference = SQL("INSERT INTO record_references VALUES (?1, ?2, ?3, ?4)")
  private static let removeReference = SQL(
    """
    DELETE FROM record_references
    WHERE zone = ?1 AND target = ?2 AND action = ?3 AND name = ?4
    """)
}

extension Prepared {
  fileprivate func bind(_ rowKey: RecordRowKey) {
    bind(1, rowKey.zone)
    bind(2, rowKey.name)
  }

  fileprivate func bind(_ pointer: Record.Pointer, from rowKey: RecordRowKey) {
    bind(1, rowKey.zone)
    bind(2, pointer.target.text)
    bind(3, pointer.action.rawValue)
    bind(4, rowKey.name)
  }
}
