// Accounts and credentials in SQLite.

import BrumeModel
import BrumeStorage

extension SQLiteTransaction {
  func user(_ id: UserID) throws -> User? {
    try connection.first(Self.findUser, { $0.bind(1, id.name) }) { $0.user() }
  }

  func user(named name: String) throws -> User? {
    try connection.first(Self.userByName, { $0.bind(1, name) }) { $0.user() }
  }

  func user(emailAddress: String) throws -> User? {
    try connection.first(Self.userByEmail, { $0.bind(1, emailAddress) }) { $0.user() }
  }

  func user(phoneNumber: String) throws -> User? {
    try connection.first(Self.userByPhone, { $0.bind(1, phoneNumber) }) { $0.user() }
  }

  func users() throws -> [User] { try connection.all(Self.allUsers) { $0.user() } }

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
      $0.bind(9, user.isDiscoverable ? 1 : 0)
    }
  }

  private static let userColumns =
    "id, name, password_hash, email, phone, given_name, family_name, token_epoch, discoverable"
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
  private static let allUsers = SQL("SELECT \(userColumns) FROM users ORDER BY name, id")
  private static let putUser = SQL(
    "INSERT OR REPLACE INTO users (\(userColumns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")
}

// MARK: Credentials

extension SQLiteTransaction {
  func apiToken(_ token: String) throws -> APIToken? {
    try connection.first(Self.findToken, { $0.bind(1, token) }) { try $0.apiToken() }
  }

  func apiTokens() throws -> [APIToken] {
    try connection.all(Self.allTokens) { try $0.apiToken() }
  }

  func serverKey(_ id: String) throws -> ServerKey? {
    try connection.first(Self.findKey, { $0.bind(1, id) }) { try $0.serverKey() }
  }

  func serverKeys() throws -> [ServerKey] {
    try connection.all(Self.allKeys) { try $0.serverKey() }
  }

  func put(_ token: APIToken) throws {
    try connection.run(Self.putToken) {
      $0.bind(1, token.token)
      $0.bind(2, token.name)
      $0.bind(3, token.container.name)
      $0.bind(4, token.environment.rawValue)
      $0.bind(5, token.allowedOrigins.map(lines))
      $0.bind(6, token.callback)
    }
  }

  func removeAPIToken(_ token: String) throws {
    try connection.run(Self.removeToken) { $0.bind(1, token) }
  }

  func put(_ key: ServerKey) throws {
    try connection.run(Self.putKey) {
      $0.bind(1, key.id)
      $0.bind(2, key.name)
      $0.bind(3, key.container.name)
      $0.bind(4, key.environment.rawValue)
      $0.bind(5, key.publicKey)
      $0.bind(6, key.user.name)
    }
  }

  func removeServerKey(_ id: String) throws {
    try connection.run(Self.removeKey) { $0.bind(1, id) }
  }

  private static let tokenColumns = "token, name, container, environment, origins, callback"
  private static let findToken = SQL("SELECT \(tokenColumns) FROM api_tokens WHERE token = ?1")
  private static let allTokens = SQL("SELECT \(tokenColumns) FROM api_tokens ORDER BY token")
  private static let putToken = SQL(
    "INSERT OR REPLACE INTO api_tokens (\(tokenColumns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
  private static let removeToken = SQL("DELETE FROM api_tokens WHERE token = ?1")
  private static let keyColumns = "id, name, container, environment, public_key, user"
  private static let findKey = SQL("SELECT \(keyColumns) FROM server_keys WHERE id = ?1")
  private static let allKeys = SQL("SELECT \(keyColumns) FROM server_keys ORDER BY id")
  private static let putKey = SQL(
    "INSERT OR REPLACE INTO server_keys (\(keyColumns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
  private static let removeKey = SQL("DELETE FROM server_keys WHERE id = ?1")
}

extension Prepared {
  fileprivate func user() -> User {
    User(
      id: UserID(text(0)), name: text(1), passwordHash: optionalText(2),
      emailAddress: optionalText(3), phoneNumber: optionalText(4), givenName: optionalText(5),
      familyName: optionalText(6), tokenEpoch: int(7), isDiscoverable: int(8) != 0)
  }

  fileprivate func apiToken() throws -> APIToken {
    APIToken(
      token: text(0), name: text(1), container: ContainerID(text(2)),
      environment: try environment(3), allowedOrigins: optionalText(4).map(texts),
      callback: optionalText(5))
  }

  fileprivate func serverKey() throws -> ServerKey {
    ServerKey(
      id: text(0), name: text(1), container: ContainerID(text(2)),
      environment: try environment(3), publicKey: text(4), user: UserID(text(5)))
  }
}
