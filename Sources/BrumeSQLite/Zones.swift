// Zones and database sequences in SQLite.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage

extension SQLiteTransaction {
  func zone(_ key: ZoneKey) throws -> Zone? {
    guard let number = try number(of: key) else { return nil }
    return try connection.first(Self.findZone, { $0.bind(1, number) }) {
      try $0.zone(of: key.database)
    }
  }

  func zones(in database: DatabaseKey) throws -> [Zone] {
    guard let number = try number(of: database) else { return [] }
    return try connection.all(Self.liveZones, { $0.bind(1, number) }) {
      try $0.zone(of: database)
    }
  }

  func zonesChanged(in database: DatabaseKey, after: Int64, limit: Int) throws -> [Zone] {
    guard let number = try number(of: database) else { return [] }
    return try connection.all(
      Self.changedZones,
      {
        $0.bind(1, number)
        $0.bind(2, after)
        $0.bind(3, limit)
      }
    ) { try $0.zone(of: database) }
  }

  func put(_ zone: Zone) throws {
    let number = try givenNumber(of: zone.key)
    try connection.run(Self.putZone) {
      $0.bind(1, number)
      $0.bind(2, zone.incarnation)
      $0.bind(3, zone.lastSequence)
      $0.bind(4, zone.deletion?.rawValue)
      $0.bind(5, zone.hasShares)
    }
    let database = try givenNumber(of: zone.key.database)
    if zone.lastSequence >= cache.sequences[database] ?? 0 {
      cache.changedSequences.remove(database)
    }
  }

  func removeContents(of zone: ZoneKey) throws {
    guard let number = try number(of: zone) else { return }
    for sql in Self.removeContents { try connection.run(sql) { $0.bind(1, number) } }
    seen.removeAll()
    cache.isProvisional = true
    cache.typeKeys = cache.typeKeys.filter { $0.key.zone != number }
  }

  private static let columns = "name, incarnation, last_sequence, deletion, has_shares"
  private static let findZone = SQL(
    "SELECT \(columns) FROM zones WHERE id = ?1 AND incarnation IS NOT NULL")
  private static let liveZones = SQL(
    """
    SELECT \(columns) FROM zones
    WHERE database = ?1 AND incarnation IS NOT NULL AND deletion IS NULL ORDER BY name
    """)
  private static let changedZones = SQL(
    """
    SELECT \(columns) FROM zones
    WHERE database = ?1 AND last_sequence > ?2 AND incarnation IS NOT NULL
    ORDER BY last_sequence, name LIMIT ?3
    """)
  private static let putZone = SQL(
    """
    UPDATE zones SET incarnation = ?2, last_sequence = ?3, deletion = ?4, has_shares = ?5
    WHERE id = ?1
    """)
  private static let removeContents =
    [
      SQL("DELETE FROM query_index WHERE key IN (SELECT id FROM index_keys WHERE zone = ?1)"),
      SQL("DELETE FROM index_keys WHERE zone = ?1"),
      SQL("DELETE FROM wanted_fields WHERE zone = ?1"),
      SQL("DELETE FROM record_references WHERE zone = ?1"),
      SQL("DELETE FROM records WHERE zone = ?1"),
    ] + removeAssetHolders
}

// MARK: Sequences

extension SQLiteTransaction {
  func lastSequence(in database: DatabaseKey) throws -> Int64 {
    guard let number = try number(of: database) else { return 0 }
    return try lastSequence(of: number)
  }

  /// Counted in memory. It is on disk with the zone that it was given to; the database's own row is
  /// written only for a sequence that no zone has, so that a save changes one page less.
  func nextSequence(in database: DatabaseKey) throws -> Int64 {
    let number = try givenNumber(of: database)
    let next = max(try lastSequence(of: number), try sequenceFloor()) + 1
    cache.isProvisional = true
    cache.sequences[number] = next
    cache.changedSequences.insert(number)
    return next
  }

  func raiseSequences(above floor: Int64) throws {
    guard try sequenceFloor() < floor else { return }
    try connection.run(Self.setFloor) {
      $0.bind(1, Self.floorName)
      $0.bind(2, String(floor))
    }
    cache.isProvisional = true
    cache.sequenceFloor = floor
  }

  private func sequenceFloor() throws -> Int64 {
    if let known = cache.sequenceFloor { return known }
    let floor = try connection.first(Self.findFloor, { $0.bind(1, Self.floorName) }) {
      Int64($0.text(0)) ?? 0
    }
    cache.sequenceFloor = floor ?? 0
    return floor ?? 0
  }

  private func lastSequence(of number: Int64) throws -> Int64 {
    if let known = cache.sequences[number] { return known }
    let last = try connection.first(Self.findSequence, { $0.bind(1, number) }) { $0.int(0) } ?? 0
    cache.sequences[number] = last
    return last
  }

  private static let floorName = "sequence-floor"
  private static let findFloor = SQL("SELECT value FROM settings WHERE name = ?1")
  private static let setFloor = SQL("INSERT OR REPLACE INTO settings VALUES (?1, ?2)")
  private static let findSequence = SQL(
    """
    SELECT max(sequence, ifnull(
      (SELECT max(last_sequence) FROM zones WHERE database = ?1), 0))
    FROM databases WHERE id = ?1
    """)
}

extension Prepared {
  fileprivate func zone(of database: DatabaseKey) throws -> Zone {
    let deletion = optionalText(3)
    return Zone(
      key: ZoneKey(database: database, name: text(0)), incarnation: int(1), lastSequence: int(2),
      deletion: try deletion.map { try known(Zone.Deletion(rawValue: $0), "deletion") },
      hasShares: bool(4))
  }
}
