// Which fields the query index holds, and under which keys: the tables `wanted_fields` and `index_keys`, by
// record type and zone. Every save asks, so they are remembered.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage

/// A field of a record type in a zone.
struct IndexPart: Hashable, Sendable {
  let type: RecordTypeRowKey
  let field: String
}

/// One record under one wanted field.
struct IndexEntry {
  let part: IndexPart
  var wanted: WantedField
  var record: String
  /// The record's row.
  var row: Int64
}

final class FieldIndexes: IndexKeyReading, Remembering {
  private let connection: Connection
  private var known: [RecordTypeRowKey: TypeKeys] = [:]

  init(_ connection: Connection) { self.connection = connection }

  /// What the index holds of a type.
  func keys(of type: RecordTypeRowKey) throws -> TypeKeys {
    if let keys = known[type] { return keys }
    var keys = TypeKeys()
    try connection.each(Self.findWanted, { $0.bind(type) }) { row in
      keys.fields[row.text(0)] = WantedField(
        builtTo: row.optionalText(1), behind: row.optionalInt(3), isStarted: row.bool(2))
      return true
    }
    if !keys.fields.isEmpty {
      try connection.each(Self.findKeys, { $0.bind(type) }) { row in
        let kind = try row.known(IndexKind(rawValue: row.int(2)), "index kind")
        keys.fields[row.text(1)]?.keys.append(
          IndexKey(id: row.int(0), kind: kind, isSparse: row.bool(3), isCut: row.bool(4)))
        return true
      }
    }
    known[type] = keys
    return keys
  }

  /// Remembers what the entry taught about its field.
  func keep(_ entry: IndexEntry) {
    let (type, field) = (entry.part.type, entry.part.field)
    guard known[type]?.fields[field] != entry.wanted else { return }
    known[type]?.fields[field] = entry.wanted
  }

  func bodyBegins() { if known.count > Remembered.limit { forget() } }

  func forget() { known = [:] }

  private static let findWanted = SQL(
    "SELECT field, built_to, started, behind FROM wanted_fields WHERE zone = ?1 AND type = ?2")
  private static let findKeys = SQL(
    "SELECT id, field, kind, sparse, cut FROM index_keys WHERE zone = ?1 AND type = ?2")

  // MARK: Fields

  /// A query asks for a field that nobody asked for before.
  func want(_ part: IndexPart) throws {
    try connection.run(Self.want) { $0.bind(part) }
    known[part.type]?.fields[part.field] = WantedField(builtTo: "", isStarted: false)
  }

  /// The index has records up to this name; nil: all.
  func setBuilt(_ part: IndexPart, to name: String?) throws {
    try change(part, Self.setBuilt, { $0.bind(4, name) }) { $0.builtTo = name }
  }

  /// Leaves records with a greater sequence for later.
  func setBehind(_ part: IndexPart, _ sequence: Int64?) throws {
    try change(part, Self.setBehind, { $0.bind(4, sequence) }) { $0.behind = sequence }
  }

  /// Changes what is stored and known of how far a field is.
  private func change(
    _ part: IndexPart, _ sql: SQL, _ bind: (Prepared) -> Void,
    _ change: (inout WantedField) -> Void
  ) throws {
    try connection.run(sql) {
      $0.bind(part)
      bind($0)
    }
    if known[part.type]?.fields[part.field] != nil {
      change(&known[part.type]!.fields[part.field]!)
    }
  }

  /// The next type that is not finished.
  /// - Parameter leavesBehind: whether records that are behind do not count.
  func unfinishedType(
    after last: RecordTypeRowKey?, leavesBehind: Bool
  ) throws -> RecordTypeRowKey? {
    let bind: (Prepared) -> Void = {
      $0.bind(last ?? RecordTypeRowKey(zone: -1, type: ""))
      $0.bind(3, leavesBehind)
    }
    return try connection.first(Self.findUnfinished, bind) {
      RecordTypeRowKey(zone: $0.int(0), type: $0.text(1))
    }
  }

