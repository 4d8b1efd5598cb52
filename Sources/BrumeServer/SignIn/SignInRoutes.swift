// The sign-in page and what it asks (docs/sign-in.md): the ways to sign in, a name and password,
// the way to a provider and back. Nothing here believes a cookie: each step carries the sealed
// state of the visit, and the only cookie ties the way to the provider to one browser.

import BrumeCore
import BrumeModel
import BrumeOpenID
import BrumeWire
import HTTPTypes

enum SignInRoutes {
  static let path = "/_brume/signin"

  static func page(_ call: Call) async throws -> Reply { SignInPage.empty }

  static func file(_ call: Call) async throws -> Reply { try SignInPage.file(call.target) }

  /// What the page shows.
  static func options(_ call: Call) async throws -> Reply {
    let signIn = try await call.engine.signIns.open(call.query["state"] ?? "")
    var options = JSONObject()
    options["app"] = .string(signIn.token.name)
    options["container"] = .string(signIn.token.container.name)
    options["password"] = .bool(true)
    options["provider"] = call.server.settings.provider.map { .string($0.name) }
    options["origins"] = .array(SignInOutcome.origins(of: signIn).map { .string($0) })
    return SignInPage.json(.object(options))
  }

  static func password(_ call: Call) async throws -> Reply {
    try requireOwnPage(call)
    let json = try call.json()
    let signIn = try await call.engine.signIns.open(json.text("state"))
    let user = try await user(call, name: json.text("name"), password: json["password"]?.string)
    let token = try await call.engine.signIns.complete(
      signIn, as: user, keep: json["keep"]?.bool ?? false,
      // An unticked box on the password page changes nothing: the operator may have decided.
      discoverable: json["discoverable"]?.bool == true ? true : nil)
    return SignInPage.json(SignInOutcome.json(token, for: signIn))
  }

  /// In development, and on this machine only, the ready-made users need no password.
  private static func user(
    _ call: Call, name: String, password: String?
  ) async throws -> UserID {
    let server = call.server
    if password ?? "" == "", server.settings.isDevelopment, call.address.isLocal,
      server.developmentUsers.contains(name),
      let user = try await call.engine.accounts.user(named: name),
      user.passwordHash == nil
    {
      return user.id
    }
    return try await server.passwords.account(
      name: name, password: password ?? "", at: call.address, engine: call.engine
    ).id
  }

  /// Browsers say which page makes a call, older ones by its origin; other programs say nothing and
  /// have no page to be fooled.
  private static func requireOwnPage(_ call: Call) throws(BrumeError) {
    if let site = call.headers[.fetchSite] {
      if site == "same-origin" || site == "none" { return }
    } else {
      guard let origin = call.headers[.origin] else { return }
      let host = call.authority ?? ""
      if ["http://\(host)", "https://\(host)", call.server.url].contains(origin) { return }
    }
    throw BrumeError(.accessDenied, "only the sign-in page itself may send a password")
  }

  // MARK: By a provider

  static func provider(_ call: Call) async throws -> Reply {
    await shown {
      guard let provider = call.server.provider else {
        throw BrumeError(
          .notFound,
          "this server knows no sign-in provider; use a name and a password")
      }
      let signIn = try await call.engine.signIns.open(call.query["state"] ?? "")
      let visit = try call.server.providerCalls.begin(from: call.address)
      defer { visit.end() }
      let browser =
        BrowserCookie.value(call.headers) ?? Hex.text(call.server.host.randomBytes(32))
      let departure = call.engine.providerVisits.depart(
        signIn, browser: browser, keep: call.query["keep"] == "true",
        discoverable: call.query["discoverable"] == "true")
      var reply = SignInPage.redirect(
        try await provider.authorizationURL(departure, redirectURI: redirectURI(call)))
      reply.headers[.setCookie] = BrowserCookie.header(browser, call.server)
      return reply
    }
  }

