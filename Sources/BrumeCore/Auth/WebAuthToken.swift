// Web auth tokens: sealed texts that say which user they speak for, where and until when. The server
// keeps none of them; raising the user's epoch ends them all.
//
// A token stays valid until it expires, however many newer ones were issued: clients send
// requests in parallel, and some never read the next token (docs/sign-in.md). However often it is
// renewed, its session has a last moment: somebody who copied a token cannot keep it for ever.

package import BrumeModel
import BrumeStorage

struct WebAuthToken: Equatable, Sendable {
  let user: UserID
  let container: ContainerID
  let environment: Environment
  let expires: Milliseconds
  /// The last moment of the session that began with the sign-in: no renewal goes beyond it.
  let sessionEnds: Milliseconds
  let epoch: Int64

  var bytes: [UInt8] {
    var packer = Packer()
    packer.add(user.name)
    packer.add(container.name)
    packer.add(environment.rawValue)
    packer.add(expires)
    packer.add(sessionEnds)
    packer.add(epoch)
    return packer.bytes
  }

  init(
    user: UserID, container: ContainerID, environment: Environment, expires: Milliseconds,
    sessionEnds: Milliseconds, epoch: Int64
  ) {
    self.user = user
    self.container = container
    self.environment = environment
    self.expires = min(expires, sessionEnds)
    self.sessionEnds = sessionEnds
    self.epoch = epoch
  }

  /// Nil for tokens of servers before sessions had an end.
  init?(_ bytes: [UInt8]) {
    var unpacker = Unpacker(bytes)
    guard let user = unpacker.text(), let container = unpacker.text(),
      let environment = unpacker.text().flatMap(Environment.init),
      let expires = unpacker.number(), let sessionEnds = unpacker.number(),
      let epoch = unpacker.number(), unpacker.isAtEnd
    else { return nil }
    self.init(
      user: UserID(user), container: ContainerID(container), environment: environment,
      expires: expires, sessionEnds: sessionEnds, epoch: epoch)
  }

  /// Why the token cannot be used now; nil when it can.
  func obstacle(
    for credentials: Credentials, account: User?, now: Milliseconds
  ) -> BrumeError? {
    guard container == credentials.container, environment == credentials.environment else {
      return BrumeError(
        .authenticationFailed,
        "the web auth token was issued for another container or environment; sign in to this one")
    }
    guard let account, account.tokenEpoch == epoch, now < expires else {
      return Self.ended
    }
    return nil
  }

  static let ended = BrumeError(
    .authenticationRequired, "the web auth token has expired; sign in again")
}

extension ReadTransaction {
  /// Refuses a caller who has signed out since the request began: nothing that it registers may
  /// outlive that.
  func requireSession(of caller: Caller) throws {
    guard let epoch = caller.epoch, let user = caller.user else { return }
    if try self.user(user)?.tokenEpoch != epoch { throw WebAuthToken.ended }
  }
}

extension Engine {
  /// The token for a client's next round trips, as long-lived as the one it just authenticated with.
  /// It ends on a whole minute, so that a busy client gets the same one for a while, and never later
  /// than the session.
  package func renewedToken(after text: String) -> String? {
    guard let bytes = seal.payload(of: text, for: .webAuthToken), let old = WebAuthToken(bytes)
    else { return nil }
    let now = host.now()
    let isKept = old.expires - now > limits.webAuthTokenLifetime
    let lifetime = isKept ? limits.keptWebAuthTokenLifetime : limits.webAuthTokenLifetime
    let token = WebAuthToken(
      user: old.user, container: old.container, environment: old.environment,
      expires: (now + lifetime) / 60_000 * 60_000, sessionEnds: old.sessionEnds, epoch: old.epoch)
    return seal.text(token.bytes, for: .webAuthToken)
  }

  /// Whether the user has not signed out since the token was issued. Its age does not matter: what
  /// began while it was good may go on.
  package func isSignedIn(by text: String) async throws -> Bool {
    guard let bytes = seal.payload(of: text, for: .webAuthToken), let token = WebAuthToken(bytes)
    else { return false }
    let epoch = try await store.read { try $0.user(token.user)?.tokenEpoch }
    return epoch == token.epoch
  }

  /// A token that speaks for a user in a container and environment.
  ///
  /// - Parameters:
  ///   - keep: the user stays signed in: two weeks instead of half an hour.
  ///   - sessionEnds: the end of the session that asks for it; nil for a new sign-in.
  package func webAuthToken(
    for user: UserID, container: ContainerID, environment: Environment, keep: Bool,
    sessionEnds: Milliseconds? = nil
  ) async throws -> String {
    let account = try await store.read { transaction in try transaction.user(user) }
    guard let account else {
      throw BrumeError(
        .notFound,
        "there is no user '\(user)'; `brume user list` shows them")
    }
    let now = host.now()
    let lifetime = keep ? limits.keptWebAuthTokenLifetime : limits.webAuthTokenLifetime
    let session = keep ? limits.keptSessionLifetime : limits.sessionLifetime
    let token = WebAuthToken(
      user: user, container: container, environment: environment, expires: now + lifetime,
      sessionEnds: sessionEnds ?? now + session, epoch: account.tokenEpoch)
    return seal.text(token.bytes, for: .webAuthToken)
  }
}
