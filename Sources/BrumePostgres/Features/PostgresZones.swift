// Zones in PostgreSQL.

import BrumeModel
import BrumeStorage

final class PostgresZones: ZoneWriting, Remembering {
  private let session: Session
  private let places: Places
  private struct PageKey: Hashable {
    let database: DatabaseKey
    let after: Int64
  }
  private var known: [ZoneKey: Zone?] = [:]
  /// Planned pages of `changed`, with their limits.
  private var pages: [PageKey: (zones: [Zone], limit: Int)] = [:]

  init(_ session: Session, _ places: Places) {
    self.session = session
    self.places = places
  }

  func find(_ key: ZoneKey) throws -> Zone? {
    if let zone = known[key] { return zone }
    guard let number = try places.number(of: key) else { return nil }
    let zone = try session.first(Self.find, places.values(number, in: key.database)) {
      try $0.zone(of: key.database)
    }
    known[key] = .some(zone)
    return zone
  }

  func all(in database: DatabaseKey) throws -> [Zone] {
    guard let number = try places.number(of: database) else { return [] }
    return try session.all(Self.live, places.values(number, in: database)) {
      try $0.zone(of: database)
    }
  }

  func changed(in database: DatabaseKey, after: Int64, limit: Int) throws -> [Zone] {
    if let page = pages[PageKey(database: database, after: after)], limit <= page.limit {
      return Array(page.zones.prefix(limit))
    }
    guard let number = try places.number(of: database) else { return [] }
    return try session.all(
      Self.changed, places.values(number, in: database) + [.integer(after), .integer(limit)]
    ) { try $0.zone(of: database) }
  }

  func count(in database: DatabaseKey, limit: Int) throws -> Int {
    guard let number = try places.number(of: database) else { return 0 }
    let values = places.values(number, in: database) + [.integer(limit)]
    return Int(try session.first(Self.count, values) { $0.integer(0) } ?? 0)
  }

  func databases(of owner: UserID) throws -> [DatabaseKey] {
    try session.all(Self.databasesOfOwner, [.text(owner.name)]) { try $0.database(0) }
  }

  func databases(in containerEnvironment: ContainerEnvironment) throws -> [DatabaseKey] {
    try session.all(Self.databasesOfContainer, containerEnvironment.values) { try $0.database(0) }
  }

  func unfinishedDeletions(limit: Int) throws -> [ZoneKey] {
    try session.all(Self.unfinishedDeletions, [.integer(limit)]) {
      ZoneKey(database: try $0.database(0), name: $0.text(3))
    }
  }

  func databaseCounts() throws -> [ContainerEnvironment: Int] {
    let counts = try session.all(Self.countDatabases) {
      (try $0.containerEnvironment(0), Int($0.integer(2)))
    }
    return Dictionary(counts) { $1 }
  }

  func put(_ zone: Zone) throws {
    known[zone.key] = .some(zone)
    pages = [:]
    try places.put(
      zone.key, try places.givenNumber(of: zone.key),
      [
        .integer(zone.incarnation), .integer(zone.lastSequence), .text(zone.deletion?.rawValue),
        .flag(zone.hasShares),
      ])
  }

  /// Whether this transaction has met a zone of the database that has shares.
  func hasMetShares(in database: DatabaseKey) -> Bool {
    known.contains { $0.key.database == database && $0.value?.hasShares == true }
  }

  func question(_ key: ZoneKey) throws -> Question? {
    guard let number = try places.number(of: key) else { return nil }
    return Question(Self.find, places.values(number, in: key.database)) { [self] rows in
      known[key] = .some(try rows.first?.zone(of: key.database))
    }
  }

  func question(
    changedIn database: DatabaseKey, after: Int64, limit: Int
  ) throws -> Question? {
    guard let number = try places.number(of: database) else { return nil }
    let values = places.values(number, in: database) + [.integer(after), .integer(limit)]
    return Question(Self.changed, values) { [self] rows in
      let zones = try rows.map { try $0.zone(of: database) }
      pages[PageKey(database: database, after: after)] = (zones, limit)
    }
  }

  func forget() { (known, pages) = ([:], [:]) }

  private static let columns = "name, incarnation, last_sequence, deletion, has_shares"
  private static let find = SQL(
    """
    SELECT \(columns) FROM zones WHERE bucket = $1 AND id = $2 AND incarnation IS NOT NULL
    """, each: [.integer, .integer])
  private static let live = SQL(
    """
    SELECT \(columns) FROM zones
    WHERE bucket = $1 AND database = $2 AND incarnation IS NOT NULL AND deletion IS NULL
    ORDER BY name
    """)
  private static let count = SQL(
    """
    SELECT count(*) FROM (
      SELECT 1 FROM zones WHERE bucket = $1 AND database = $2 LIMIT $3) AS found
    """)
  private static let databasesOfOwner = SQL(
    """
    SELECT container, environment, owner FROM databases WHERE owner = $1
    ORDER BY container, environment
    """)
  private static let databasesOfContainer = SQL(
    """
    SELECT container, environment, owner FROM databases
    WHERE container = $1 AND environment = $2 ORDER BY owner
    """)
  private static let unfinishedDeletions = SQL(
    """
    SELECT d.container, d.environment, d.owner, z.name
    FROM zones z JOIN databases d ON d.bucket = z.bucket AND d.id = z.database
    WHERE z.deletion IS NOT NULL
      AND EXISTS (SELECT 1 FROM records r WHERE r.bucket = z.bucket AND r.zone = z.id)
    LIMIT $1
    """)
  private static let countDatabases = SQL(
    "SELECT container, environment, count(*) FROM databases GROUP BY container, environment")
  /// In the order of the index, and of those the ones of one sequence by name: a planner without statistics would read
  /// all zones to sort them.
  private static let changed = SQL(
    """
    SELECT * FROM (
      SELECT \(columns) FROM zones
      WHERE bucket = $1 AND database = $2 AND last_sequence > $3 AND incarnation IS NOT NULL
      ORDER BY last_sequence FETCH FIRST ($4) ROWS WITH TIES) AS changed
    ORDER BY last_sequence, name LIMIT $4
    """)
}

extension Row {
  fileprivate func zone(of database: DatabaseKey) throws -> Zone {
    Zone(
      key: ZoneKey(database: database, name: text(0)), incarnation: integer(1),
      lastSequence: integer(2),
      deletion: try optionalText(3).map { try known(Zone.Deletion(rawValue: $0), "deletion") },
      hasShares: flag(4))
  }
}
