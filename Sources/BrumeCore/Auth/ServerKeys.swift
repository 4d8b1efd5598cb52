// Server-to-server keys.

package import BrumeModel
import BrumeStorage
import Crypto

/// The server-to-server keys of a server.
package struct ServerKeys: Sendable {
  private let store: any Store
  private let limits: Limits
  private let host: Host
  private let knownCredentials: KnownCredentials

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    host = parts.host
    knownCredentials = parts.knownCredentials
  }

  /// Registers the public half of a server-to-server key. The key gets a user of its own.
  ///
  /// - Parameters:
  ///   - publicKeyPEM: a P-256 key.
  ///   - isOnly: whether no other key of the container environment may have the name.
  /// - Throws: `conflict` if another has the name and none may, `badContainer`, `badRequest` if the key is none or
  ///   the name cannot be, `limitExceeded` if there are as many keys or accounts as may be.
  package func create(
    name: String, publicKeyPEM: String, in containerEnvironment: ContainerEnvironment,
    isOnly: Bool = false
  ) async throws -> ServerKey {
    try NameRules.container(containerEnvironment.container.name)
    try TextRules.check(name, "the key's name", upTo: limits.labelBytes)
    try KeyTextRules.check(publicKeyPEM, "the public key", limits: limits)
    guard (try? P256.Signing.PublicKey(pemRepresentation: publicKeyPEM)) != nil else {
      throw BrumeError(
        .badRequest,
        "the public key is not a P-256 key in PEM form; make one with `openssl ec -pubout`")
    }
    let id = Hex.text(host.randomBytes(32))
    let user = User(
      id: UserID("_" + Hex.text(host.randomBytes(16))), name: "key-\(id.prefix(16))",
      isDiscoverable: false)
    let key = ServerKey(
      id: id, name: name, in: containerEnvironment, publicKey: publicKeyPEM, user: user.id)
    let limits = limits
    try await store.write(in: .server) { transaction in
      let others = try transaction.credentials.serverKeys()
      try CountRules.room(
        for: "server-to-server keys", beside: others.count, upTo: limits.serverKeys,
        next: "revoke one with `brume key revoke NAME`")
      if isOnly {
        try NamedCredential.checkNew(
          name, among: others, in: containerEnvironment, command: "key", name: \.name)
      }
      try transaction.users.add(user, limits: limits)
      try transaction.credentials.put(key)
    }
    return key
  }

  /// From now on no request may be signed with the key, and nothing is sent to its devices. What it saved stays.
  /// What is open must be ended by whoever holds it.
  ///
  /// - Parameter text: the key's ID, or the name that it alone has in the container environment.
  /// - Returns: the key that is no more.
  /// - Throws: `notFound`, `conflict` if several have the name.
  package func revoke(
    _ text: String, in containerEnvironment: ContainerEnvironment
  ) async throws -> ServerKey {
    let now = host.now()
    let key = try await store.write(in: .everything(of: store)) { transaction in
      let key = try NamedCredential.find(
        text, among: transaction.credentials.serverKeys(), in: containerEnvironment,
        command: "key", id: \.id, name: \.name)
      try transaction.credentials.removeServerKey(key.id)
      try transaction.endSessions(of: key.user, at: now)
      return key
    }
    knownCredentials.forget()
    return key
  }
}
