// Web auth tokens: sealed texts that say which user they speak for, where and until when. The server
// keeps none of them; raising the user's epoch ends them all.
//
// A token stays valid until it expires, however many newer ones were issued: clients send
// requests in parallel, and some never read the next token (docs/sign-in.md). However often it is
// renewed, its session has a last moment: somebody who copied a token cannot keep it for ever.

import BrumeModel
import BrumeStorage

struct WebAuthToken: Equatable, Sendable, InContainerEnvironment {
  let user: UserID
  let containerEnvironment: ContainerEnvironment
  let expires: Milliseconds
  /// The last moment of the session that began with the sign-in: no renewal goes beyond it.
  let sessionEnds: Milliseconds
  let epoch: Int64

  var bytes: [UInt8] {
    var packer = Packer()
    packer.add(user.name)
    packer.add(containerEnvironment)
    packer.add(expires)
    packer.add(sessionEnds)
    packer.add(epoch)
    return packer.bytes
  }

  init(
    user: UserID, in containerEnvironment: ContainerEnvironment, expires: Milliseconds,
    sessionEnds: Milliseconds, epoch: Int64
  ) {
    self.user = user
    self.containerEnvironment = containerEnvironment
    self.expires = min(expires, sessionEnds)
    self.sessionEnds = sessionEnds
    self.epoch = epoch
  }

  /// Nil for tokens of servers before sessions had an end.
  init?(_ bytes: [UInt8]) {
    var unpacker = Unpacker(bytes)
    guard let user = unpacker.text(), let containerEnvironment = unpacker.containerEnvironment(),
      let expires = unpacker.number(), let sessionEnds = unpacker.number(),
      let epoch = unpacker.number(), unpacker.isAtEnd
    else { return nil }
    self.init(
      user: UserID(user), in: containerEnvironment,
      expires: expires, sessionEnds: sessionEnds, epoch: epoch)
  }

  /// Why the token cannot be used now; nil when it can.
  func obstacle(
    for credentials: Credentials, account: User?, now: Milliseconds
  ) -> BrumeError? {
    guard containerEnvironment == credentials.containerEnvironment else {
      return BrumeError(
        .authenticationRequired,
        "the web auth token was issued for another container or environment; sign in to this one")
    }
    guard let account, account.tokenEpoch == epoch, now < expires else {
      return Self.ended
    }
    return nil
  }

  static let foreign = BrumeError(
    .authenticationRequired,
    "the web auth token is not one of this server; sign in here, or let `brume user token NAME` make one"
  )

  static let ended = BrumeError(
    .authenticationRequired, "the web auth token has expired; sign in again")

  /// For whoever was let in before that.
  static let endedMeanwhile = BrumeError(
    .authenticationRequired,
    "the user was signed out everywhere, or got another password, just now; sign in again")
}

extension UserReading {
  /// Refuses a caller who has signed out, or whose key was revoked, since the request began: nothing that it
  /// registers may outlive that.
  func requireSession(of caller: Caller) throws {
    guard let epoch = caller.epoch, let user = caller.user else { return }
    guard try find(user)?.tokenEpoch != epoch else { return }
    guard caller.kind == .serverKey else { throw WebAuthToken.ended }
    throw ServerKeySignature.failed(
      "the key was revoked, or its user signed out, since the request began; sign with another key")
  }
}
