// Credentials, and signatures that were used, in SQLite.

import BrumeModel
import BrumeStorage

final class SQLiteCredentials: CredentialWriting, Remembering {
  private let connection: Connection
  /// How many signatures are remembered.
  private var usedSignatures: Int?

  init(_ connection: Connection) { self.connection = connection }

  func apiToken(_ token: String) throws -> APIToken? {
    try connection.firstWhole(Self.findToken, .apiTokens, "the API token", { $0.bind(1, token) }) {
      try $0.apiToken()
    }
  }

  /// Without those that are damaged, which `apiToken` refuses.
  func apiTokens() throws -> [APIToken] {
    try connection.allWhole(Self.allTokens, .apiTokens) { try $0.apiToken() }
  }

  func serverKey(_ id: String) throws -> ServerKey? {
    try connection.firstWhole(Self.findKey, .serverKeys, "the server key", { $0.bind(1, id) }) {
      try $0.serverKey()
    }
  }

  /// Without those that are damaged, which `serverKey` refuses.
  func serverKeys() throws -> [ServerKey] {
    try connection.allWhole(Self.allKeys, .serverKeys) { try $0.serverKey() }
  }

  func put(_ token: APIToken) throws {
    try connection.run(Self.putToken) {
      $0.bind(1, token.token)
      $0.bind(2, token.name)
      $0.bind(token.containerEnvironment, from: 3)
      $0.bind(5, token.allowedOrigins.map(Lines.text))
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
      $0.bind(key.containerEnvironment, from: 3)
      $0.bind(5, key.publicKey)
      $0.bind(6, key.user.name)
    }
  }

  func removeServerKey(_ id: String) throws {
    try connection.run(Self.removeKey) { $0.bind(1, id) }
  }

  private static let tokenColumns = SummedTable.apiTokens.whole
  private static let findToken = SQL("SELECT \(tokenColumns) FROM api_tokens WHERE token = ?1")
  private static let allTokens = SQL("SELECT \(tokenColumns) FROM api_tokens ORDER BY token")
  private static let putToken = SQL(SummedTable.apiTokens.replace)
  private static let removeToken = SQL("DELETE FROM api_tokens WHERE token = ?1")
  private static let keyColumns = SummedTable.serverKeys.whole
  private static let findKey = SQL("SELECT \(keyColumns) FROM server_keys WHERE id = ?1")
  private static let allKeys = SQL("SELECT \(keyColumns) FROM server_keys ORDER BY id")
  private static let putKey = SQL(SummedTable.serverKeys.replace)
  private static let removeKey = SQL("DELETE FROM server_keys WHERE id = ?1")

  // MARK: Used signatures

  func use(
    signature: String, at time: Milliseconds, after horizon: Milliseconds, limit: Int
  ) throws -> SignatureUse {
    let count = try forgetSignatures(before: horizon)
    if try connection.exists(Self.findSignature, { $0.bind(1, signature) }) { return .repeated }
    guard count < limit else { return .full }
    try connection.run(Self.putSignature) {
      $0.bind(1, signature)
      $0.bind(2, time)
    }
    usedSignatures = count + 1
    return .first
  }

  /// How many are left.
  private func forgetSignatures(before horizon: Milliseconds) throws -> Int {
    let all = try usedSignatures ?? connection.first(Self.countSignatures) { Int($0.int(0)) } ?? 0
    // One that is damaged refuses nothing any more, or for too long: it is only said.
    let old = try connection.all(Self.findOld, { $0.bind(1, horizon) }) {
      connection.noteDamage($0, .usedSignatures, at: 0)
    }.count
    if old > 0 { try connection.run(Self.removeOld) { $0.bind(1, horizon) } }
    usedSignatures = all - old
    return all - old
  }

  func forget() { usedSignatures = nil }

  private static let findSignature = SQL("SELECT 1 FROM used_signatures WHERE identity = ?1")
  private static let putSignature = SQL(SummedTable.usedSignatures.insert())
  private static let countSignatures = SQL("SELECT COUNT(*) FROM used_signatures")
  private static let findOld = SQL(
    "SELECT \(SummedTable.usedSignatures.damage) FROM used_signatures WHERE time < ?1")
  private static let removeOld = SQL("DELETE FROM used_signatures WHERE time < ?1")
}

extension Prepared {
  fileprivate func apiToken() throws -> APIToken {
    APIToken(
      token: text(0), name: text(1), in: try containerEnvironment(2),
      allowedOrigins: optionalText(4).map(Lines.texts),
      callback: optionalText(5))
  }

  fileprivate func serverKey() throws -> ServerKey {
    ServerKey(
      id: text(0), name: text(1), in: try containerEnvironment(2), publicKey: text(4),
      user: UserID(text(5)))
  }
}
