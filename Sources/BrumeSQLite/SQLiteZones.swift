// Zones in SQLite. Every save asks for its zone and changes it, so the writer remembers zones.

import BrumeModel
import BrumeStorage

final class SQLiteZones: ZoneWriting, Remembering {
  /// Ours: with more zones than this, what is remembered starts anew.
  private static let mostZones = 10_000

  private let connection: Connection
  private let numbers: DatabaseNumbers
  private let sequences: SQLiteSequences
  private let isWriter: Bool
  /// By number, as the writer has read or written them last.
  private var known: [Int64: Zone] = [:]

  init(
    _ connection: Connection, _ numbers: DatabaseNumbers, _ sequences: SQLiteSequences,
    isWriter: Bool
  ) {
    self.connection = connection
    self.numbers = numbers
    self.sequences = sequences
    self.isWriter = isWriter
  }

  func find(_ key: ZoneKey) throws -> Zone? {
    guard let number = try numbers.number(of: key) else { return nil }
    if let zone = known[number] { return zone }
    let found =
      try connection.first(Self.findZone, { $0.bind(1, number) }) {
        try zone($0, of: key.database)
      } ?? nil
    if isWriter { known[number] = found }
    return found
  }

  func all(in database: DatabaseKey) throws -> [Zone] {
    guard let number = try numbers.number(of: database) else { return [] }
    return try connection.all(Self.liveZones, { $0.bind(1, number) }) {
      try zone($0, of: database)
    }.compactMap { $0 }
  }

  func changed(in database: DatabaseKey, after: Int64, limit: Int) throws -> [Zone] {
    guard let number = try numbers.number(of: database) else { return [] }
    return try connection.all(
      Self.changedZones,
      {
        $0.bind(1, number)
        $0.bind(2, after)
        $0.bind(3, limit)
      }
    ) { try zone($0, of: database) }.compactMap { $0 }
  }

  func count(in database: DatabaseKey, limit: Int) throws -> Int {
    guard let number = try numbers.number(of: database) else { return 0 }
    return try connection.first(
      Self.countZones,
      {
        $0.bind(1, number)
        $0.bind(2, limit)
      }
    ) { Int($0.int(0)) } ?? 0
  }

  func databases(of owner: UserID) throws -> [DatabaseKey] {
    try connection.all(Self.databasesOfOwner, { $0.bind(1, owner.name) }) {
      try connection.database($0)
    }.compactMap { $0 }
  }

  func databases(in containerEnvironment: ContainerEnvironment) throws -> [DatabaseKey] {
    try connection.all(Self.databasesOfContainer, { $0.bind(containerEnvironment, from: 1) }) {
      try connection.database($0)
    }.compactMap { $0 }
  }

  func unfinishedDeletions(limit: Int) throws -> [ZoneKey] {
    try connection.all(Self.unfinishedDeletions, { $0.bind(1, limit) }) { row in
      try connection.database(row).map { ZoneKey(database: $0, name: row.text(4)) }
    }.compactMap { $0 }
  }

  func databaseCounts() throws -> [ContainerEnvironment: Int] {
    let counts = try connection.all(Self.countDatabases) { row in
      try connection.noteDamage(row, .databases, at: 3)
        ? nil : (row.containerEnvironment(0), Int(row.int(2)))
    }
    return Dictionary(counts.compactMap { $0 }) { $1 }
  }

  func put(_ zone: Zone) throws {
    let number = try numbers.givenNumber(of: zone.key)
    try connection.run(Self.putZone) {
      $0.bind(1, number)
      $0.bind(2, zone.incarnation)
      $0.bind(3, zone.lastSequence)
      $0.bind(4, zone.deletion?.rawValue)
      $0.bind(5, zone.hasShares)
    }
    if isWriter { known[number] = zone }
    let database = try numbers.givenNumber(of: zone.key.database)
    sequences.isWritten(zone.lastSequence, withZoneOf: database)
  }

  func bodyBegins() { if known.count > Self.mostZones { forget() } }

  func forget() { known = [:] }

  /// Nil: the zone was never put.
  private func zone(_ row: Prepared, of database: DatabaseKey) throws -> Zone? {
    let name = row.text(0)
    guard row.bool(5) else {
      throw connection.damage(.zones, "number \(row.int(6))", "zone '\(NameRules.shown(name))'")
    }
    return try row.zone(of: database)
  }

  private static func columns(_ fits: String) -> String {
    "name, incarnation, last_sequence, deletion, has_shares, \(fits), id"
  }
  private static let ofDatabase = columns(SummedTable.zones.fits(at: ["database": "?1"]))
  private static let findZone = SQL(
    "SELECT \(columns(SummedTable.zones.fits)) FROM zones WHERE id = ?1")
  private static let liveZones = SQL(
    """
    SELECT \(ofDatabase) FROM zones
    WHERE database = ?1 AND incarnation IS NOT NULL AND deletion IS NULL ORDER BY name
    """)
  private static let changedZones = SQL(
    """
    SELECT \(ofDatabase) FROM zones
    WHERE database = ?1 AND last_sequence > ?2 AND incarnation IS NOT NULL
    ORDER BY last_sequence, name LIMIT ?3
    """)
  /// The index of names has all that it needs.
  private static let countZones = SQL(
    "SELECT count(*) FROM (SELECT 1 FROM zones WHERE database = ?1 LIMIT ?2)")
  private static let databasesOfOwner = SQL(
    """
    SELECT \(Connection.databaseColumns) FROM databases WHERE owner = ?1
    ORDER BY container, environment
    """)
  private static let databasesOfContainer = SQL(
    """
    SELECT \(Connection.databaseColumns) FROM databases
    WHERE container = ?1 AND environment = ?2 ORDER BY owner
    """)
  /// Of zones that fit their checksums: no others lead to rows that are taken away.
  private static let unfinishedDeletions = SQL(
    """
    SELECT d.container, d.environment, d.owner, \(SummedTable.databases.fits("d")), z.name
    FROM zones z JOIN databases d ON d.id = z.database
    WHERE z.deletion IS NOT NULL AND \(SummedTable.zones.fits("z"))
      AND (EXISTS (SELECT 1 FROM records r WHERE r.zone = z.id)
        OR EXISTS (SELECT 1 FROM index_keys k WHERE k.zone = z.id))
    LIMIT ?1
    """)
  private static let countDatabases = SQL(
    """
    SELECT container, environment, count(*), \(SummedTable.databases.damage) AS damage FROM databases
    GROUP BY container, environment, damage
    """)
  private static let putZone = SQL(
    """
    UPDATE zones SET incarnation = ?2, last_sequence = ?3, deletion = ?4, has_shares = ?5,
      checksum = row_sum(id, database, name, ?2, ?3, ?4, ?5)
    WHERE id = ?1
    """)
}

extension Prepared {
  fileprivate func zone(of database: DatabaseKey) throws -> Zone? {
    if isNull(1) { return nil }
    let deletion = optionalText(3)
    return Zone(
      key: ZoneKey(database: database, name: text(0)), incarnation: int(1), lastSequence: int(2),
      deletion: try deletion.map { try known(Zone.Deletion(rawValue: $0), "deletion") },
      hasShares: bool(4))
  }
}
