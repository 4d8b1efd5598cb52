// Issuing and renewing web auth tokens; also the token for a web page of the same user, which
// `CKFetchWebAuthTokenOperation` fetches.

package import BrumeModel
import BrumeStorage

/// The tokens that speak for users.
package struct WebAuthTokens: Sendable {
  private let store: any Store
  private let limits: Limits
  private let host: Host
  private let seal: Seal

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    host = parts.host
    seal = parts.seal
  }

  /// The token for a client's next round trips, as long-lived as the one it just authenticated with.
  /// It ends on a whole minute, so that a busy client gets the same one for a while, and never later
  /// than the session.
  package func renewed(after text: String) -> String? {
    guard let bytes = seal.payload(of: text, for: .webAuthToken), let old = WebAuthToken(bytes)
    else { return nil }
    let now = host.now()
    // The clock of the server that made it may be ahead of this one's.
    let isKept = old.expires - now > 2 * limits.webAuthTokenLifetime
    let lifetime = isKept ? limits.keptWebAuthTokenLifetime : limits.webAuthTokenLifetime
    let token = WebAuthToken(
      user: old.user, in: old.containerEnvironment,
      expires: (now + lifetime) / 60_000 * 60_000, sessionEnds: old.sessionEnds, epoch: old.epoch)
    return seal.text(token.bytes, for: .webAuthToken)
  }

  /// Whether the user has not signed out since the token was issued, and the API token that it came with
  /// was not revoked. Its age does not matter: what began while it was good may go on.
  ///
  /// - Parameter apiToken: nil where another proof than an API token let the call in.
  /// - Throws: what the store throws.
  package func isSignedIn(by text: String, with apiToken: String?) async throws -> Bool {
    guard let bytes = seal.payload(of: text, for: .webAuthToken), let token = WebAuthToken(bytes)
    else { return false }
    return try await store.read { transaction in
      if let apiToken, try transaction.credentials.apiToken(apiToken) == nil { return false }
      return try transaction.users.find(token.user)?.tokenEpoch == token.epoch
    }
  }

  /// A token that speaks for a user in a container environment.
  ///
  /// - Parameters:
  ///   - keep: the user stays signed in: two weeks instead of half an hour.
  ///   - sessionEnds: the end of the session that asks for it; nil for a new sign-in.
  ///   - epoch: the user's when it was proven who asks; nil where an operator says for whom it is.
  /// - Throws: `notFound` if there is no such user, `authenticationRequired` if the user's sessions were ended since
  ///   the proof.
  package func issue(
    for user: UserID, in containerEnvironment: ContainerEnvironment, keep: Bool,
    sessionEnds: Milliseconds? = nil, epoch: Int64? = nil
  ) async throws -> String {
    let account = try await store.read { transaction in try transaction.users.find(user) }
    guard let account else { throw User.missing(user) }
    if let epoch, account.tokenEpoch != epoch { throw WebAuthToken.endedMeanwhile }
    let now = host.now()
    let lifetime = keep ? limits.keptWebAuthTokenLifetime : limits.webAuthTokenLifetime
    let session = keep ? limits.keptSessionLifetime : limits.sessionLifetime
    let token = WebAuthToken(
      user: user, in: containerEnvironment, expires: now + lifetime,
      sessionEnds: sessionEnds ?? now + session, epoch: account.tokenEpoch)
    return seal.text(token.bytes, for: .webAuthToken)
  }

  /// A web auth token of the caller, for the holder of an API token of this container.
  ///
  /// It is as short-lived as that of a sign-in without "keep me signed in", and its session is the
  /// caller's.
  ///
  /// - Throws: `authenticationRequired` without a user, or for one who has signed out meanwhile, `badRequest` if the API
  ///   token is not of the caller's container environment.
  package func exchange(
    _ apiToken: String, as caller: Caller
  ) async throws -> String {
    let user = try caller.requireUser()
    let known = try await store.read { transaction in try transaction.credentials.apiToken(apiToken)
    }
    guard let known, known.containerEnvironment == caller.containerEnvironment
    else {
      throw BrumeError(
        .badRequest,
        "the API token is unknown in container '\(caller.container.name)', "
          + "\(caller.environment.rawValue); make one with `brume token create`")
    }
    return try await issue(
      for: user, in: caller.containerEnvironment, keep: false, sessionEnds: caller.sessionEnds,
      epoch: caller.epoch)
  }
}
