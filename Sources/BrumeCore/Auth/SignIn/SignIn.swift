// One sign-in on the page: for which API token it is, and where its result may go. The sign-in is
// a sealed text in the page's address, so that the server keeps nothing while somebody looks for a
// password, and nobody can make a sign-in for another app.

package import BrumeModel
import BrumeStorage

/// What the page's address says, once opened.
package struct SignIn: Equatable, Sendable {
  /// That of the app, whose container environment the sign-in is for.
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
