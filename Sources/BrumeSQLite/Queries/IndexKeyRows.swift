// Which fields the query index holds, and under which keys: the tables `wanted_fields` and `index_keys`, by
// record type and zone. What they mean is said by `FieldIndexes`, which also remembers them.

import BrumeQueryPlan
import BrumeStorage

struct IndexKeyRows: IndexKeyStoring {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  func keys(of type: RecordTypeRowKey) throws -> TypeKeys {
    var keys = TypeKeys()
    try connection.each(Self.findWanted, { $0.bind(type) }) { row in
      keys.fields[row.text(0)] = WantedField(
        builtTo: row.optionalText(1), behind: row.optionalInt(3), isStarted: row.bool(2))
      return true
    }
    if keys.fields.isEmpty { return keys }
    try connection.each(Self.findKeys, { $0.bind(type) }) { row in
      let kind = try row.known(IndexKind(rawValue: row.int(2)), "index kind")
      keys.fields[row.text(1)]?.keys.append(
        IndexKey(id: row.int(0), kind: kind, isSparse: row.bool(3), isCut: row.bool(4)))
      return true
    }
    return keys
  }

  private static let findWanted = SQL(
    "SELECT field, built_to, started, behind FROM wanted_fields WHERE zone = ?1 AND type = ?2")
  private static let findKeys = SQL(
    "SELECT id, field, kind, sparse, cut FROM index_keys WHERE zone = ?1 AND type = ?2")

  // MARK: Fields

  func add(_ part: IndexPart) throws { try connection.run(Self.addField) { $0.bind(part) } }

  func setBuilt(_ part: IndexPart, to name: String?) throws {
    try connection.run(Self.setBuilt) {
      $0.bind(part)
      $0.bind(4, name)
    }
  }

  func setBehind(_ part: IndexPart, _ sequence: Int64?) throws {
    try connection.run(Self.setBehind) {
      $0.bind(part)
      $0.bind(4, sequence)
    }
  }

  func start(_ part: IndexPart) throws { try connection.run(Self.start) { $0.bind(part) } }

  func removeKeys(ofZone zone: Int64) throws {
    try connection.run(Self.removeKeys) { $0.bind(1, zone) }
    try connection.run(Self.removeFields) { $0.bind(1, zone) }
  }

  private static let addField = SQL("INSERT INTO wanted_fields VALUES (?1, ?2, ?3, '', 0, NULL)")
  private static let setBuilt = SQL(
    "UPDATE wanted_fields SET built_to = ?4 WHERE zone = ?1 AND type = ?2 AND field = ?3")
  private static let setBehind = SQL(
    "UPDATE wanted_fields SET behind = ?4 WHERE zone = ?1 AND type = ?2 AND field = ?3")
  private static let start = SQL(
    "UPDATE wanted_fields SET started = 1 WHERE zone = ?1 AND type = ?2 AND field = ?3")
  private static let removeKeys = SQL("DELETE FROM index_keys WHERE zone = ?1")
  private static let removeFields = SQL("DELETE FROM wanted_fields WHERE zone = ?1")

  // MARK: What is not finished

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

  // MARK: Keys

  func addKey(_ kind: IndexKind, of part: IndexPart, isSparse: Bool) throws -> Int64 {
    try connection.run(Self.addKey) {
      $0.bind(part)
      $0.bind(4, kind.rawValue)
      $0.bind(5, isSparse)
    }
    return connection.lastRowID
  }

  func markCut(key: Int64) throws { try connection.run(Self.markCut) { $0.bind(1, key) } }

  func markSparse(key: Int64) throws { try connection.run(Self.markSparse) { $0.bind(1, key) } }

  private static let addKey = SQL(
    "INSERT INTO index_keys (zone, type, field, kind, sparse, cut) VALUES (?1, ?2, ?3, ?4, ?5, 0)")
  private static let markCut = SQL("UPDATE index_keys SET cut = 1 WHERE id = ?1")
  private static let markSparse = SQL("UPDATE index_keys SET sparse = 1 WHERE id = ?1")
}

extension FieldIndexes: Remembering {}

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
