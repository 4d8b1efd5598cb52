// Credentials in PostgreSQL, and signatures that were used.

import BrumeModel
import BrumeStorage

final class PostgresCredentials: CredentialWriting {
  private let session: Session
  private let changes: AccountChanges

  init(_ session: Session, _ changes: AccountChanges) {
    self.session = session
    self.changes = changes
  }

  func apiToken(_ token: String) throws -> APIToken? {
    try session.first(Self.findToken, [.text(token)]) { try $0.apiToken() }
  }

  func apiTokens() throws -> [APIToken] {
    try session.all(Self.allTokens) { try $0.apiToken() }
  }

  func serverKey(_ id: String) throws -> ServerKey? {
    try session.first(Self.findKey, [.text(id)]) { try $0.serverKey() }
  }

  func serverKeys() throws -> [ServerKey] {
    try session.all(Self.allKeys) { try $0.serverKey() }
  }

  func put(_ token: APIToken) throws {
    session.put(
      [.text(token.token), .text(token.name)] + token.containerEnvironment.values + [
        .text(token.allowedOrigins.map(Lines.text)), .text(token.callback),
      ], in: Self.tokens)
    try changes.note()
  }

  func removeAPIToken(_ token: String) throws {
    guard let known = try apiToken(token) else { return }
    session.remove([.text(token)], from: Self.tokens)
    try changes.noteRemovedToken(in: known.containerEnvironment)
  }

  func put(_ key: ServerKey) throws {
    session.put(
      [.text(key.id), .text(key.name)] + key.containerEnvironment.values + [
        .text(key.publicKey), .text(key.user.name),
      ], in: Self.keys)
    try changes.note()
  }

  func removeServerKey(_ id: String) throws {
    session.remove([.text(id)], from: Self.keys)
    try changes.note()
  }

  // MARK: Used signatures

  func use(
    signature: String, at time: Milliseconds, after horizon: Milliseconds, limit: Int
  ) throws -> SignatureUse {
    session.run(Self.removeOld, [.integer(horizon)])
    var (isKnown, count) = (false, 0)
    try session.ask([
      Question(Self.findSignature, [.text(signature)]) { isKnown = $0.count > 0 },
      Question(Self.countSignatures, []) { count = Int($0.first?.integer(0) ?? 0) },
    ])
    if isKnown { return .repeated }
    guard count < limit else { return .full }
    session.put([.text(signature), .integer(time)], in: Self.signatures)
    return .first
  }
}

// MARK: Statements

extension PostgresCredentials {
  private static let tokens = Table(
    "api_tokens", key: [("token", .text)],
    columns: [
      ("name", .text), ("container", .text), ("environment", .text), ("origins", .text),
      ("callback", .text),
    ])
  private static let keys = Table(
    "server_keys", key: [("id", .text)],
    columns: [
      ("name", .text), ("container", .text), ("environment", .text), ("public_key", .text),
      ("user_id", .text),
    ])
  private static let tokenColumns = "token, name, container, environment, origins, callback"
  private static let findToken = SQL("SELECT \(tokenColumns) FROM api_tokens WHERE token = $1")
  private static let allTokens = SQL("SELECT \(tokenColumns) FROM api_tokens ORDER BY token")
  private static let keyColumns = "id, name, container, environment, public_key, user_id"
  private static let findKey = SQL("SELECT \(keyColumns) FROM server_keys WHERE id = $1")
  private static let allKeys = SQL("SELECT \(keyColumns) FROM server_keys ORDER BY id")

  /// Counts those that it adds.
  private static let signatures = Table(
    "used_signatures", key: [("identity", .text)], columns: [("time", .integer)]
  ) { given in
    """
    WITH added AS (
      INSERT INTO used_signatures (identity, time) SELECT identity, time FROM \(given)
      ON CONFLICT (identity) DO NOTHING RETURNING 1)
    UPDATE used_signature_count SET used = used + (SELECT count(*) FROM added)
    """
  }
  private static let removeOld = SQL(
    """
    WITH gone AS (DELETE FROM used_signatures WHERE time < $1 RETURNING 1)
    UPDATE used_signature_count SET used = used - (SELECT count(*) FROM gone)
    WHERE EXISTS (SELECT 1 FROM gone)
    """)
  private static let findSignature = SQL("SELECT 1 FROM used_signatures WHERE identity = $1")
  private static let countSignatures = SQL("SELECT used FROM used_signature_count")
}

extension Row {
  fileprivate func apiToken() throws -> APIToken {
    APIToken(
      token: text(0), name: text(1), in: try containerEnvironment(2),
      allowedOrigins: optionalText(4).map(Lines.texts), callback: optionalText(5))
  }

  fileprivate func serverKey() throws -> ServerKey {
    ServerKey(
      id: text(0), name: text(1), in: try containerEnvironment(2), publicKey: text(4),
      user: UserID(text(5)))
  }
}