  static func callback(_ call: Call) async throws -> Reply {
    await shown {
      guard let provider = call.server.provider, let state = call.query["state"] else {
        throw BrumeError(
          .badRequest,
          "this address is for a sign-in provider's answers; go back to the app and sign in there")
      }
      let back = try await call.engine.providerVisits.comeBack(
        state, browser: BrowserCookie.value(call.headers))
      guard let code = call.query["code"] else {
        let why = call.query["error"] ?? "no reason given"
        return SignInPage.outcome(
          SignInOutcome.error("The provider did not sign you in (\(why.prefix(60))).", back.signIn))
      }
      let visit = try call.server.providerCalls.begin(from: call.address)
      defer { visit.end() }
      let claims = try await provider.claims(
        code: code, verifier: back.verifier, nonce: back.nonce, redirectURI: redirectURI(call))
      let user = try await call.engine.providerVisits.account(of: claims)
      let token = try await call.engine.signIns.complete(
        back.signIn, as: user.id, keep: back.keep, discoverable: back.discoverable ? true : nil)
      if case .redirect(let callback) = SignInDelivery.decide(back.signIn) {
        return SignInPage.redirect(SignInOutcome.address(callback, token))
      }
      return SignInPage.outcome(SignInOutcome.json(token, for: back.signIn))
    }
  }

  private static func redirectURI(_ call: Call) -> String { "\(call.server.url)\(path)/callback" }

  /// A browser shows these answers to a person, errors too.
  private static func shown(_ body: () async throws -> Reply) async -> Reply {
    do {
      return try await body()
    } catch let error as BrumeError {
      var reply = SignInPage.outcome(SignInOutcome.error(error.reason, nil))
      reply.status = .init(code: error.code.meaning.httpStatus)
      return reply
    } catch {
      var reply = SignInPage.outcome(SignInOutcome.error("The server has a fault.", nil))
      reply.status = .internalServerError
      return reply
    }
  }

  /// Ends every session of the caller, on all devices.
  static func signOutEverywhere(_ call: Call) async throws -> Reply {
    try await call.server.signOutEverywhere(call.caller.requireUser())
    return .empty
  }
}

/// What the page's script does at the end, as it reads it.
enum SignInOutcome {
  static func json(_ token: String, for signIn: SignIn) -> JSON {
    switch SignInDelivery.decide(signIn) {
    case .redirect(let callback): ["location": .string(address(callback, token))]
    case .post(let origins):
      ["token": .string(token), "origins": .array(origins.map { .string($0) })]
    }
  }

  static func error(_ reason: String, _ signIn: SignIn?) -> JSON {
    let origins = signIn.map { self.origins(of: $0) } ?? []
    return ["error": .string(reason), "origins": .array(origins.map { .string($0) })]
  }

  static func origins(of signIn: SignIn) -> [String] {
    if case .post(let origins) = SignInDelivery.decide(signIn) { origins } else { [] }
  }

  static func address(_ callback: String, _ token: String) -> String {
    FormText.address(callback, adding: [("ckWebAuthToken", token), ("ckSession", token)])
  }
}

/// Ties the way to a provider to the browser that set out.
enum BrowserCookie {
  private static let name = "brume-signin"

  static func value(_ headers: HTTPFields) -> String? {
    for header in headers[values: .cookie] {
      for pair in header.split(separator: ";") {
        let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[0] == name, parts[1].utf8.count == 64 else { continue }
        return String(parts[1])
      }
    }
    return nil
  }

  static func header(_ value: String, _ server: Composition) -> String {
    let seconds = server.settings.limits.signInLifetime / 1000
    let secure = server.url.hasPrefix("https://") ? "; Secure" : ""
    return "\(name)=\(value); Path=\(SignInRoutes.path); Max-Age=\(seconds); HttpOnly; SameSite=Lax"
      + secure
  }
}

extension Composition {
  /// Where the user signs in whom a request needs; nil if its API token is of no use.
  func signInAddress(for credentials: Credentials) async throws -> String? {
    try await engine.signIns.begin(for: credentials).map {
      "\(url)\(SignInRoutes.path)/?state=\($0)"
    }
  }
}

extension Call {
  func signInAddress() async throws -> String? {
    guard let container = databasePath.container, let environment = databasePath.environment else {
      return nil
    }
    return try await server.signInAddress(
      for: Credentials(
        container: container, environment: environment, apiToken: query["ckAPIToken"],
        origin: headers[.origin], requestID: caller.requestID))
  }
}
