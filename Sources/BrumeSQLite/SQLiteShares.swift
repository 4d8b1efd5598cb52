// Share memberships and short GUIDs in SQLite.

import BrumeModel
import BrumeStorage

final class SQLiteShares: ShareWriting {
  private let connection: Connection
  private let numbers: DatabaseNumbers

  init(_ connection: Connection, _ numbers: DatabaseNumbers) {
    self.connection = connection
    self.numbers = numbers
  }

  /// Without what is damaged, here and below: it gives nobody a right.
  func memberships(
    of user: UserID, in containerEnvironment: ContainerEnvironment
  ) throws -> [Membership] {
    try memberships(Self.ofUser) { $0.bind(user, containerEnvironment) }
  }

  func memberships(in zone: ZoneKey) throws -> [Membership] {
    guard let number = try numbers.number(of: zone) else { return [] }
    return try memberships(Self.ofZone) { $0.bind(1, number) }
  }

  private func memberships(_ sql: SQL, _ bind: (Prepared) -> Void) throws -> [Membership] {
    try connection.all(sql, bind) { row in
      try isDamaged(row, .memberships) ? nil : row.membership()
    }.compactMap { $0 }
  }

  /// Whether a row of a share, its zone or the zone's database does not fit.
  private func isDamaged(_ row: Prepared, _ table: SummedTable) -> Bool {
    // Each is asked, so that each is noted.
    let damaged = [table, .zones, .databases].enumerated().filter {
      connection.noteDamage(row, $0.element, at: Int32(6 + $0.offset))
    }
    return !damaged.isEmpty
  }

  func put(_ membership: Membership) throws {
    let zone = try numbers.givenNumber(of: membership.share.zone)
    try connection.run(Self.put) { $0.bind(membership, zone) }
  }

  func remove(_ membership: Membership) throws {
    guard let zone = try numbers.number(of: membership.share.zone) else { return }
    try connection.run(Self.remove) { $0.bind(membership, zone) }
  }

  func record(shortGUID: String) throws -> RecordKey? {
    try connection.first(Self.findGUID, { $0.bind(1, shortGUID) }) { row in
      if isDamaged(row, .shortGUIDs) {
        throw BrumeError.damaged("where this share's address leads")
      }
      return RecordKey(zone: try row.zone(2), name: row.text(1))
    }
  }

  func setShortGUID(_ shortGUID: String, record: RecordKey) throws {
    let zone = try numbers.givenNumber(of: record.zone)
    try connection.run(Self.putGUID) {
      $0.bind(1, shortGUID)
      $0.bind(2, zone)
      $0.bind(3, record.name)
    }
  }

  private static let zone = "z.name, d.container, d.environment, d.owner"
  private static let zoneDamage =
    "\(SummedTable.zones.damage("z")), \(SummedTable.databases.damage("d"))"
  private static let select = """
    SELECT m.user, m.share, \(zone), \(SummedTable.memberships.damage("m")), \(zoneDamage)
    FROM memberships m
      JOIN zones z ON z.id = m.zone JOIN databases d ON d.id = z.database
    """
  private static let order = "ORDER BY z.name, d.owner, m.share, m.user"
  private static let ofUser = SQL(
    "\(select) WHERE m.user = ?3 AND d.container = ?1 AND d.environment = ?2 \(order)")
  private static let ofZone = SQL("\(select) WHERE m.zone = ?1 \(order)")
  private static let put = SQL(SummedTable.memberships.replace)
  private static let remove = SQL(
    "DELETE FROM memberships WHERE user = ?1 AND zone = ?2 AND share = ?3")
  private static let findGUID = SQL(
    """
    SELECT g.guid, g.name, \(zone), \(SummedTable.shortGUIDs.damage("g")), \(zoneDamage)
    FROM short_guids g
      JOIN zones z ON z.id = g.zone JOIN databases d ON d.id = z.database
    WHERE g.guid = ?1
    """)
  private static let putGUID = SQL(SummedTable.shortGUIDs.replace)
}

extension Prepared {
  fileprivate func bind(_ membership: Membership, _ zone: Int64) {
    bind(1, membership.user.name)
    bind(2, zone)
    bind(3, membership.share.name)
  }

  fileprivate func membership() throws -> Membership {
    Membership(
      user: UserID(text(0)), share: RecordKey(zone: try zone(2), name: text(1)))
  }
}
