// Which fields the query index holds, and under which keys: the tables `wanted_fields` and `index_keys`, by
// record type and zone. What they mean is said by `FieldIndexes`, which also remembers them.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage

struct IndexKeyRows: IndexKeyStoring {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  func keys(of type: RecordTypeRowKey) throws -> TypeKeys {
    var keys = TypeKeys()
    try connection.each(Self.findWanted, { $0.bind(type) }) { row in
      try requireWhole(row, .wantedFields, type)
      keys.fields[row.text(2)] = WantedField(
        builtTo: row.optionalText(3), behind: row.optionalInt(5), isStarted: row.bool(4))
      return true
    }
    if keys.fields.isEmpty { return keys }
    try connection.each(Self.findKeys, { $0.bind(type) }) { row in
      try requireWhole(row, .indexKeys, type)
      let kind = try row.known(IndexKind(rawValue: row.int(3)), "index kind")
      keys.fields[row.text(2)]?.keys.append(
        IndexKey(id: row.int(6), kind: kind, isSparse: row.bool(4), isCut: row.bool(5)))
      return true
    }
    return keys
  }

  /// What the index holds is not known otherwise: a query could miss records, and a save could leave one out.
  private func requireWhole(
    _ row: Prepared, _ table: SummedTable, _ type: RecordTypeRowKey
  ) throws {
    try connection.requireWhole(
      row, table, "what the index holds of record type '\(NameRules.shown(type.type))'")
  }

  private static let findWanted = SQL(
    "SELECT \(SummedTable.wantedFields.whole) FROM wanted_fields WHERE zone = ?1 AND type = ?2")
  private static let findKeys = SQL(
    "SELECT \(SummedTable.indexKeys.whole) FROM index_keys WHERE zone = ?1 AND type = ?2")

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
    try removeFields(ofZone: zone)
  }

  func removeFields(ofZone zone: Int64) throws {
    try connection.run(Self.removeFields) { $0.bind(1, zone) }
  }

  private static let addField = SQL(
    """
    INSERT INTO wanted_fields (zone, type, field, built_to, started, checksum)
    VALUES (?1, ?2, ?3, '', 0, row_sum(?1, ?2, ?3, '', 0, NULL))
    """)
  private static let setBuilt = change("built_to", to: "?4")
  private static let setBehind = change("behind", to: "?4")
  private static let start = change("started", to: "1")

  private static func change(_ column: String, to value: String) -> SQL {
    SQL(
      """
      UPDATE wanted_fields
      SET \(column) = \(value), \(SummedTable.wantedFields.sum(changing: [column: value]))
      WHERE zone = ?1 AND type = ?2 AND field = ?3
      """)
  }
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
      $0.bind(6, false)
    }
    return connection.lastRowID
  }

  func markCut(key: Int64) throws { try connection.run(Self.markCut) { $0.bind(1, key) } }

  func markSparse(key: Int64) throws { try connection.run(Self.markSparse) { $0.bind(1, key) } }

  private static let addKey = SQL(SummedTable.indexKeys.insertNext())
  private static let markCut = mark("cut")
  private static let markSparse = mark("sparse")

  private static func mark(_ column: String) -> SQL {
    SQL(
      """
      UPDATE index_keys SET \(column) = 1, \(SummedTable.indexKeys.sum(changing: [column: "1"]))
      WHERE id = ?1
      """)
  }
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
