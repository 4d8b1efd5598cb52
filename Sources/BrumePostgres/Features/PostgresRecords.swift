// Records in PostgreSQL: the row, and with it the rows that queries, references and assets are found by.

import BrumeModel
import BrumeStorage

final class PostgresRecords: RecordWriting, Remembering {
  private let session: Session
  private let coder: RecordCoder
  private let places: Places
  private let indexes: Indexes
  private let rows: RecordRows
  /// What the transaction has read or written.
  private var known: [RecordKey: RecordState] = [:]
  /// Those of it that were read one by one, and the bytes of their contents.
  private var readAlone: (keys: [RecordKey], bytes: Int) = ([], 0)
  private var large = LargeRecords()
  private var lists = NameLists()
  /// Ours: bytes of contents that are remembered beside those of the plan; a deletion takes as many along. With more, all
  /// of them are forgotten, and asked for again.
  private static let rememberedBytes = 64 << 20

  init(_ session: Session, _ coder: RecordCoder, _ places: Places, _ indexes: Indexes) {
    self.session = session
    self.coder = coder
    self.places = places
    self.indexes = indexes
    rows = RecordRows(session, coder)
  }

  // MARK: Reading

  func find(_ key: RecordKey) throws -> StoredRecord? { try row(key).live }

  func deleted(_ key: RecordKey) throws -> DeletedRecord? {
    let row = try row(key)
    // A damaged one may have been deleted: nobody knows.
    if case .unreadable(let error)? = row.live?.content { throw error }
    if case .deleted(let record) = row { return record }
    return nil
  }

  func children(of key: RecordKey, limit: Int) throws -> [String] {
    if let names = lists.names(.children(of: key), limit: limit) { return names }
    guard let zone = try zone(key.zone) else { return [] }
    return try session.all(Self.findChildren, zone + [.text(key.name), .integer(limit)]) {
      $0.text(0)
    }
  }

  func referrers(
    to key: RecordKey, by action: Reference.Action, limit: Int
  ) throws -> [String] {
    if let names = lists.names(.referrers(key, action), limit: limit) { return names }
    guard let zone = try zone(key.zone) else { return [] }
    return try session.all(
      Self.findReferrers,
      zone + [.text(key.name), .text(action.rawValue), .integer(limit)]
    ) { $0.text(0) }
  }

  func descendants(of roots: [String], in zone: ZoneKey, limit: Int) throws -> [String] {
    guard let zone = try self.zone(zone), !roots.isEmpty else { return [] }
    return try session.all(Self.findDescendants, zone + [.texts(roots), .integer(limit)]) {
      $0.text(0)
    }
  }

  func depth(
    below key: RecordKey, levels: Int, limit: Int
  ) throws -> (levels: Int, records: Int) {
    guard let zone = try zone(key.zone) else { return (0, 0) }
    let values = zone + [.text(key.name), .integer(levels), .integer(limit)]
    return try session.first(Self.findDepth, values) { row in
      (levels: Int(row.integer(0)), records: Int(row.integer(1)))
    } ?? (0, 0)
  }

  func takeOver(_ found: [StoredRecord], in zone: ZoneKey) throws -> Bool {
    guard !found.isEmpty, let values = try self.zone(zone) else { return found.isEmpty }
    let names = found.map(\.name)
    let rows = try session.all(Self.findSequences, values + [.texts(names)]) {
      (ByteText($0.text(0)), $0.integer(1))
    }
    let sequences = Dictionary(rows) { first, _ in first }
    var areSame = true
    for stored in found {
      if sequences[ByteText(stored.name)] == stored.sequence {
        known[RecordKey(zone: zone, name: stored.name)] = .live(stored)
      } else {
        areSame = false
      }
    }
    return areSame
  }

  private func row(_ key: RecordKey) throws -> RecordState {
    if let known = known[key] { return known }
    let group = large.takeGroup(from: key)
    if group.count > 1 {
      try readTogether(group)
      // Nil, if what came behind it was too much to remember: then all was forgotten.
      if let row = known[key] { return row }
    }
    guard let zone = try zone(key.zone) else { return .none }
    let row = try rows.row(zone, key.name)
    remember(row, of: key)
    return row
  }

  private func readTogether(_ keys: [RecordKey]) throws {
    let questions = try keys.compactMap { key in
      try zone(key.zone).map { values in
        rows.question(values, key.name, contentUpTo: Int(Int32.max)) { [self] row, _ in
          if let row { remember(row, of: key) }
        }
      }
    }
    try session.ask(questions)
  }

  /// A body may read thousands, each with a megabyte, and many bodies are in one transaction.
  private func remember(_ row: RecordState, of key: RecordKey) {
    let bytes = row.live?.byteCount ?? 0
    if readAlone.bytes + bytes > Self.rememberedBytes {
      for key in readAlone.keys { known[key] = nil }
      readAlone = ([], 0)
    }
    readAlone.keys.append(key)
    readAlone.bytes += bytes
    known[key] = row
  }

