// Every record of a database: whether it fits its checksum, can be read, and is found by what it holds.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage

struct RecordInspection {
  var result: StoreInspection
  private let connection: Connection
  private let coder: RecordCoder
  private let fields: FieldIndexes
  /// Rows that records should have in the index, by key; and among references and holders of files.
  private var indexed: [Int64: Int] = [:]
  private var (references, holders) = (0, 0)
  private var (rows, unsummed, damaged) = (0, 0, 0)

  init(_ connection: Connection, _ coder: RecordCoder, _ result: StoreInspection) {
    self.connection = connection
    self.coder = coder
    self.result = result
    fields = FieldIndexes(IndexKeyRows(connection))
  }

  mutating func run() {
    do {
      try connection.each(composed: Self.all) { row in
        rows += 1
        if row.bool(8) { unsummed += 1 }
        try look(at: row)
        return true
      }
      // What a damaged record holds is unknown, so nothing can be said to be too much.
      if damaged == 0 { try countRest() }
    } catch {
      result.found("records: reading ended after \(rows) rows (\(error))")
    }
    result.read("records", rows: rows, unsummed: unsummed)
  }

  private mutating func look(at row: Prepared) throws {
    let place = Place(row)
    guard row.bool(7) else { return damage("\(place) does not fit its checksum") }
    guard let content = row.optionalBlob(6) else { return }
    guard let record = try? coder.decode(content) else { return damage("\(place) cannot be read") }
    guard record.name == place.name, record.type == row.text(3),
      record.parent == row.optionalText(5)
    else { return damage("\(place) says another name, type or parent than its row") }
    guard let database = place.database else {
      return damage("\(place) is in a zone or database that is not there")
    }
    try lookForReferences(record, place, in: ZoneKey(database: database, name: row.text(9)))
    try lookForHolders(record, place)
    try lookInIndex(record, place, sequence: row.int(4), in: database)
  }

  private mutating func damage(_ finding: String) {
    damaged += 1
    result.found("records: \(finding)")
  }

  // MARK: What records are found by

  private mutating func lookForReferences(
    _ record: Record, _ place: Place, in zone: ZoneKey
  ) throws {
    for pointer in record.pointers(within: zone) {
      references += 1
      let isThere = try connection.exists(Self.reference) {
        $0.bind(1, place.zone)
        $0.bind(2, pointer.target.text)
        $0.bind(3, pointer.action.rawValue)
        $0.bind(4, record.name)
      }
      if !isThere { result.found("record_references: \(place) is not found by what it refers to") }
    }
  }

  private mutating func lookForHolders(_ record: Record, _ place: Place) throws {
    for checksum in record.assetChecksums {
      holders += 1
      let isThere = try connection.exists(Self.holder) {
        $0.bind(1, place.zone)
        $0.bind(2, record.name)
        $0.bind(3, checksum)
      }
      if !isThere { result.found("asset_holders: \(place) is not noted as holding its file") }
    }
  }

  private mutating func lookInIndex(
    _ record: Record, _ place: Place, sequence: Int64, in database: DatabaseKey
  ) throws {
    let rowKey = RecordTypeRowKey(zone: place.zone, type: record.type)
    for (name, wanted) in try fields.keys(of: rowKey).fields where wanted.builtTo == nil {
      if let behind = wanted.behind, sequence > behind { continue }
      var expected: Set<[UInt8]> = []
      let value = record.indexedValue(of: IndexedField(indexName: name), in: database)
      try value?.eachIndexRow { kind, value in
        guard let key = wanted.key(kind) else {
          return result.found("query_index: \(place) has no key for its '\(name)'")
        }
        // Equal elements of a list share a row.
        guard expected.insert([UInt8(kind.rawValue)] + value.orderedBytes).inserted else { return }
        indexed[key.id, default: 0] += 1
        if try !isIndexed(value, under: key, place) {
          result.found("query_index: \(place) is not found by its '\(name)'")
        }
      }
    }
  }

  private func isIndexed(_ value: IndexValue, under key: IndexKey, _ place: Place) throws -> Bool {
    try connection.exists(Self.index) {
      $0.bind(1, key.id)
      $0.bind(2, value)
      $0.bind(3, place.name)
      $0.bind(4, place.row)
    }
  }

  // MARK: What leads nowhere

  private mutating func countRest() throws {
    try compare(references, Self.countReferences, "record_references")
    try compare(holders, Self.countHolders, "asset_holders")
    let counts = try connection.all(Self.countIndex) { ($0.int(0), Int($0.int(1))) }
    for (key, count) in counts where count != indexed[key] ?? 0 {
      result.found(
        "query_index: key \(key) has \(count) rows, and records have \(indexed[key] ?? 0)")
    }
  }

  private mutating func compare(_ expected: Int, _ count: SQL, _ table: String) throws {
    let found = try connection.first(count) { Int($0.int(0)) } ?? 0
    if found != expected {
      result.found("\(table): there are \(found) rows, and records have \(expected)")
    }
  }
}

/// A record as its columns say where it is.
private struct Place: CustomStringConvertible {
  let row: Int64
  let zone: Int64
  let name: String
  let database: DatabaseKey?
  let description: String

  init(_ row: Prepared) {
    self.row = row.int(0)
    zone = row.int(1)
    name = row.text(2)
    database = row.isNull(10) ? nil : try? row.database(10)
    let owner = row.optionalText(12) ?? ""
    description =
      "'\(name)' in zone '\(row.optionalText(9) ?? "number \(zone)")' of "
      + (owner.isEmpty ? "the public database" : "'\(owner)'")
      + ", \(row.optionalText(10) ?? "?") \(row.optionalText(11) ?? "?"),"
  }
}

// MARK: Statements

extension RecordInspection {
  private static let all = """
    SELECT r.id, r.zone, r.name, r.type, r.sequence, r.parent, r.content,
      \(SummedTable.records.fits("r")), r.checksum IS NULL,
      z.name, d.container, d.environment, d.owner
    FROM records r LEFT JOIN zones z ON z.id = r.zone LEFT JOIN databases d ON d.id = z.database
    """
  private static let reference = SQL(
    "SELECT 1 FROM record_references WHERE zone = ?1 AND target = ?2 AND action = ?3 AND name = ?4")
  private static let holder = SQL(
    "SELECT 1 FROM asset_holders WHERE zone = ?1 AND name = ?2 AND checksum = ?3")
  private static let index = SQL(
    "SELECT 1 FROM query_index WHERE key = ?1 AND value = ?2 AND name = ?3 AND row = ?4")
  private static let countReferences = SQL("SELECT count(*) FROM record_references")
  private static let countHolders = SQL("SELECT count(*) FROM asset_holders")
  /// Of fields that have all records.
  private static let countIndex = SQL(
    """
    SELECT k.id, (SELECT count(*) FROM query_index q WHERE q.key = k.id)
    FROM index_keys k JOIN wanted_fields w
      ON w.zone = k.zone AND w.type = k.type AND w.field = k.field
    WHERE w.built_to IS NULL AND w.behind IS NULL
    """)
}
