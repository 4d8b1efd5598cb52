// Operators' browsers on the way to the OpenID provider that users sign in with, and back. The provider knows one address
// to come back to, so `ProviderRoutes` has it and hands on what is ours.

import BrumeCore
import BrumeModel
import BrumeOpenID
import BrumeWire
import HTTPTypes

struct OperatorProviderRoutes: Sendable {
  private static let action = "session/provider"
  /// Nil: nobody signs in by a provider.
  let provider: OpenIDProvider?
  let calls: ProviderCalls
  let signIns: OperatorProviderSignIns
  let sessions: OperatorSessions
  let links: OperatorLinks
  let invitations: OperatorInvitations
  let auditLog: AuditLog
  let server: ServerAddress
  let secure: SecureRequests
  let randomBytes: @Sendable (Int) -> [UInt8]
  let limits: Limits

  /// What the button of the page says, if there is one.
  func options(_ call: Call) async throws -> Reply {
    var object = JSONObject()
    object["provider"] = provider.map { .string($0.settings.name) }
    var reply = Reply.json(.object(object))
    reply.headers[.cacheControl] = "no-store"
    return reply
  }

  /// Where the page sends its browser: to sign in, or with a link to become an operator.
  func request(_ call: Call) async throws -> Reply {
    guard call.isFromPage(of: server) else {
      throw BrumeError(.accessDenied, "only a page of this server may sign an operator in")
    }
    guard let provider else {
      throw BrumeError(
        .notFound, "this server knows no sign-in provider; use a name and a password")
    }
    let given = try OperatorSignIn(json: call.json())
    let browser = cookie.value(of: call.headers, orElse: Hex.text(randomBytes(32)))
    let request = try await auditLog.identify(call, action: Self.action) {
      try await signIns.request(browser: browser, link: given.link, name: given.name)
    }
    let permit = try calls.begin(from: call.address)
    defer { permit.end() }
    let url = try await provider.authorizationURL(request, redirectURI: server.signInCallback)
    var reply = Reply.json(["url": .string(url)])
    reply.headers[.setCookie] = cookie.header(browser, seconds: limits.signInLifetime / 1000)
    reply.headers[.cacheControl] = "no-store"
    return reply
  }

  func isOurs(_ call: Call) -> Bool { call.query["state"].map { signIns.isOurs($0) } ?? false }

  /// Signs the browser in and leads it to the console.
  func response(_ call: Call) async throws -> Reply {
    let (person, back) = try await identified(call)
    let act = Audit.Act(
      operatorName: person.name, address: call.address.name, requestID: call.caller.requestID,
      action: Self.action)
    return try await auditLog.carryOut(act) {
      let made = try await begin(person, back)
      var reply = SignInPage.redirect("\(server.url)/_brume/console/")
      reply.headers[.setCookie] = call.sender.cookie(secure, call.authority, call.headers).header(
        made.secret, seconds: limits.operatorSessionLifetime / 1000)
      return reply
    }
  }

  private func begin(
    _ person: Operator, _ back: OperatorAuthorizationResponse
  ) async throws -> NewOperatorCredential {
    if back.isFirst { return try await links.makeFirst(person, id: back.link) }
    if back.isInvited { return try await invitations.accept(person, id: back.link) }
    return try await sessions.begin(for: person)
  }

  /// Whom the provider has named, with a line for who is nobody here.
  private func identified(_ call: Call) async throws -> (Operator, OperatorAuthorizationResponse) {
    try await auditLog.identify(call, action: Self.action) {
      let (back, claims) = try await claimed(call)
      if back.isFirst || back.isInvited { return (try signIns.newOperator(back, claims), back) }
      return (try await signIns.person(of: claims), back)
    }
  }

  private func claimed(_ call: Call) async throws -> (OperatorAuthorizationResponse, IDToken.Claims)
  {
    let back = try signIns.response(
      call.query["state"] ?? "", browser: cookie.value(in: call.headers))
    guard let provider, let code = call.query["code"] else {
      let why = call.query["error"] ?? "no reason given"
      throw BrumeError(
        .authenticationFailed, "The provider did not sign you in (\(why.prefix(60))).")
    }
    let permit = try calls.begin(from: call.address)
    defer { permit.end() }
    let claims = try await provider.claims(
      code: code, verifier: back.verifier, nonce: back.nonce, redirectURI: server.signInCallback)
    return (back, claims)
  }

  private var cookie: BrowserCookie { BrowserCookie(serverURL: server.url) }
}
