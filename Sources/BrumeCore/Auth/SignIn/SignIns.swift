// Beginning a sign-in on the page, opening it at each step, completing it.

package import BrumeModel
import BrumeStorage

/// The sealed form.
struct SignInState {
  let apiToken: String
  let origin: String
  let expires: Milliseconds

  var bytes: [UInt8] {
    var packer = Packer()
    packer.add(apiToken)
    packer.add(origin)
    packer.add(expires)
    return packer.bytes
  }
}

extension SignInState {
  init?(_ bytes: [UInt8]) {
    var unpacker = Unpacker(bytes)
    guard let apiToken = unpacker.text(), let origin = unpacker.text(),
      let expires = unpacker.number(), unpacker.isAtEnd
    else { return nil }
    self.init(apiToken: apiToken, origin: origin, expires: expires)
  }
}

/// Sign-ins on the server's own page.
package struct SignIns: Sendable {
  private let limits: Limits
  private let host: Host
  private let seal: Seal
  private let credentials: CredentialLookup
  private let accounts: Accounts
  private let webAuthTokens: WebAuthTokens

  init(_ parts: EngineParts) {
    limits = parts.limits
    host = parts.host
    seal = parts.seal
    credentials = CredentialLookup(parts)
    accounts = Accounts(parts)
    webAuthTokens = WebAuthTokens(parts)
  }

  /// The state of a new sign-in for a request that needs a user; nil if its API token is of no use.
  ///
  /// - Throws: what the store throws.
  package func begin(for request: Credentials) async throws -> String? {
    guard let text = request.apiToken else { return nil }
    let token = try await credentials.find(text, nil).token
    guard let token, token.obstacle(for: request) == nil else { return nil }
    let state = SignInState(
      apiToken: token.token, origin: request.origin ?? "",
      expires: host.now() + limits.signInLifetime)
    return seal.text(state.bytes, for: .signIn)
  }

  /// Opens a sign-in. Each step of the page does so again.
  ///
  /// - Throws: `badRequest` if it is not of this server, has waited too long, or its API token was revoked.
  package func open(_ state: String) async throws -> SignIn {
    guard let bytes = seal.payload(of: state, for: .signIn), let opened = SignInState(bytes) else {
      throw BrumeError(
        .badRequest, "this address of the sign-in page is not complete; go back and sign in again")
    }
    guard host.now() < opened.expires else {
      throw BrumeError(
        .badRequest, "this sign-in page has waited for too long; go back and sign in again")
    }
    guard let token = try await credentials.find(opened.apiToken, nil).token else {
      throw BrumeError(
        .badRequest,
        "the app that you sign in to is no longer known here; its operator has to make a new API "
          + "token")
    }
    return SignIn(
      token: token, origin: opened.origin.isEmpty ? nil : opened.origin, state: state)
  }

  /// The web auth token of somebody who has shown who they are.
  ///
  /// - Parameters:
  ///   - user: the account as it was when that was shown.
  ///   - discoverable: whether others may find the account; nil leaves it as it is.
  /// - Throws: `notFound` if the account is gone, `authenticationRequired` if its sessions were ended, or its password
  ///   was changed, since then.
  package func complete(
    _ signIn: SignIn, as user: User, keep: Bool, discoverable: Bool?
  ) async throws -> String {
    let token = try await webAuthTokens.issue(
      for: user.id, in: signIn.token.containerEnvironment, keep: keep, epoch: user.tokenEpoch)
    if let discoverable { try await accounts.setDiscoverable(user.id, discoverable) }
    return token
  }
}
