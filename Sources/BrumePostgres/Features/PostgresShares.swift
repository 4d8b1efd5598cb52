// Share memberships and short GUIDs in PostgreSQL. A membership has two rows: in the user's bucket and in the
// zone's.

import BrumeModel
import BrumeStorage

final class PostgresShares: ShareWriting, Remembering {
  private let session: Session
  private let places: Places
  private var ofUsers: [AccountKey: [Membership]] = [:]
  private var ofZones: [ZoneKey: [Membership]] = [:]

  init(_ session: Session, _ places: Places) {
    self.session = session
    self.places = places
  }

  func memberships(
    of user: UserID, in containerEnvironment: ContainerEnvironment
  ) throws -> [Membership] {
    let account = AccountKey(user, containerEnvironment)
    if ofUsers[account] == nil { try session.ask([question(of: user, in: containerEnvironment)]) }
    return ofUsers[account] ?? []
  }

  func memberships(in zone: ZoneKey) throws -> [Membership] {
    if ofZones[zone] == nil, let question = try question(in: zone) { try session.ask([question]) }
    return ofZones[zone] ?? []
  }

  func put(_ membership: Membership) throws {
    session.put(rowOfUser(membership), in: Self.memberships)
    session.put(
      rowOfZone(membership, try places.givenNumber(of: membership.share.zone)), in: Self.members)
    forget(membership)
  }

  func remove(_ membership: Membership) throws {
    session.remove(rowOfUser(membership), from: Self.memberships)
    if let zone = try places.number(of: membership.share.zone) {
      session.remove(rowOfZone(membership, zone), from: Self.members)
    }
    forget(membership)
  }

  // MARK: Short GUIDs

  func record(shortGUID: String) throws -> RecordKey? {
    try session.first(Self.findGUID, [.text(shortGUID)]) { row in
      RecordKey(
        zone: ZoneKey(database: try row.database(0), name: row.text(3)), name: row.text(4))
    }
  }

  func setShortGUID(_ shortGUID: String, record: RecordKey) throws {
    session.put(
      [.text(shortGUID)] + record.zone.database.values + [
        .text(record.zone.name), .text(record.name),
      ], in: Self.guids)
  }

  // MARK: Plans

  func question(
    of user: UserID, in containerEnvironment: ContainerEnvironment
  ) -> Question {
    let account = AccountKey(user, containerEnvironment)
    return Question(Self.findOfUser, places.values(account)) { [self] rows in
      ofUsers[account] = rows.map { row in
        let database = DatabaseKey(in: containerEnvironment, owner: UserID(row.text(1)))
        let zone = ZoneKey(database: database, name: row.text(0))
        return Membership(user: user, share: RecordKey(zone: zone, name: row.text(2)))
      }
    }
  }

  /// Everybody who accepted a share of a zone. Nil: there never was such a zone.
  func question(in zone: ZoneKey) throws -> Question? {
    guard let number = try places.number(of: zone) else { return nil }
    return Question(Self.findOfZone, places.values(number, in: zone.database)) { [self] rows in
      ofZones[zone] = rows.map { row in
        Membership(user: UserID(row.text(1)), share: RecordKey(zone: zone, name: row.text(0)))
      }
    }
  }

  func forget() { (ofUsers, ofZones) = ([:], [:]) }

  /// Lists with it are asked for again.
  private func forget(_ membership: Membership) {
    ofUsers[account(membership)] = nil
    ofZones[membership.share.zone] = nil
  }
}

// MARK: Rows

extension PostgresShares {
  private func account(_ membership: Membership) -> AccountKey {
    AccountKey(membership.user, membership.share.zone.database.containerEnvironment)
  }

  private func rowOfUser(_ membership: Membership) -> [SQLValue] {
    let zone = membership.share.zone
    return places.values(account(membership)) + [
      .text(zone.name), .text(zone.database.ownerColumn), .text(membership.share.name),
    ]
  }

  private func rowOfZone(_ membership: Membership, _ zone: Int64) -> [SQLValue] {
    places.values(zone, in: membership.share.zone.database) + [
      .text(membership.share.name), .text(membership.user.name),
    ]
  }

  static let memberships = Table(
    "memberships",
    key: AccountKey.columns + [("zone_name", .text), ("owner", .text), ("share", .text)],
    columns: [])
  static let members = Table(
    "members",
    key: [("bucket", .integer), ("zone", .integer), ("share", .text), ("user_id", .text)],
    columns: [])
  private static let guids = Table(
    "short_guids", key: [("guid", .text)],
    columns: [
      ("container", .text), ("environment", .text), ("owner", .text), ("zone_name", .text),
      ("name", .text),
    ])
  private static let findOfUser = SQL(
    """
    SELECT zone_name, owner, share FROM memberships WHERE \(AccountKey.condition)
    ORDER BY zone_name, owner, share
    """)
  private static let findOfZone = SQL(
    "SELECT share, user_id FROM members WHERE bucket = $1 AND zone = $2 ORDER BY share, user_id")
  private static let findGUID = SQL(
    "SELECT container, environment, owner, zone_name, name FROM short_guids WHERE guid = $1")
}
