// What development mode prepares: a container with an API token, two users and a server key. Prepared
// again on each start; what exists already is used. Outside development nothing here runs, and no
// credentials exist until somebody makes them.

import BrumeCore
package import BrumeModel
import BrumeStorage

/// Ready-made credentials, and the lines that a client's environment needs.
package struct ReadyMade: Sendable, InContainerEnvironment {
  /// A user who is signed in by `token`.
  package struct Account: Sendable {
    package let name: String
    package let user: UserID
    package let token: String
  }
  package let url: String
  package let containerEnvironment: ContainerEnvironment
  package let apiToken: String
  package let accounts: [Account]
  package let keyID: String?
  /// An absolute path.
  package let keyFile: String?

  /// Name and value, in the order to print.
  package var variables: [(name: String, value: String)] {
    var lines = [
      ("BRUME_URL", url), ("BRUME_CONTAINER", container.name),
      ("BRUME_ENVIRONMENT", environment.rawValue), ("BRUME_API_TOKEN", apiToken),
    ]
    if let first = accounts.first { lines.append(("BRUME_USER_TOKEN", first.token)) }
    for account in accounts {
      lines.append((UserTokenVariable.name(of: account.name), account.token))
    }
    if let keyID { lines.append(("BRUME_KEY_ID", keyID)) }
    if let keyFile { lines.append(("BRUME_KEY_FILE", keyFile)) }
    return lines
  }
}

/// Makes what development mode has ready.
package struct Development: Sendable {
  package static let defaultUsers = ["alice", "bob"]
  /// The private half of the ready-made server key, in the data folder.
  package static let keyFileName = "server-key.pem"
  private static let label = "development"

  let engine: Engine
  let store: any Store
  let address: ServerAddress
  /// Where the server key is kept; nil: there is none.
  let folder: DataFolder?
  let users: [String]

  /// Makes what is missing.
  /// - Parameter needsKey: false: a key whose file can neither be read nor written is left out.
  /// - Throws: what the store throws; `DataFolderError` for a key that is needed.
  package func prepare(
    in containerEnvironment: ContainerEnvironment, needsKey: Bool = true
  ) async throws -> ReadyMade {
    let apiToken = try await apiToken(containerEnvironment)
    var accounts: [ReadyMade.Account] = []
    for name in users {
      let user = try await user(named: name)
      let token = try await engine.webAuthTokens.issue(
        for: user, in: containerEnvironment, keep: true)
      accounts.append(.init(name: name, user: user, token: token))
    }
    let key = try await serverKey(containerEnvironment, isNeeded: needsKey)
    return ReadyMade(
      url: address.url, containerEnvironment: containerEnvironment, apiToken: apiToken,
      accounts: accounts, keyID: key?.id, keyFile: key?.file)
  }

  /// Whether there are operators, or accounts that `prepare` does not make: of other names, or with a password.
  ///
  /// - Throws: what the store throws.
  package func hasOthers() async throws -> Bool {
    let known = users
    return try await store.read { transaction in
      guard try transaction.operators.all().isEmpty else { return true }
      let keys = try transaction.credentials.serverKeys().filter { $0.name == Self.label }
      let ofKeys = Set(keys.map(\.user))
      // Of one account more than are known, one is another.
      return try transaction.users.page(after: nil, limit: known.count + ofKeys.count + 1)
        .contains {
          !ofKeys.contains($0.id) && (!known.contains($0.name) || $0.passwordHash != nil)
        }
    }
  }

  private func apiToken(_ containerEnvironment: ContainerEnvironment) async throws -> String {
    let known = try await store.read { try $0.credentials.apiTokens() }
    if let token = known.first(where: {
      $0.containerEnvironment == containerEnvironment && $0.name == Self.label
    }) {
      return token.token
    }
    return try await engine.apiTokens.create(name: Self.label, in: containerEnvironment).token
  }

  private func user(named name: String) async throws -> UserID {
    if let known = try await store.read({ try $0.users.find(named: name) }) { return known.id }
    // An address to be invited by, unless somebody has it.
    let address = "\(name)@example.org"
    let isTaken = try await store.read { try $0.users.find(emailAddress: address) } != nil
    return try await engine.accounts.create(
      name: name, emailAddress: isTaken ? nil : address
    ).id
  }

  /// The key is usable only if its private half is still in the folder.
  private func serverKey(
    _ containerEnvironment: ContainerEnvironment, isNeeded: Bool
  ) async throws -> (id: String, file: String)? {
    guard let folder else { return nil }
    // A client reads it from whatever folder it runs in.
    let file = "\(folder.absolutePath)/\(Self.keyFileName)"
    let pair: ServerKeyPair
    do { pair = try Self.keyPair(file, in: folder) } catch let error as DataFolderError {
      guard isNeeded else { return nil }
      throw error
    }
    let keys = try await store.read { try $0.credentials.serverKeys() }
    if let known = keys.first(where: {
      $0.publicKey == pair.publicKeyPEM && $0.containerEnvironment == containerEnvironment
    }) {
      return (known.id, file)
    }
    let made = try await engine.serverKeys.create(
      name: Self.label, publicKeyPEM: pair.publicKeyPEM, in: containerEnvironment)
    return (made.id, file)
  }

  private static func keyPair(_ file: String, in folder: DataFolder) throws -> ServerKeyPair {
    if let stored = try DataFolder.contents(of: file),
      let known = ServerKeyPair(privateKeyPEM: stored)
    {
      return known
    }
    let pair = ServerKeyPair()
    try folder.write(Array(pair.privateKeyPEM.utf8), to: keyFileName)
    return pair
  }
}