  /// Bucket and zone; nil: the zone never was.
  private func zone(_ zone: ZoneKey) throws -> [SQLValue]? {
    try places.number(of: zone).map { places.values($0, in: zone.database) }
  }

  // MARK: Writing

  func put(_ record: Record, in zone: ZoneKey, sequence: Int64) throws -> StoredRecord {
    let key = RecordKey(zone: zone, name: record.name)
    let old = try row(key).live?.record()
    let bytes = coder.encode(record)
    session.put(
      try rowKey(key) + [
        .text(record.type), .null, .null, .null, .integer(sequence), .text(record.parent),
        .bytes(bytes),
      ], in: Self.table)
    let stored = StoredRecord(
      name: record.name, type: record.type, sequence: sequence, content: .encoded(bytes, coder))
    known[key] = .live(stored)
    try update(key, sequence, from: old, to: record)
    return stored
  }

  func remove(_ key: RecordKey, type: String, coveringShares: [String], sequence: Int64) throws {
    let old = try row(key).live?.record()
    let creator = key.zone.database.owner == nil ? old?.created?.user : nil
    session.put(
      try rowKey(key) + [
        .null, .text(type), .text(creator?.name),
        .text(Lines.column(coveringShares)), .integer(sequence), .null, .null,
      ], in: Self.table)
    known[key] = .deleted(
      DeletedRecord(type: type, creator: creator, coveringShares: coveringShares))
    try update(key, sequence, from: old, to: nil)
  }

  func removeAll(in zone: ZoneKey) throws {
    guard let values = try self.zone(zone), let number = try places.number(of: zone) else { return }
    try indexes.removeContents(of: zone, number)
    for sql in Self.removeAll { session.run(sql, values) }
    forget()
  }

  func forgetDeletions(
    of names: [String], in zone: ZoneKey, through sequence: Int64
  ) throws -> Int {
    guard let values = try self.zone(zone) else { return 0 }
    for name in names { known[RecordKey(zone: zone, name: name)] = nil }
    return try session.all(Self.forgetDeletions, values + [.texts(names), .integer(sequence)]) {
      $0.integer(0)
    }.count
  }

  /// Keeps in step what records are found by.
  private func update(
    _ key: RecordKey, _ sequence: Int64, from old: Record?, to new: Record?
  ) throws {
    try indexes.update(key, sequence: sequence, from: old, to: new)
    lists.update(key, from: old, to: new)
    try updateReferences(key, from: old, to: new)
    try updateHolders(key, from: old, to: new)
  }

  private func updateReferences(
    _ key: RecordKey, from old: Record?, to new: Record?
  ) throws {
    let before = old?.pointers(within: key.zone) ?? []
    let after = new?.pointers(within: key.zone) ?? []
    if before == after { return }
    let rowKey = try rowKey(key)
    func row(_ pointer: Record.Pointer) -> [SQLValue] {
      rowKey.dropLast() + [.text(pointer.target.text), .text(pointer.action.rawValue)]
        + rowKey.suffix(1)
    }
    for pointer in before.subtracting(after) { session.remove(row(pointer), from: Self.references) }
    for pointer in after.subtracting(before) { session.put(row(pointer), in: Self.references) }
  }

  private func updateHolders(_ key: RecordKey, from old: Record?, to new: Record?) throws {
    let before = old?.assetChecksums ?? []
    let after = new?.assetChecksums ?? []
    if before == after { return }
    let rowKey = try rowKey(key)
    for checksum in before.subtracting(after) {
      session.remove(rowKey + [.text(checksum)], from: Self.holders)
      session.run(Self.suspectFile, [.text(checksum)])
    }
    for checksum in after.subtracting(before) {
      session.put(rowKey + [.text(checksum)], in: Self.holders)
    }
  }

  private func rowKey(_ key: RecordKey) throws -> [SQLValue] {
    let zone = try places.givenNumber(of: key.zone)
    return places.values(zone, in: key.zone.database) + [.text(key.name)]
  }

  // MARK: Plans

  /// Records that plans name, as bodies will ask for them.
  func expect(_ order: [RecordKey]) { large = LargeRecords(inOrder: order) }

  /// - Parameter bytes: of a content that comes with it. A larger one is read when the record is asked for: whoever does
  ///   that has counted by then how much was read.
  func question(_ key: RecordKey, contentUpTo bytes: Int) throws -> Question? {
    known[key] = RecordState.none
    return try zone(key.zone).map { values in
      rows.question(values, key.name, contentUpTo: bytes) { [self] row, bytes in
        known[key] = row
        if row == nil { large.note(key, bytes: bytes) }
      }
    }
  }

  func question(childrenOf key: RecordKey) throws -> Question? {
    try question(.children(of: key), Self.findChildren, key.zone, [.text(key.name)])
  }

