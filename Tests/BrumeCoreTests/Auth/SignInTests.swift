// A visit to the sign-in page: for whom it is and where its result may go (docs/sign-in.md).

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

struct SignInTests {
  private func credentials(_ api: String?, origin: String? = nil) -> Credentials {
    Credentials(
      container: TestContainer.id, environment: .development, apiToken: api, origin: origin,
      requestID: "r")
  }

  private func token(
    _ lab: Lab, origins: [String]? = nil, callback: String? = nil
  ) async throws -> String {
    try await lab.engine.createAPIToken(
      name: "Trailbook", container: TestContainer.id, environment: .development,
      allowedOrigins: origins, callback: callback
    ).token
  }

  private func visit(
    _ lab: Lab, origins: [String]? = nil, callback: String? = nil, from origin: String? = nil
  ) async throws -> SignIn {
    let api = try await token(lab, origins: origins, callback: callback)
    let state = try #require(
      try await lab.engine.beginSignIn(for: credentials(api, origin: origin)))
    return try await lab.engine.signIn(state)
  }

  @Test func `the result goes to the page that asked, if the API token is for it`() async throws {
    let lab = try await Lab()
    let both = ["https://a.example", "https://b.example"]
    let one = try await visit(lab, origins: both, from: "https://a.example")
    #expect(SignInDelivery.decide(one) == .post(origins: ["https://a.example"]))
    let unknown = try await visit(lab, origins: both)
    #expect(SignInDelivery.decide(unknown) == .post(origins: both))
    let any = try await visit(lab, from: "https://c.example")
    #expect(SignInDelivery.decide(any) == .post(origins: ["https://c.example"]))
    let nobody = try await visit(lab)
    #expect(SignInDelivery.decide(nobody) == .post(origins: []))
  }

  @Test func `a registered callback gets it instead`() async throws {
    let lab = try await Lab()
    let visit = try await visit(
      lab, origins: ["https://a.example"], callback: "trailbook://signed-in",
      from: "https://a.example")
    #expect(SignInDelivery.decide(visit) == .redirect("trailbook://signed-in"))
  }

  @Test func `a page that the API token is not for gets no visit`() async throws {
    let lab = try await Lab()
    let api = try await token(lab, origins: ["https://a.example"])
    let evil = credentials(api, origin: "https://evil.example")
    #expect(try await lab.engine.beginSignIn(for: evil) == nil)
    #expect(try await lab.engine.beginSignIn(for: credentials("0000")) == nil)
    #expect(try await lab.engine.beginSignIn(for: credentials(nil)) == nil)
  }

  @Test func `a visit is good for longer than clients wait, and not for ever`() async throws {
    let lab = try await Lab()
    let state = try #require(
      try await lab.engine.beginSignIn(for: credentials(try await token(lab))))
    lab.server.clock.advance(by: 840_000)
    _ = try await lab.engine.signIn(state)
    lab.server.clock.advance(by: Limits.apple.signInLife)
    let error = try await ruleFailure { try await lab.engine.signIn(state) }
    #expect(error.code == .badRequest)
  }

  @Test func `a visit whose API token was removed is over`() async throws {
    let lab = try await Lab()
    let api = try await token(lab)
    let state = try #require(try await lab.engine.beginSignIn(for: credentials(api)))
    try await lab.engine.removeAPIToken(api)
    let error = try await ruleFailure { try await lab.engine.signIn(state) }
    #expect(error.code == .badRequest)
  }

  @Test func `nobody makes or changes a visit, or uses another sealed text as one`() async throws {
    let lab = try await Lab()
    let state = try #require(
      try await lab.engine.beginSignIn(for: credentials(try await token(lab))))
    let web = try await lab.engine.webAuthToken(
      for: try #require(lab.phone.user), container: TestContainer.id, environment: .development,
      keep: false)
    for bad in ["", "x", String(state.dropLast()), state + "A", web] {
      let error = try await ruleFailure { try await lab.engine.signIn(bad) }
      #expect(error.code == .badRequest)
    }
    let asToken = try await ruleFailure {
      var asked = credentials(try await token(lab))
      asked.webAuthToken = state
      return try await lab.engine.authenticate(asked)
    }
    #expect(asToken.code == .authenticationFailed)
  }

  @Test(arguments: [
    "https://a.example/", "https://a.example/path", "a.example", "https://", "https://*",
    "https://A.example", "https://u@a.example", "javascript:alert(1)", "null", "*",
    "https://a.example https://b.example",
  ])
  func `what is no origin is not registered as one`(text: String) async throws {
    let lab = try await Lab()
    let error = try await ruleFailure { try await token(lab, origins: [text]) }
    #expect(error.code == .badRequest)
  }

  @Test(arguments: [
    "javascript://a.example/%0aalert(1)", "data://x", "/signed-in", "https://", "app",
    "https://a.example/#part", "https://a.example/ x", "file://x",
  ])
  func `what is no address to return to is not registered as one`(text: String) async throws {
    let lab = try await Lab()
    let error = try await ruleFailure { try await token(lab, callback: text) }
    #expect(error.code == .badRequest)
  }

  // MARK: To the provider and back

  @Test func `whoever comes back must be the browser that left`() async throws {
    let lab = try await Lab()
    let signIn = try await visit(lab)
    let departure = lab.engine.depart(signIn, browser: "b1", keep: true, discoverable: false)
    let back = try await lab.engine.comeBack(departure.state, browser: "b1")
    #expect(back.signIn == signIn)
    #expect(back.keep)
    #expect(!back.discoverable)
    #expect(back.nonce == departure.nonce)
    for browser in [nil, "b2"] {
      let error = try await ruleFailure {
        try await lab.engine.comeBack(departure.state, browser: browser)
      }
      #expect(error.code == .badRequest)
    }
  }

  @Test func `each departure has its own secrets, which the state does not tell`() async throws {
    let lab = try await Lab()
    let signIn = try await visit(lab)
    let first = lab.engine.depart(signIn, browser: "b", keep: false, discoverable: false)
    let second = lab.engine.depart(signIn, browser: "b", keep: false, discoverable: false)
    #expect(first.nonce != second.nonce && first.challenge != second.challenge)
    let back = try await lab.engine.comeBack(first.state, browser: "b")
    #expect(back.verifier.count == 43)
    #expect(!first.state.contains(back.verifier) && back.verifier != first.challenge)
  }

  @Test func `an account of the provider is made once, by issuer and subject`() async throws {
    let lab = try await Lab()
    var claims = IDToken.Claims(
      issuer: "https://id.example", subject: "s1", audiences: ["c"], expires: 1, issued: 0)
    claims.preferredName = "alice"
    claims.emailAddress = "Alice@example.org"
    claims.isEmailVerified = true
    let first = try await lab.engine.account(of: claims)
    #expect(first.id != lab.phone.user, "a name or an address never opens an existing account")
    #expect(first.name != "alice" && first.name.hasPrefix("alice-"))
    #expect(first.emailAddress == nil, "the address is alice's")
    #expect(!first.isDiscoverable)
    #expect(try await lab.engine.account(of: claims).id == first.id)
    claims.subject = "s2"
    claims.preferredName = "dora"
    claims.emailAddress = "dora@example.org"
    claims.isEmailVerified = false
    let second = try await lab.engine.account(of: claims)
    #expect(second.id != first.id)
    #expect(second.name == "dora")
    #expect(second.emailAddress == nil, "an address that nobody verified is nobody's")
  }
}