  /// How many fields, of whatever type, do not have all records.
  func countUnfinished() throws -> Int {
    try connection.first(Self.countUnfinished) { Int($0.int(0)) } ?? 0
  }

  /// Where what is not finished stands.
  static let unfinished = """
    FROM wanted_fields INDEXED BY wanted_fields_unfinished
    WHERE (built_to IS NOT NULL OR behind IS NOT NULL)
    """
  private static let findUnfinished = SQL(
    """
    SELECT zone, type \(unfinished) AND (zone, type) > (?1, ?2) AND (built_to IS NOT NULL OR NOT ?3)
    ORDER BY zone, type LIMIT 1
    """)
  private static let countUnfinished = SQL("SELECT count(*) \(unfinished)")
  private static let want = SQL("INSERT INTO wanted_fields VALUES (?1, ?2, ?3, '', 0, NULL)")
  private static let setBuilt = SQL(
    "UPDATE wanted_fields SET built_to = ?4 WHERE zone = ?1 AND type = ?2 AND field = ?3")
  private static let setBehind = SQL(
    "UPDATE wanted_fields SET behind = ?4 WHERE zone = ?1 AND type = ?2 AND field = ?3")

  // MARK: Keys of an entry's field

  /// The field's key of a kind, made if it is missing.
  func key(_ kind: IndexKind, _ entry: inout IndexEntry) throws -> IndexKey {
    if let known = entry.wanted.key(kind) { return known }
    let isSparse = entry.wanted.isSparse(new: kind)
    try connection.run(Self.addKey) {
      $0.bind(entry.part)
      $0.bind(4, kind.rawValue)
      $0.bind(5, isSparse)
    }
    let key = IndexKey(id: connection.lastRowID, kind: kind, isSparse: isSparse, isCut: false)
    entry.wanted.keys.append(key)
    return key
  }

  func markCut(_ key: IndexKey, _ entry: inout IndexEntry) throws {
    try connection.run(Self.markCut) { $0.bind(1, key.id) }
    entry.wanted.change(key) { $0.isCut = true }
  }

  /// A record without a row under some dense key: from now on the key is sparse, for good.
  func markSparse(except own: IndexKey?, _ entry: inout IndexEntry) throws {
    for key in entry.wanted.keys where !key.isSparse && key.id != own?.id {
      try connection.run(Self.markSparse) { $0.bind(1, key.id) }
      entry.wanted.change(key) { $0.isSparse = true }
    }
  }

  func start(_ entry: inout IndexEntry) throws {
    guard !entry.wanted.isStarted else { return }
    try connection.run(Self.start) { $0.bind(entry.part) }
    entry.wanted.isStarted = true
  }

  func removeContents(ofZone zone: Int64) throws {
    try connection.run(Self.removeKeys) { $0.bind(1, zone) }
    try connection.run(Self.removeWanted) { $0.bind(1, zone) }
    known = known.filter { $0.key.zone != zone }
  }

  private static let addKey = SQL(
    "INSERT INTO index_keys (zone, type, field, kind, sparse, cut) VALUES (?1, ?2, ?3, ?4, ?5, 0)")
  private static let markCut = SQL("UPDATE index_keys SET cut = 1 WHERE id = ?1")
  private static let markSparse = SQL("UPDATE index_keys SET sparse = 1 WHERE id = ?1")
  private static let start = SQL(
    "UPDATE wanted_fields SET started = 1 WHERE zone = ?1 AND type = ?2 AND field = ?3")
  private static let removeKeys = SQL("DELETE FROM index_keys WHERE zone = ?1")
  private static let removeWanted = SQL("DELETE FROM wanted_fields WHERE zone = ?1")
}

extension Prepared {
  func bind(_ type: RecordTypeRowKey) {
    bind(1, type.zone)
    bind(2, type.type)
  }

  fileprivate func bind(_ part: IndexPart) {
    bind(part.type)
    bind(3, part.field)
  }
}
