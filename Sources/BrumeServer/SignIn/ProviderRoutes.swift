// The way to a sign-in provider and back (docs/sign-in.md). Nothing here believes a cookie: each step
// carries the sealed state of the sign-in, and the only cookie ties the way to one browser.

import BrumeCore
import BrumeModel
import BrumeOpenID
import HTTPTypes

struct ProviderRoutes: Sendable {
  /// Nil: nobody signs in by a provider.
  let provider: OpenIDProvider?
  /// Trips of operators come back here too.
  let operators: OperatorProviderRoutes
  let calls: ProviderCalls
  let signIns: SignIns
  let providerSignIns: ProviderSignIns
  let server: ServerAddress
  let randomBytes: @Sendable (Int) -> [UInt8]
  /// How long a browser keeps the cookie.
  let cookieSeconds: Int64

  func authorize(_ call: Call) async throws -> Reply {
    try await shown {
      guard let provider else {
        throw BrumeError(
          .notFound, "this server knows no sign-in provider; use a name and a password")
      }
      try requireOwnPage(call)
      let signIn = try await signIns.open(call.query["state"] ?? "")
      let permit = try calls.begin(from: call.address)
      defer { permit.end() }
      let browser = cookie.value(of: call.headers, orElse: Hex.text(randomBytes(32)))
      let request = providerSignIns.request(
        signIn, browser: browser, keep: call.query["keep"] == "true",
        discoverable: call.query["discoverable"] == "true")
      var reply = SignInPage.redirect(
        try await provider.authorizationURL(request, redirectURI: server.signInCallback))
      reply.headers[.setCookie] = cookie.header(browser, seconds: cookieSeconds)
      return reply
    }
  }

  func callback(_ call: Call) async throws -> Reply {
    try await shown {
      if operators.isOurs(call) { return try await operators.response(call) }
      guard let provider, let state = call.query["state"] else {
        throw BrumeError(
          .badRequest,
          "this address is for a sign-in provider's answers; go back to the app and sign in there")
      }
      let response = try await providerSignIns.response(
        state, browser: cookie.value(in: call.headers))
      guard let code = call.query["code"] else {
        let why = call.query["error"] ?? "no reason given"
        return SignInPage.outcome(
          SignInOutcome.error(
            "The provider did not sign you in (\(why.prefix(60))).", response.signIn))
      }
      let permit = try calls.begin(from: call.address)
      defer { permit.end() }
      let claims = try await provider.claims(
        code: code, verifier: response.verifier, nonce: response.nonce,
        redirectURI: server.signInCallback)
      let user = try await providerSignIns.account(of: claims)
      let token = try await signIns.complete(
        response.signIn, as: user, keep: response.keep,
        discoverable: response.discoverable ? true : nil)
      if case .redirect(let callback) = SignInDelivery.decide(response.signIn) {
        return SignInPage.redirect(SignInOutcome.address(callback, token))
      }
      return SignInPage.outcome(SignInOutcome.json(token, for: response.signIn))
    }
  }

  private var cookie: BrowserCookie { BrowserCookie(serverURL: server.url) }

  /// Whoever is signed in at the provider comes back without a question, and the result goes to the page that opened
  /// the window. So nobody sets out but by a click on the page that says who that is.
  private func requireOwnPage(_ call: Call) throws(BrumeError) {
    guard call.headers[.fetchSite] != "none", call.isFromPage(of: server) else {
      throw BrumeError(
        .accessDenied,
        "only the sign-in page itself leads to the provider; go back to the app and sign in there")
    }
  }

  /// A browser shows these answers to a person, errors too.
  private func shown(_ body: () async throws -> Reply) async throws -> Reply {
    do {
      return try await body()
    } catch {
      throw SignInPage.Failure(error: error)
    }
  }
}
