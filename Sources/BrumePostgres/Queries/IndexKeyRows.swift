// Which fields the query index holds in a bucket, and under which keys: the tables `wanted_fields` and
// `index_keys`. What they mean is said by `FieldIndexes`.

import BrumeQueryPlan
import BrumeStorage

final class IndexKeyRows: IndexKeyStoring {
  private let session: Session
  private let bucket: SQLValue
  private let places: Places
  /// Zones of which all is in `known`, and types.
  private var zones: Set<Int64> = []
  private var types: Set<RecordTypeRowKey> = []
  private var known: [RecordTypeRowKey: TypeKeys] = [:]

  init(_ session: Session, _ bucket: SQLValue, _ places: Places) {
    self.session = session
    self.bucket = bucket
    self.places = places
  }

  func keys(of type: RecordTypeRowKey) throws -> TypeKeys {
    try load([type])
    return known[type] ?? TypeKeys()
  }

  /// Asks in one exchange for what is not known of these types.
  func load(_ wanted: [RecordTypeRowKey]) throws {
    let missing = wanted.filter { !zones.contains($0.zone) && !types.contains($0) }
    try session.ask(missing.flatMap { questions($0.zone, type: $0.type) })
  }

  /// - Parameter type: nil for all of the zone.
  func questions(_ zone: Int64, type: String? = nil) -> [Question] {
    let values = [bucket, .integer(zone), .text(type)]
    return [
      Question(Self.findFields, values) { [self] rows in
        if let type {
          types.insert(RecordTypeRowKey(zone: zone, type: type))
        } else {
          zones.insert(zone)
        }
        known = known.filter { $0.key.zone != zone || $0.key.type != type ?? $0.key.type }
        for row in rows.map({ $0 }) {
          let field = WantedField(
            builtTo: row.optionalText(2), behind: row.optionalInteger(4), isStarted: row.flag(3))
          known[RecordTypeRowKey(zone: zone, type: row.text(0)), default: TypeKeys()]
            .fields[row.text(1)] = field
        }
      },
      Question(Self.findKeys, values) { [self] rows in
        for row in rows.map({ $0 }) {
          let key = IndexKey(
            id: row.integer(0),
            kind: try row.known(IndexKind(rawValue: row.integer(3)), "index kind"),
            isSparse: row.flag(4), isCut: row.flag(5))
          known[RecordTypeRowKey(zone: zone, type: row.text(1))]?.fields[row.text(2)]?.keys
            .append(key)
        }
      },
    ]
  }

  /// What is remembered is a copy of what `FieldIndexes` remembers, and less exact.
  func forget() { (zones, types, known) = ([], [], [:]) }

  private static let findFields = SQL(
    """
    SELECT type, field, built_to, started, behind FROM wanted_fields
    WHERE bucket = $1 AND zone = $2 AND ($3::text IS NULL OR type = $3)
    """, each: [.integer, .integer, .text])
  private static let findKeys = SQL(
    """
    SELECT id, type, field, kind, sparse, cut FROM index_keys
    WHERE bucket = $1 AND zone = $2 AND ($3::text IS NULL OR type = $3) ORDER BY id
    """, each: [.integer, .integer, .text])

  // MARK: Fields

  func add(_ part: IndexPart) throws {
    session.put(values(part) + [.text(""), .flag(false), .null], in: Self.fields)
  }
  func setBuilt(_ part: IndexPart, to name: String?) throws {
    session.run(Self.setBuilt, values(part) + [.text(name)])
  }
  func setBehind(_ part: IndexPart, _ sequence: Int64?) throws {
    session.run(Self.setBehind, values(part) + [.integer(sequence)])
  }
  func start(_ part: IndexPart) throws { session.run(Self.start, values(part)) }

  func removeKeys(ofZone zone: Int64) throws {
    session.run(Self.removeKeys, [bucket, .integer(zone)])
    session.run(Self.removeFields, [bucket, .integer(zone)])
    forget()
  }

  private func values(_ part: IndexPart) -> [SQLValue] {
    [bucket, .integer(part.type.zone), .text(part.type.type), .text(part.field)]
  }

  private static let fields = Table(
    "wanted_fields",
    key: [("bucket", .integer), ("zone", .integer), ("type", .text), ("field", .text)],
    columns: [("built_to", .text), ("started", .integer), ("behind", .integer)])
  private static let place = "WHERE bucket = $1 AND zone = $2 AND type = $3 AND field = $4"
  private static let setBuilt = SQL("UPDATE wanted_fields SET built_to = $5 \(place)")
  private static let setBehind = SQL("UPDATE wanted_fields SET behind = $5 \(place)")
  private static let start = SQL("UPDATE wanted_fields SET started = 1 \(place)")
  private static let removeKeys = SQL("DELETE FROM index_keys WHERE bucket = $1 AND zone = $2")
  private static let removeFields = SQL("DELETE FROM wanted_fields WHERE bucket = $1 AND zone = $2")

  // MARK: What is not finished

  func countUnfinished() throws -> Int {
    try session.first(Self.countUnfinished, [bucket]) { Int($0.integer(0)) } ?? 0
  }

  private static let countUnfinished = SQL(
    """
    SELECT count(*) FROM wanted_fields
    WHERE bucket = $1 AND (built_to IS NOT NULL OR behind IS NOT NULL)
    """)

  // MARK: Keys

  func addKey(_ kind: IndexKind, of part: IndexPart, isSparse: Bool) throws -> Int64 {
    let number = try places.newNumber()
    session.put(
      [bucket, .integer(number)] + values(part).dropFirst() + [
        .integer(kind.rawValue), .flag(isSparse), .flag(false),
      ], in: Self.keys)
    return number
  }
  func markCut(key: Int64) throws { session.run(Self.markCut, [bucket, .integer(key)]) }
  func markSparse(key: Int64) throws { session.run(Self.markSparse, [bucket, .integer(key)]) }

  private static let keys = Table(
    "index_keys", key: [("bucket", .integer), ("id", .integer)],
    columns: [
      ("zone", .integer), ("type", .text), ("field", .text), ("kind", .integer),
      ("sparse", .integer), ("cut", .integer),
    ])
  private static let markCut = SQL("UPDATE index_keys SET cut = 1 WHERE bucket = $1 AND id = $2")
  private static let markSparse = SQL(
    "UPDATE index_keys SET sparse = 1 WHERE bucket = $1 AND id = $2")
}
