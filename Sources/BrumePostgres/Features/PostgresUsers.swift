// Accounts and the identities that they were linked to, in PostgreSQL.

import BrumeModel
import BrumeStorage

final class PostgresUsers: UserWriting, Remembering {
  private let session: Session
  private let changes: AccountChanges
  private var known: [UserID: User?] = [:]

  init(_ session: Session, _ changes: AccountChanges) {
    self.session = session
    self.changes = changes
  }

  func find(_ id: UserID) throws -> User? {
    if let user = known[id] { return user }
    let user = try session.first(Self.find, [.text(id.name)]) { $0.user() }
    known[id] = .some(user)
    return user
  }

  func find(named name: String) throws -> User? {
    try session.first(Self.findNamed, [.text(name)]) { $0.user() }
  }

  func find(emailAddress: String) throws -> User? {
    let key = EmailAddress.key(emailAddress)
    return try session.first(Self.findAddress, [.text(key), .text(emailAddress)]) { $0.user() }
  }

  func find(phoneNumber: String) throws -> User? {
    try session.first(Self.findNumber, [.text(phoneNumber)]) { $0.user() }
  }

  func page(after name: String?, limit: Int) throws -> [User] {
    try session.all(Self.page, [.text(name ?? ""), .integer(limit)]) { $0.user() }
  }

  // A new account must not take the longer the more there are.
  func count() throws -> Int {
    let estimate = try session.first(Self.findEstimate) { Int($0.integer(0)) } ?? 0
    if estimate > 100_000 { return estimate }
    return try session.first(Self.findCount) { Int($0.integer(0)) } ?? 0
  }

  func put(_ user: User) throws {
    session.put(
      [
        .text(user.id.name), .text(user.name), .text(user.passwordHash), .text(user.emailAddress),
        .text(user.phoneNumber), .text(user.givenName), .text(user.familyName),
        .integer(user.tokenEpoch), .flag(user.isDiscoverable),
      ], in: Self.table)
    known[user.id] = .some(user)
    try changes.note(user.id)
  }

  // MARK: Identities of providers

  func linked(to identity: ProviderIdentity) throws -> UserID? {
    try session.first(Self.findLinked, [.text(identity.issuer), .text(identity.subject)]) {
      UserID($0.text(0))
    }
  }

  func link(_ identity: ProviderIdentity, to user: UserID) throws {
    session.put(
      [.text(identity.issuer), .text(identity.subject), .text(user.name)], in: Self.identities)
  }

  func remove(_ id: UserID) throws {
    session.run(Self.unlink, [.text(id.name)])
    session.remove([.text(id.name)], from: Self.table)
    known[id] = .some(nil)
    try changes.note(id)
  }

  // MARK: Plans

  func question(_ id: UserID) -> Question {
    Question(Self.find, [.text(id.name)]) { [self] rows in
      known[id] = .some(rows.first?.user())
    }
  }

  func forget() { known = [:] }
}

// MARK: Statements

extension PostgresUsers {
  private static let table = Table(
    "users", key: [("id", .text)],
    columns: [
      ("name", .text), ("password_hash", .text), ("email", .text), ("phone", .text),
      ("given_name", .text), ("family_name", .text), ("token_epoch", .integer),
      ("discoverable", .integer),
    ])
  private static let identities = Table(
    "identities", key: [("issuer", .text), ("subject", .text)], columns: [("user_id", .text)])
  private static let select = """
    SELECT id, name, password_hash, email, phone, given_name, family_name, token_epoch,
      discoverable
    FROM users
    """
  private static let find = SQL("\(select) WHERE id = $1", rows: .copied)
  private static let findNamed = SQL("\(select) WHERE name = $1 ORDER BY id LIMIT 1")
  private static let findAddress = SQL(
    "\(select) WHERE lower(email) = $1 ORDER BY (email = $2) DESC, name, id LIMIT 1")
  private static let findNumber = SQL("\(select) WHERE phone = $1 ORDER BY name, id LIMIT 1")
  private static let page = SQL("\(select) WHERE name > $1 ORDER BY name, id LIMIT $2")
  // On Citus the statistics are those of the copy here.
  private static let findEstimate = SQL(
    "SELECT reltuples::bigint FROM pg_class WHERE oid = 'users'::regclass",
    onCitus: """
      SELECT reltuples::bigint FROM pg_class WHERE oid = coalesce(
        (SELECT to_regclass(shard_name(logicalrelid, shardid)) FROM pg_dist_shard
          WHERE logicalrelid = 'users'::regclass), 'users'::regclass)
      """)
  private static let findCount = SQL("SELECT count(*) FROM users")
  private static let unlink = SQL("DELETE FROM identities WHERE user_id = $1")
  private static let findLinked = SQL(
    "SELECT user_id FROM identities WHERE issuer = $1 AND subject = $2")
}

extension Row {
  fileprivate func user() -> User {
    User(
      id: UserID(text(0)), name: text(1), passwordHash: optionalText(2),
      emailAddress: optionalText(3), phoneNumber: optionalText(4), givenName: optionalText(5),
      familyName: optionalText(6), tokenEpoch: integer(7), isDiscoverable: flag(8))
  }
}