  func question(referrersTo key: RecordKey, by action: Reference.Action) throws -> Question? {
    try question(
      .referrers(key, action), Self.findReferrers, key.zone,
      [.text(key.name), .text(action.rawValue)])
  }

  private func question(
    _ key: NameLists.Key, _ sql: SQL, _ zone: ZoneKey, _ values: [SQLValue]
  ) throws -> Question? {
    guard let zone = try self.zone(zone) else {
      lists.learn(key, [], limit: NameLists.planned)
      return nil
    }
    return Question(sql, zone + values + [.integer(NameLists.planned)]) { [self] rows in
      lists.learn(key, rows.map { $0.text(0) }, limit: NameLists.planned)
    }
  }

  func forget() {
    (known, readAlone, large, lists) = ([:], ([], 0), LargeRecords(), NameLists())
  }
}

// MARK: Statements

extension PostgresRecords {
  private static let place: [Table.Column] = [("bucket", .integer), ("zone", .integer)]
  private static let table = Table(
    "records", key: place + [("name", .text)],
    columns: [
      ("type", .text), ("deleted_type", .text), ("deleted_creator", .text),
      ("deleted_shares", .text), ("sequence", .integer), ("parent", .text), ("content", .bytes),
    ], isSummed: true, earlyRows: Session.earlyRows)
  private static let references = Table(
    "record_references", key: place + [("target", .text), ("action", .text), ("name", .text)],
    columns: [])
  private static let holders = Table(
    "asset_holders", key: place + [("name", .text), ("checksum", .text)], columns: [])
  private static let suspectFile = SQL("UPDATE asset_files SET idle_since = 0 WHERE checksum = $1")
  private static let findChildren = SQL(
    """
    SELECT name FROM records WHERE bucket + 0 = $1 AND zone + 0 = $2 AND parent = $3
    ORDER BY name LIMIT $4
    """, each: [.integer, .integer, .text, .integer])
  /// Each by itself: with `= ANY` a planner without statistics reads all of the zone.
  private static let findSequences = SQL(
    """
    SELECT found.* FROM unnest($3::text[]) AS wanted (one) CROSS JOIN LATERAL (
      SELECT name, sequence FROM records
      WHERE bucket = $1 AND zone = $2 AND name = one AND type IS NOT NULL OFFSET 0) AS found
    """)
  private static let findReferrers = SQL(
    """
    SELECT name FROM record_references
    WHERE bucket = $1 AND zone = $2 AND target = $3 AND action = $4 ORDER BY name LIMIT $5
    """, each: [.integer, .integer, .text, .text, .integer])
  private static let findDescendants = SQL(
    """
    WITH RECURSIVE below (name) AS (
      SELECT found.name FROM unnest($3::text[]) AS roots (name) \(theirChildren("roots"))
      UNION
      SELECT found.name FROM below \(theirChildren("below")))
    SELECT name FROM below LIMIT $4
    """)
  /// Level by level, so that those which are counted are the uppermost.
  private static let findDepth = SQL(
    """
    WITH RECURSIVE below (name, level) AS (
      SELECT found.name, 1::bigint FROM (VALUES ($3::text)) AS roots (name) \(theirChildren("roots"))
      WHERE $4::bigint > 0
      UNION ALL
      SELECT found.name, below.level + 1 FROM below \(theirChildren("below"))
      WHERE below.level < $4::bigint)
    SELECT coalesce(max(level), 0), count(*) FROM (SELECT level FROM below LIMIT $5) AS looked
    """)
  /// In the order of names, which only the index of parents has.
  private static func theirChildren(_ parents: String) -> String {
    """
    CROSS JOIN LATERAL (
      SELECT records.name FROM records
      WHERE bucket + 0 = $1 AND zone + 0 = $2 AND parent = \(parents).name
      ORDER BY records.name OFFSET 0) AS found
    """
  }
  /// The whole key is compared with what is wanted: with `= ANY` a planner without statistics reads all of the zone.
  private static let forgetDeletions = SQL(
    """
    DELETE FROM records USING (SELECT $1::bigint, $2::bigint, unnest($3::text[])) AS gone (bucket, zone, name)
    WHERE records.bucket = gone.bucket AND records.zone = gone.zone AND records.name = gone.name
      AND type IS NULL AND sequence <= $4
    RETURNING sequence
    """,
    onCitus: """
      DELETE FROM records
      WHERE bucket = $1 AND zone = $2 AND name = ANY($3::text[]) AND type IS NULL AND sequence <= $4
      RETURNING sequence
      """)
  private static let removeAll = [
    """
    UPDATE asset_files SET idle_since = 0 WHERE checksum IN
      (SELECT checksum FROM asset_holders WHERE bucket = $1 AND zone = $2)
    """,
    "DELETE FROM asset_holders WHERE bucket = $1 AND zone = $2",
    "DELETE FROM record_references WHERE bucket = $1 AND zone = $2",
    "DELETE FROM records WHERE bucket = $1 AND zone = $2",
  ].map { SQL($0) }
}
