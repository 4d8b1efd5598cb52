// What a request names, from memory or from the store.

import BrumeModel
import BrumeStorage

/// Finds API tokens and accounts.
struct CredentialLookup: Sendable {
  private let store: any Store
  private let known: KnownCredentials

  init(_ parts: EngineParts) {
    store = parts.store
    known = parts.knownCredentials
  }

  /// The API token and account that a request names, as far as they exist.
  func find(
    _ text: String, _ accountKey: AccountKey?
  ) async throws -> (token: APIToken?, account: KnownAccount?) {
    let found = known.look(text, accountKey)
    if let token = found.token, accountKey == nil || found.account != nil {
      return (token, found.account)
    }
    let (token, account) = try await store.read { transaction in
      (
        try transaction.credentials.apiToken(text),
        try accountKey.flatMap { try Self.account(at: $0, transaction) }
      )
    }
    known.remember(token, account, at: accountKey, edition: found.edition)
    return (token, account)
  }

  /// An API token that is in memory.
  func remembered(_ text: String) -> APIToken? { known.look(text, nil).token }

  private static func account(
    at accountKey: AccountKey, _ transaction: any ReadTransaction
  ) throws -> KnownAccount? {
    guard let user = try transaction.users.find(accountKey.user) else { return nil }
    let roles = try transaction.roles.names(
      of: accountKey.user, in: accountKey.containerEnvironment)
    return KnownAccount(user: user, roles: Set(roles))
  }
}
