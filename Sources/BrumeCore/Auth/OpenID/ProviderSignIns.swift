// A sign-in at the provider (OAuth 2.0). Its state is a sealed text again; the proof key (PKCE, RFC 7636)
// and the nonce are computed from it with the server's secret, so that nothing has to be kept. The
// state is bound to one browser: whoever comes back must bring what was given to the one who left.

package import BrumeModel
import BrumeStorage
import Crypto
import FoundationEssentials

/// What the authorization request to the provider says.
package struct AuthorizationRequest: Equatable, Sendable {
  /// `state` of the authorization request.
  package let state: String
  /// `nonce`.
  package let nonce: String
  /// `code_challenge`, by the method S256.
  package let challenge: String
}

/// What belongs to the provider's answer.
package struct AuthorizationResponse: Equatable, Sendable {
  package let signIn: SignIn
  /// Whether the user stays signed in.
  package let keep: Bool
  /// Whether others may find an account that is made now.
  package let discoverable: Bool
  /// What the ID token must hold.
  package let nonce: String
  /// `code_verifier`.
  package let verifier: String
}

struct AuthorizationState {
  let signIn: String
  let browser: String
  let keep: Bool
  let discoverable: Bool
  let chance: String

  var bytes: [UInt8] {
    var packer = Packer()
    packer.add(signIn)
    packer.add(browser)
    packer.add(keep ? 1 : 0)
    packer.add(discoverable ? 1 : 0)
    packer.add(chance)
    return packer.bytes
  }
}

extension AuthorizationState {
  init?(_ bytes: [UInt8]) {
    var unpacker = Unpacker(bytes)
    guard let signIn = unpacker.text(), let browser = unpacker.text(),
      let keep = unpacker.number(), let discoverable = unpacker.number(),
      let chance = unpacker.text(), unpacker.isAtEnd
    else { return nil }
    self.init(
      signIn: signIn, browser: browser, keep: keep != 0, discoverable: discoverable != 0,
      chance: chance)
  }
}

/// Sign-ins by an OpenID provider.
package struct ProviderSignIns: Sendable {
  private let store: any Store
  private let limits: Limits
  private let host: Host
  private let seal: Seal
  private let signIns: SignIns

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    host = parts.host
    seal = parts.seal
    signIns = SignIns(parts)
  }

  /// The request that sends a sign-in to the provider.
  ///
  /// - Parameter browser: a secret that only this user's browser gets.
  package func request(
    _ signIn: SignIn, browser: String, keep: Bool, discoverable: Bool
  ) -> AuthorizationRequest {
    let content = AuthorizationState(
      signIn: signIn.state, browser: Self.digest(browser), keep: keep, discoverable: discoverable,
      chance: Hex.text(host.randomBytes(16)))
    return seal.authorizationRequest(seal.text(content.bytes, for: .authorizationState))
  }

  /// What belongs to an answer of the provider.
  ///
  /// - Throws: `badRequest` for a state that is not of this server, from another browser, or of a sign-in that
  ///   is over.
  package func response(_ state: String, browser: String?) async throws -> AuthorizationResponse {
    guard let bytes = seal.payload(of: state, for: .authorizationState),
      let content = AuthorizationState(bytes)
    else {
      throw BrumeError(
        .badRequest,
        "the provider sent back a state that is not of this server; go back and sign in again")
    }
    guard let browser, content.browser == Self.digest(browser) else {
      throw BrumeError(
        .badRequest, "this sign-in was begun in another browser; go back and sign in again")
    }
    return AuthorizationResponse(
      signIn: try await signIns.open(content.signIn), keep: content.keep,
      discoverable: content.discoverable, nonce: seal.nonce(of: state),
      verifier: seal.verifier(of: state))
  }

  /// The account of somebody whom the provider named; made at the first sign-in. An address never
  /// links to an account that exists: only issuer and subject do.
  ///
  /// - Throws: what the store throws.
  package func account(of claims: IDToken.Claims) async throws -> User {
    let identity = ProviderIdentity(issuer: claims.issuer, subject: claims.subject)
    let id = UserID("_" + Hex.text(host.randomBytes(16)))
    let suffix = Hex.text(host.randomBytes(4))
    let limits = limits
    let user = try await store.write(in: .server) { transaction -> User in
      if let known = try transaction.users.linked(to: identity).flatMap({
        try transaction.users.find($0)
      }) {
        return known
      }
      let user = try transaction.users.newUser(
        id, claims, suffix: suffix, limits)
      try transaction.users.add(user, limits: limits)
      try transaction.users.link(identity, to: id)
      return user
    }
    return user
  }

  static func digest(_ text: String) -> String {
    Base64URL.text(Array(SHA256.hash(data: Array(text.utf8))))
  }
}

extension UserReading {
  /// Named as the provider says if nobody is named so yet. Nobody finds a new account by its address
  /// until its owner agrees.
  fileprivate func newUser(
    _ id: UserID, _ claims: IDToken.Claims, suffix: String, _ limits: Limits
  ) throws -> User {
    var address = claims.isEmailVerified ? claims.emailAddress : nil
    let wanted = [claims.preferredName, address].compactMap { $0 }.first { name in
      !name.isEmpty && Self.mayBeName("\(name)-\(suffix)", limits)
    }
    let name = wanted ?? "user-\(suffix)"
    let isTaken = try find(named: name) != nil
    if let wanted = address, try find(emailAddress: wanted) != nil { address = nil }
    var user = User(
      id: id, name: isTaken ? "\(name)-\(suffix)" : name, emailAddress: address,
      isDiscoverable: false)
    if (try? AccountRules.check(user, limits: limits)) == nil { user.emailAddress = nil }
    let unnamed = user
    (user.givenName, user.familyName) = (claims.givenName, claims.familyName)
    // What a provider lets people call themselves is no reason to refuse them.
    return (try? AccountRules.check(user, limits: limits)) == nil ? unnamed : user
  }

  /// Not what an ID looks like either: operators name people by both.
  private static func mayBeName(_ name: String, _ limits: Limits) -> Bool {
    !name.hasPrefix("_") && (try? AccountRules.checkName(name, limits: limits)) != nil
  }
}
