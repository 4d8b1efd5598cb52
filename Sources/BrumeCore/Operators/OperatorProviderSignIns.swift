// Operators who sign in through an OpenID provider: the request and the answer, whose identity is an operator's, and whoever
// becomes one by a one-time link. As with users (`ProviderSignIns`) the state is a sealed text, bound to one
// browser; what it says of a link is the link's digest, because the provider reads it too.

package import BrumeModel
import BrumeStorage

/// What belongs to the provider's answer.
package struct OperatorAuthorizationResponse: Sendable {
  /// `nonce`.
  package let nonce: String
  /// `code_verifier`.
  package let verifier: String
  /// The digest of the link that makes an operator; nil: somebody signs in.
  package let link: String?
  /// What the operator is to be called; empty: as the provider says.
  let name: String
  /// Whether the link is an invitation.
  package let isInvited: Bool

  /// Whether the link makes the first operator.
  package var isFirst: Bool { link != nil && !isInvited }
}

struct OperatorAuthorizationState {
  let browser: String
  let link: String
  let name: String
  let isInvited: Bool
  let ends: Milliseconds
  let chance: String

  var bytes: [UInt8] {
    var packer = Packer()
    for text in [browser, link, name] { packer.add(text) }
    packer.add(isInvited ? 1 : 0)
    packer.add(ends)
    packer.add(chance)
    return packer.bytes
  }
}

extension OperatorAuthorizationState {
  init?(_ bytes: [UInt8]) {
    var unpacker = Unpacker(bytes)
    guard let browser = unpacker.text(), let link = unpacker.text(), let name = unpacker.text(),
      let invited = unpacker.number(), let ends = unpacker.number(), let chance = unpacker.text(),
      unpacker.isAtEnd
    else { return nil }
    self.init(
      browser: browser, link: link, name: name, isInvited: invited == 1, ends: ends, chance: chance)
  }
}

/// Sign-ins of operators through an OpenID provider.
package struct OperatorProviderSignIns: Sendable {
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

  /// Sends a browser to the provider.
  ///
  /// - Parameters:
  ///   - browser: a secret that only this browser gets.
  ///   - link: the secret of a one-time link, which makes an operator; nil: somebody signs in.
  ///   - name: what the first operator wants to be called. Who is invited is called as the invitation says.
  /// - Throws: `authenticationFailed` if the link is not good, `badRequest` with a name that cannot be.
  package func request(
    browser: String, link: String?, name: String?
  ) async throws -> AuthorizationRequest {
    let found = try await good(link)
    if found != nil, let name { try OperatorRules.checkName(name, limits: limits) }
    let isInvited = found?.isInvitation ?? false
    let content = OperatorAuthorizationState(
      browser: ProviderSignIns.digest(browser), link: found?.id ?? "",
      name: (isInvited ? found?.name : name) ?? "", isInvited: isInvited,
      ends: host.now() + limits.signInLifetime, chance: Hex.text(host.randomBytes(16)))
    return seal.authorizationRequest(seal.text(content.bytes, for: .operatorAuthorization))
  }

  private func good(_ link: String?) async throws -> OperatorCredential? {
    guard let link else { return nil }
    let now = host.now()
    return try await store.read { try $0.operators.anyLink(link, at: now) }
  }

  /// Whether a state is of an operator's sign-in.
  package func isOurs(_ state: String) -> Bool {
    seal.payload(of: state, for: .operatorAuthorization) != nil
  }

  /// Takes a browser back.
  ///
  /// - Throws: `badRequest` if it is another browser, or came back too late.
  package func response(_ state: String, browser: String?) throws(BrumeError)
    -> OperatorAuthorizationResponse
  {
    guard let bytes = seal.payload(of: state, for: .operatorAuthorization),
      let content = OperatorAuthorizationState(bytes),
      let browser, content.browser == ProviderSignIns.digest(browser)
    else {
      throw BrumeError(
        .badRequest, "this sign-in was begun in another browser; open the console and sign in there"
      )
    }
    guard host.now() < content.ends else {
      throw BrumeError(
        .badRequest, "this sign-in has waited for too long; open the console and sign in again")
    }
    return OperatorAuthorizationResponse(
      nonce: seal.nonce(of: state), verifier: seal.verifier(of: state),
      link: content.link.isEmpty ? nil : content.link, name: content.name,
      isInvited: content.isInvited)
  }

  /// The operator whose identity the provider named.
  ///
  /// - Throws: `authenticationFailed` if it is nobody's, or not any more.
  package func person(of claims: IDToken.Claims) async throws -> Operator {
    let identity = ProviderIdentity(issuer: claims.issuer, subject: claims.subject)
    guard let person = try await store.read({ try $0.operators.find(identity) }) else {
      throw BrumeError(
        .authenticationFailed,
        "the provider knows you as '\(NameRules.shown(claims.subject))', which is no operator of this server; an "
          + "operator can add you with `brume operator add NAME --openid SUBJECT`")
    }
    return person
  }

  /// What becomes the operator once the link is used: the first one, or who was invited, whose role is the invitation's.
  ///
  /// - Throws: `badRequest` with a name that cannot be.
  package func newOperator(_ back: OperatorAuthorizationResponse, _ claims: IDToken.Claims) throws
    -> Operator
  {
    let names = [back.name, claims.preferredName ?? "", claims.emailAddress ?? ""]
    let identity = ProviderIdentity(issuer: claims.issuer, subject: claims.subject)
    return try OperatorRules.make(
      names.first { !$0.isEmpty } ?? "operator", identity, .full, limits: limits, host: host)
  }
}

extension OperatorReading {
  /// Who has an identity; there are few operators.
  func find(_ identity: ProviderIdentity) throws -> Operator? {
    try all().first { $0.identity == identity }
  }
}

extension Seal {
  /// The way to a provider with a sealed state.
  func authorizationRequest(_ state: String) -> AuthorizationRequest {
    AuthorizationRequest(
      state: state, nonce: nonce(of: state), challenge: ProviderSignIns.digest(verifier(of: state)))
  }

  func nonce(of state: String) -> String {
    Base64URL.text(secret(of: state, for: .providerNonce))
  }

  func verifier(of state: String) -> String {
    Base64URL.text(secret(of: state, for: .providerProof))
  }
}
