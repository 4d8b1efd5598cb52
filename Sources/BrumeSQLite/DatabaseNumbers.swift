// Database keys and zones as numbers. A number, once given, is never taken back.

import BrumeModel
import BrumeStorage

final class DatabaseNumbers: Remembering {
  private let connection: Connection
  private var databases: [DatabaseKey: Int64] = [:]
  private var zones: [ZoneKey: Int64] = [:]

  init(_ connection: Connection) { self.connection = connection }

  func number(of database: DatabaseKey) throws -> Int64? {
    if let known = databases[database] { return known }
    let found = try NumberedTable.databases.number(on: connection, of: Self.name(of: database)) {
      $0.bind(database, from: 1)
    }
    databases[database] = found
    return found
  }

  func number(of zone: ZoneKey) throws -> Int64? {
    if let known = zones[zone] { return known }
    guard let database = try number(of: zone.database) else { return nil }
    let found = try NumberedTable.zones.number(
      on: connection, of: "zone '\(NameRules.shown(zone.name))'"
    ) {
      $0.bind(1, database)
      $0.bind(2, zone.name)
    }
    zones[zone] = found
    return found
  }

  /// The database that has the zone of this number.
  func database(ofZone zone: Int64) throws -> DatabaseKey? {
    try connection.first(Self.findDatabaseOfZone, { $0.bind(1, zone) }) {
      try connection.database($0)
    } ?? nil
  }

  func givenNumber(of database: DatabaseKey) throws -> Int64 {
    if let known = try number(of: database) { return known }
    try connection.run(Self.addDatabase) { $0.bind(database, from: 1) }
    databases[database] = connection.lastRowID
    return connection.lastRowID
  }

  func givenNumber(of zone: ZoneKey) throws -> Int64 {
    if let known = try number(of: zone) { return known }
    let database = try givenNumber(of: zone.database)
    try connection.run(Self.addZone) {
      $0.bind(1, database)
      $0.bind(2, zone.name)
    }
    zones[zone] = connection.lastRowID
    return connection.lastRowID
  }

  func bodyBegins() {
    if databases.count > Remembered.limit || zones.count > Remembered.limit { forget() }
  }

  func forget() { (databases, zones) = ([:], [:]) }

  private static func name(of database: DatabaseKey) -> String {
    database.owner.map { "the private database of '\($0.name)'" } ?? "the public database"
  }

  private static let findDatabaseOfZone = SQL(
    """
    SELECT \(Connection.databaseColumns) FROM databases
    WHERE id = (SELECT database FROM zones WHERE id = ?1)
    """)
  private static let addDatabase = SQL(
    """
    INSERT INTO databases (container, environment, owner, sequence, checksum, sequence_checksum)
    VALUES (?1, ?2, ?3, 0, row_sum(?1, ?2, ?3), row_sum(?1, ?2, ?3, 0))
    """)
  private static let nextZone = "(SELECT ifnull(max(id), 0) + 1 FROM zones)"
  private static let addZone = SQL(
    """
    INSERT INTO zones (id, database, name, last_sequence, has_shares, checksum)
    VALUES (\(nextZone), ?1, ?2, 0, 0, row_sum(\(nextZone), ?1, ?2, NULL, 0, NULL, 0))
    """)
}

extension Connection {
  /// What `database` reads.
  static let databaseColumns = "container, environment, owner, \(SummedTable.databases.fits)"

  /// From the first columns; nil: the row is damaged.
  func database(_ row: Prepared) throws -> DatabaseKey? {
    if row.bool(3) { return try row.database(0) }
    damaged.note("databases", "\(row.text(0)) \(row.text(1)) '\(row.text(2))'")
    return nil
  }
}

extension Prepared {
  /// Three parameters: container, environment, owner.
  func bind(_ database: DatabaseKey, from index: Int32) {
    bind(database.containerEnvironment, from: index)
    bind(index + 2, database.ownerColumn)
  }

  /// Three columns, as bound above.
  func database(_ column: Int32) throws -> DatabaseKey {
    DatabaseKey(in: try containerEnvironment(column), ownerColumn: text(column + 2))
  }

  /// Two parameters: container, environment.
  func bind(_ containerEnvironment: ContainerEnvironment, from index: Int32) {
    bind(index, containerEnvironment.container.name)
    bind(index + 1, containerEnvironment.environment.rawValue)
  }

  /// Two columns, as bound above.
  func containerEnvironment(_ column: Int32) throws -> ContainerEnvironment {
    ContainerEnvironment(ContainerID(text(column)), try environment(column + 1))
  }

  func environment(_ column: Int32) throws -> Environment {
    try known(Environment(rawValue: text(column)), "environment")
  }

  /// A value that this version must know.
  func known<Value>(_ value: Value?, _ what: String) throws -> Value {
    guard let value else { throw StoreError(.corrupt, "unknown \(what) in the database file") }
    return value
  }
}
