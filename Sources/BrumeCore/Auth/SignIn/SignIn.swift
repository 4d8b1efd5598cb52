// One visit to the sign-in page: for which API token it is, and where its result may go. The visit is
// a sealed text in the page's address, so that the server keeps nothing while somebody looks for a
// password, and nobody can make a visit for another app.

package import BrumeModel
import BrumeStorage

/// What the page's address says, once opened.
package struct SignIn: Equatable, Sendable {
  package let token: APIToken
  /// The page whose request needed a user, as its browser said.
  package let origin: String?
  /// The address parameter itself.
  package let state: String
}

/// Where a web auth token goes (docs/sign-in.md).
package enum SignInDelivery: Equatable, Sendable {
  /// To the page that opened this one, if it is of one of these origins. Browsers check that.
  case post(origins: [String])
  /// To the address registered with the API token, as parameters.
  case redirect(String)

  /// The registered callback, or else the origins of the API token. A token for any page is only
  /// posted to the page that asked, as its browser named it; never to "whoever is listening".
  package static func decide(_ signIn: SignIn) -> SignInDelivery {
    if let callback = signIn.token.callback { return .redirect(callback) }
    guard let allowed = signIn.token.allowedOrigins else {
      return .post(origins: signIn.origin.map { [$0] } ?? [])
    }
    if let origin = signIn.origin { return .post(origins: allowed.filter { $0 == origin }) }
    return .post(origins: allowed)
  }
}

/// The sealed form.
private struct SignInState {
  let apiToken: String
  let origin: String
  let expires: Milliseconds

  init(apiToken: String, origin: String, expires: Milliseconds) {
    self.apiToken = apiToken
    self.origin = origin
    self.expires = expires
  }

  init?(_ bytes: [UInt8]) {
    var unpacker = Unpacker(bytes)
    guard let apiToken = unpacker.text(), let origin = unpacker.text(),
      let expires = unpacker.number(), unpacker.isAtEnd
    else { return nil }
    self.init(apiToken: apiToken, origin: origin, expires: expires)
  }

  var bytes: [UInt8] {
    var packer = Packer()
    packer.add(apiToken)
    packer.add(origin)
    packer.add(expires)
    return packer.bytes
  }
}

extension Engine {
  /// The state of a new visit for a request that needs a user; nil if its API token is of no use.
  package func beginSignIn(for credentials: Credentials) async throws -> String? {
    guard let text = credentials.apiToken else { return nil }
    let token = try await tokenAndAccount(text, nil).token
    guard let token, token.obstacle(for: credentials) == nil else { return nil }
    let state = SignInState(
      apiToken: token.token, origin: credentials.origin ?? "",
      expires: host.now() + limits.signInLifetime)
    return seal.text(state.bytes, for: .signIn)
  }

  /// Opens a visit. Each step of the page does so again.
  package func signIn(_ state: String) async throws -> SignIn {
    guard let bytes = seal.payload(of: state, for: .signIn), let opened = SignInState(bytes) else {
      throw BrumeError(
        .badRequest, "this address of the sign-in page is not complete; go back and sign in again")
    }
    guard host.now() < opened.expires else {
      throw BrumeError(
        .badRequest, "this sign-in page has waited for too long; go back and sign in again")
    }
    guard let token = try await tokenAndAccount(opened.apiToken, nil).token else {
      throw BrumeError(
        .badRequest,
        "the app that you sign in to is no longer known here; its operator has to make a new API "
          + "token")
    }
    return SignIn(
      token: token, origin: opened.origin.isEmpty ? nil : opened.origin, state: state)
  }

  /// The web auth token of somebody who has shown who he is.
  ///
  /// - Parameter discoverable: whether others may find the account; nil leaves it as it is.
  package func complete(
    _ signIn: SignIn, as user: UserID, keep: Bool, discoverable: Bool?
  ) async throws -> String {
    if let discoverable { try await setDiscoverable(user, discoverable) }
    return try await webAuthToken(
      for: user, container: signIn.token.container, environment: signIn.token.environment,
      keep: keep)
  }
}
