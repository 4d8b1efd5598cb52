// A sign-in on the page: for whom it is and where its result may go (docs/sign-in.md).

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

struct SignInTests {
  private func credentials(_ api: String?, origin: String? = nil) -> Credentials {
    Credentials(in: TestContainer.development, apiToken: api, origin: origin, requestID: "r")
  }

  private func token(
    _ fixture: EngineFixture, origins: [String]? = nil, callback: String? = nil
  ) async throws -> String {
    try await fixture.engine.apiTokens.create(
      name: "Trailbook", in: TestContainer.development, allowedOrigins: origins, callback: callback
    ).token
  }

  private func signIn(
    _ fixture: EngineFixture, origins: [String]? = nil, callback: String? = nil,
    from origin: String? = nil
  ) async throws -> SignIn {
    let api = try await token(fixture, origins: origins, callback: callback)
    let state = try #require(
      try await fixture.engine.signIns.begin(for: credentials(api, origin: origin)))
    return try await fixture.engine.signIns.open(state)
  }

  @Test func `the result goes to the page that asked, if the API token is for it`() async throws {
    let fixture = try await EngineFixture()
    let both = ["https://a.example", "https://b.example"]
    let one = try await signIn(fixture, origins: both, from: "https://a.example")
    #expect(SignInDelivery.decide(one) == .post(origins: ["https://a.example"]))
    let unknown = try await signIn(fixture, origins: both)
    #expect(SignInDelivery.decide(unknown) == .post(origins: both))
    let any = try await signIn(fixture, from: "https://c.example")
    #expect(SignInDelivery.decide(any) == .post(origins: ["https://c.example"]))
    let nobody = try await signIn(fixture)
    #expect(SignInDelivery.decide(nobody) == .post(origins: []))
  }

  @Test func `a registered callback gets it instead`() async throws {
    let fixture = try await EngineFixture()
    let signIn = try await signIn(
      fixture, origins: ["https://a.example"], callback: "trailbook://signed-in",
      from: "https://a.example")
    #expect(SignInDelivery.decide(signIn) == .redirect("trailbook://signed-in"))
  }

  @Test func `a page that the API token is not for gets no sign-in`() async throws {
    let fixture = try await EngineFixture()
    let api = try await token(fixture, origins: ["https://a.example"])
    let evil = credentials(api, origin: "https://evil.example")
    #expect(try await fixture.engine.signIns.begin(for: evil) == nil)
    #expect(try await fixture.engine.signIns.begin(for: credentials("0000")) == nil)
    #expect(try await fixture.engine.signIns.begin(for: credentials(nil)) == nil)
  }

  @Test func `a sign-in is good for longer than clients wait, and not for ever`() async throws {
    let fixture = try await EngineFixture()
    let state = try #require(
      try await fixture.engine.signIns.begin(for: credentials(try await token(fixture))))
    fixture.server.clock.advance(by: 840_000)
    _ = try await fixture.engine.signIns.open(state)
    fixture.server.clock.advance(by: 1_800_000 - 840_000 - 1)
    _ = try await fixture.engine.signIns.open(state)
    fixture.server.clock.advance(by: 1)
    let error = try await ruleFailure { try await fixture.engine.signIns.open(state) }
    #expect(error.code == .badRequest)
  }

  @Test func `a sign-in whose API token was removed is over`() async throws {
    let fixture = try await EngineFixture()
    let api = try await token(fixture)
    let state = try #require(try await fixture.engine.signIns.begin(for: credentials(api)))
    _ = try await fixture.engine.apiTokens.revoke(api, in: TestContainer.development)
    let error = try await ruleFailure { try await fixture.engine.signIns.open(state) }
    #expect(error.code == .badRequest)
  }

  @Test func `nobody makes or changes a sign-in, or uses another sealed text as one`() async throws
  {
    let fixture = try await EngineFixture()
    let state = try #require(
      try await fixture.engine.signIns.begin(for: credentials(try await token(fixture))))
    let web = try await fixture.webToken()
    for bad in ["", "x", String(state.dropLast()), state + "A", web] {
      let error = try await ruleFailure { try await fixture.engine.signIns.open(bad) }
      #expect(error.code == .badRequest)
    }
    let asToken = try await ruleFailure {
      var asked = credentials(try await token(fixture))
      asked.webAuthToken = state
      return try await fixture.engine.authentication.authenticate(asked)
    }
    #expect(asToken.code == .authenticationRequired)
  }

  @Test(arguments: [
    "https://a.example/", "https://a.example/path", "a.example", "https://", "https://*",
    "https://A.example", "https://u@a.example", "javascript:alert(1)", "null", "*",
    "https://a.example https://b.example",
  ])
  func `what is no origin is not registered as one`(text: String) async throws {
    let fixture = try await EngineFixture()
    let error = try await ruleFailure { try await token(fixture, origins: [text]) }
    #expect(error.code == .badRequest)
  }

  @Test(arguments: [
    "javascript://a.example/%0aalert(1)", "data://x", "/signed-in", "https://", "app",
    "https://a.example/#part", "https://a.example/ x", "file://x",
  ])
  func `what is no address to return to is not registered as one`(text: String) async throws {
    let fixture = try await EngineFixture()
    let error = try await ruleFailure { try await token(fixture, callback: text) }
    #expect(error.code == .badRequest)
  }

  @Test func `a password that was changed while it was checked signs nobody in`() async throws {
    let fixture = try await EngineFixture(limits: .quickPasswords)
    let (signIn, engine) = (try await signIn(fixture), fixture.engine)
    _ = try await engine.accounts.create(name: "carol", password: "correct horse")
    let checked = try await engine.accounts.passwordCheck(name: "carol").account(
      password: "correct horse")
    var change = Accounts.Change()
    change.password = "battery staple"
    let changed = try await engine.accounts.change(checked.id, change)
    let error = try await ruleFailure {
      try await engine.signIns.complete(signIn, as: checked, keep: false, discoverable: nil)
    }
    #expect(error.code == .authenticationRequired, "\(error)")
    _ = try await engine.signIns.complete(signIn, as: changed, keep: false, discoverable: nil)
  }

  // MARK: To the provider and back

  @Test func `whoever comes back must be the browser that left`() async throws {
    let fixture = try await EngineFixture()
    let signIn = try await signIn(fixture)
    let request = fixture.engine.providerSignIns.request(
      signIn, browser: "b1", keep: true, discoverable: false)
    let response = try await fixture.engine.providerSignIns.response(request.state, browser: "b1")
    #expect(response.signIn == signIn)
    #expect(response.keep)
    #expect(!response.discoverable)
    #expect(response.nonce == request.nonce)
    for browser in [nil, "b2"] {
      let error = try await ruleFailure {
        try await fixture.engine.providerSignIns.response(request.state, browser: browser)
      }
      #expect(error.code == .badRequest)
    }
  }

  @Test func `each request has its own secrets, which the state does not reveal`() async throws {
    let fixture = try await EngineFixture()
    let signIn = try await signIn(fixture)
    let first = fixture.engine.providerSignIns.request(
      signIn, browser: "b", keep: false, discoverable: false)
    let second = fixture.engine.providerSignIns.request(
      signIn, browser: "b", keep: false, discoverable: false)
    #expect(first.nonce != second.nonce && first.challenge != second.challenge)
    let response = try await fixture.engine.providerSignIns.response(first.state, browser: "b")
    #expect(response.verifier.count == 43)
    #expect(!first.state.contains(response.verifier) && response.verifier != first.challenge)
  }

  @Test func `an account of the provider is made once, by issuer and subject`() async throws {
    let fixture = try await EngineFixture()
    var claims = IDToken.Claims(
      issuer: "https://id.example", subject: "s1", audiences: ["c"], expires: 1, issued: 0)
    claims.preferredName = "alice"
    claims.emailAddress = "Alice@example.org"
    claims.isEmailVerified = true
    let first = try await fixture.engine.providerSignIns.account(of: claims)
    #expect(first.id != fixture.phone.user, "a name or an address never opens an existing account")
    #expect(first.name != "alice" && first.name.hasPrefix("alice-"))
    #expect(first.emailAddress == nil, "the address is alice's")
    #expect(!first.isDiscoverable)
    #expect(try await fixture.engine.providerSignIns.account(of: claims).id == first.id)
    claims.subject = "s2"
    claims.preferredName = "dora"
    claims.emailAddress = "dora@example.org"
    claims.isEmailVerified = false
    let second = try await fixture.engine.providerSignIns.account(of: claims)
    #expect(second.id != first.id)
    #expect(second.name == "dora")
    #expect(second.emailAddress == nil, "an address that nobody verified is nobody's")
  }

  @Test(arguments: ["_0123456789abcdef0123456789abcdef", "bob\u{9b}2J", "two words", ""])
  func `a provider cannot call somebody what no account may be called`(name: String) async throws {
    let fixture = try await EngineFixture()
    var claims = IDToken.Claims(
      issuer: "https://id.example", subject: "s1", audiences: ["c"], expires: 1, issued: 0)
    claims.preferredName = name
    claims.emailAddress = "boss@example.org"
    claims.givenName = String(repeating: "x", count: Limits.apple.labelBytes + 1)
    let user = try await fixture.engine.providerSignIns.account(of: claims)
    #expect(user.name.hasPrefix("user-"), "nor by an address that nobody verified")
    #expect(user.givenName == nil)
  }

  @Test func `an operator who names somebody by ID means nobody who is called so`() async throws {
    let fixture = try await EngineFixture()
    let alice = try #require(fixture.phone.user)
    _ = try await fixture.server.user(alice.name)
    let found = try await fixture.server.store.read { try $0.users.account(named: alice.name) }
    #expect(found.id == alice)
  }
}
