// Accounts and the identities that they were linked to, in SQLite.

import BrumeModel
import BrumeStorage

final class SQLiteUsers: UserWriting {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  func find(_ id: UserID) throws -> User? {
    try first(Self.findUser) { $0.bind(1, id.name) }
  }

  func find(named name: String) throws -> User? {
    try first(Self.userByName) { $0.bind(1, name) }
  }

  func find(emailAddress: String) throws -> User? {
    try first(Self.userByEmail) { $0.bind(1, emailAddress) }
  }

  func find(phoneNumber: String) throws -> User? {
    try first(Self.userByPhone) { $0.bind(1, phoneNumber) }
  }

  /// - Throws: the `BrumeError` for damage, so that nobody signs in with half an account or takes the name of one.
  private func first(_ sql: SQL, _ bind: (Prepared) -> Void) throws -> User? {
    try connection.firstWhole(sql, .users, "the account", bind) { $0.user() }
  }

  func page(after name: String?, limit: Int) throws -> [User] {
    try connection.allWhole(Self.userPage, .users, limit: limit, { $0.bind(1, name ?? "") }) {
      $0.user()
    }
  }

  func count() throws -> Int { Int(try connection.first(Self.countUsers) { $0.int(0) } ?? 0) }

  func put(_ user: User) throws {
    try connection.run(Self.putUser) {
      $0.bind(1, user.id.name)
      $0.bind(2, user.name)
      $0.bind(3, user.passwordHash)
      $0.bind(4, user.emailAddress)
      $0.bind(5, user.phoneNumber)
      $0.bind(6, user.givenName)
      $0.bind(7, user.familyName)
      $0.bind(8, user.tokenEpoch)
      $0.bind(9, user.isDiscoverable)
    }
  }

  private static let userColumns = SummedTable.users.whole
  private static let findUser = SQL("SELECT \(userColumns) FROM users WHERE id = ?1")
  private static let userByName = SQL(
    "SELECT \(userColumns) FROM users WHERE name = ?1 ORDER BY id LIMIT 1")
  private static let userByEmail = SQL(
    """
    SELECT \(userColumns) FROM users WHERE email = ?1 COLLATE NOCASE
    ORDER BY email <> ?1, name, id LIMIT 1
    """)
  private static let userByPhone = SQL(
    "SELECT \(userColumns) FROM users WHERE phone = ?1 ORDER BY name, id LIMIT 1")
  private static let userPage = SQL(
    "SELECT \(userColumns) FROM users WHERE name > ?1 ORDER BY name, id")
  private static let countUsers = SQL("SELECT count(*) FROM users")
  private static let putUser = SQL(SummedTable.users.replace)

  // MARK: Identities of providers

  func linked(to identity: ProviderIdentity) throws -> UserID? {
    try connection.firstWhole(
      Self.findIdentity, .identities, "what links this identity to an account",
      {
        $0.bind(1, identity.issuer)
        $0.bind(2, identity.subject)
      }
    ) { UserID($0.text(2)) }
  }

  func link(_ identity: ProviderIdentity, to user: UserID) throws {
    try connection.run(Self.putIdentity) {
      $0.bind(1, identity.issuer)
      $0.bind(2, identity.subject)
      $0.bind(3, user.name)
    }
  }

  func remove(_ id: UserID) throws {
    try connection.run(Self.unlink) { $0.bind(1, id.name) }
    try connection.run(Self.removeUser) { $0.bind(1, id.name) }
  }

  private static let unlink = SQL("DELETE FROM identities WHERE user = ?1")
  private static let removeUser = SQL("DELETE FROM users WHERE id = ?1")
  private static let findIdentity = SQL(
    "SELECT \(SummedTable.identities.whole) FROM identities WHERE issuer = ?1 AND subject = ?2")
  private static let putIdentity = SQL(SummedTable.identities.replace)
}

extension Prepared {
  fileprivate func user() -> User {
    User(
      id: UserID(text(0)), name: text(1), passwordHash: optionalText(2),
      emailAddress: optionalText(3), phoneNumber: optionalText(4), givenName: optionalText(5),
      familyName: optionalText(6), tokenEpoch: int(7), isDiscoverable: bool(8))
  }
}
