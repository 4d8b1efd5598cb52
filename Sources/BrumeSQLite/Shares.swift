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

  func memberships(
    of user: UserID, in containerEnvironment: ContainerEnvironment
  ) throws -> [Membership] {
    try connection.all(Self.ofUser, { $0.bind(user, containerEnvironment) }) {
      try $0.membership()
    }
  }

  func memberships(in zone: ZoneKey) throws -> [Membership] {
    guard let number = try numbers.number(of: zone) else { return [] }
    return try connection.all(Self.ofZone, { $0.bind(1, number) }) { try $0.membership() }
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
    try connection.first(Self.findGUID, { $0.bind(1, shortGUID) }) {
      RecordKey(zone: try $0.zone(1), name: $0.text(0))
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

  private static let select = """
    SELECT m.user, m.share, z.name, d.container, d.environment, d.owner FROM memberships m
      JOIN zones z ON z.id = m.zone JOIN databases d ON d.id = z.database
    """
  private static let order = "ORDER BY z.name, d.owner, m.share, m.user"
  private static let ofUser = SQL(
    "\(select) WHERE m.user = ?3 AND d.container = ?1 AND d.environment = ?2 \(order)")
  private static let ofZone = SQL("\(select) WHERE m.zone = ?1 \(order)")
  private static let put = SQL("INSERT OR IGNORE INTO memberships VALUES (?1, ?2, ?3)")
  private static let remove = SQL(
    "DELETE FROM memberships WHERE user = ?1 AND zone = ?2 AND share = ?3")
  private static let findGUID = SQL(
    """
    SELECT g.name, z.name, d.container, d.environment, d.owner FROM short_guids g
      JOIN zones z ON z.id = g.zone JOIN databases d ON d.id = z.database
    WHERE g.guid = ?1
    """)
  private static let putGUID = SQL("INSERT OR REPLACE INTO short_guids VALUES (?1, ?2, ?3)")
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
