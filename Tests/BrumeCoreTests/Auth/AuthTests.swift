// Who a request is (docs/sign-in.md).

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Crypto
import FoundationEssentials
import Testing

struct AuthTests {
  private func credentials(
    api: String? = nil, web: String? = nil, environment: BrumeModel.Environment = .development
  ) -> Credentials {
    Credentials(
      in: ContainerEnvironment(TestContainer.id, environment), apiToken: api, webAuthToken: web,
      device: DeviceID("phone"), requestID: "r1")
  }

  private func apiToken(_ fixture: EngineFixture, origins: [String]? = nil) async throws -> String {
    try await fixture.engine.apiTokens.create(
      name: "test", in: TestContainer.development, allowedOrigins: origins
    ).token
  }

  @Test func `ACC-09 a request without a token, or with an unknown one, is refused`() async throws {
    let fixture = try await EngineFixture()
    let error = try await ruleFailure {
      try await fixture.engine.authentication.authenticate(credentials())
    }
    #expect(error.code == .missingEntitlement)
    #expect(error.reason.hasPrefix("no auth method found"))
    let unknown = try await ruleFailure {
      try await fixture.engine.authentication.authenticate(
        credentials(api: String(repeating: "0", count: 64)))
    }
    #expect(unknown.code == .missingEntitlement)
  }

  @Test func `an API token alone is anonymous, with a web auth token it is a user's device`()
    async throws
  {
    let fixture = try await EngineFixture()
    let api = try await apiToken(fixture)
    #expect(api.count == 64)
    let anonymous = try await fixture.engine.authentication.authenticate(credentials(api: api))
    #expect(anonymous.kind == .anonymous)
    #expect(anonymous.user == nil)
    let caller = try await fixture.engine.authentication.authenticate(
      credentials(api: api, web: try await fixture.webToken()))
    #expect(caller.kind == .user)
    #expect(caller.user == fixture.phone.user)
    #expect(caller.device == DeviceID("phone"))
  }

  @Test func `ACC-09 tokens are bound to container and environment`() async throws {
    let fixture = try await EngineFixture()
    let (api, web) = (try await apiToken(fixture), try await fixture.webToken())
    let error = try await ruleFailure {
      try await fixture.engine.authentication.authenticate(
        credentials(api: api, environment: .production))
    }
    #expect(error.code == .missingEntitlement && !error.reason.contains("brume exec"))
    #expect(error.reason.contains("`brume token create NAME --environment production` makes one"))
    var elsewhere = credentials(api: api)
    elsewhere.containerEnvironment = ContainerEnvironment(
      ContainerID("iCloud.org.example.other"), .development)
    let wrong = try await ruleFailure { [elsewhere] in
      try await fixture.engine.authentication.authenticate(elsewhere)
    }
    #expect(wrong.reason.contains("`brume exec --container iCloud.org.example.other`"))
    let production = try await fixture.engine.apiTokens.create(
      name: "p", in: TestContainer.production)
    let other = try await ruleFailure {
      try await fixture.engine.authentication.authenticate(
        credentials(api: production.token, web: web, environment: .production))
    }
    #expect(other.code == .authenticationRequired)
    #expect(other.reason.contains("another container or environment"))
  }

  @Test(arguments: [(false, Int64(30 * 60_000)), (true, Int64(14 * 86_400_000))])
  func `a web auth token expires on time and then asks to sign in`(
    _ keep: Bool, _ lifetime: Milliseconds
  ) async throws {
    let fixture = try await EngineFixture()
    let (api, web) = (try await apiToken(fixture), try await fixture.webToken(keep: keep))
    fixture.server.clock.advance(by: lifetime - 1)
    #expect(
      try await fixture.engine.authentication.authenticate(credentials(api: api, web: web)).kind
        == .user)
    fixture.server.clock.advance(by: 1)
    let error = try await ruleFailure {
      try await fixture.engine.authentication.authenticate(credentials(api: api, web: web))
    }
    #expect(error.code == .authenticationRequired)
  }

  @Test func `a revoked API token is refused from then on`() async throws {
    let fixture = try await EngineFixture()
    let api = try await apiToken(fixture)
    _ = try await fixture.engine.authentication.authenticate(credentials(api: api))
    _ = try await fixture.engine.apiTokens.revoke(api, in: TestContainer.development)
    let error = try await ruleFailure {
      try await fixture.engine.authentication.authenticate(credentials(api: api))
    }
    #expect(error.code == .missingEntitlement)
  }

  @Test func `signing out everywhere ends every token`() async throws {
    let fixture = try await EngineFixture()
    let (api, web) = (try await apiToken(fixture), try await fixture.webToken())
    // Used once before, so that the server knows it when it ends.
    _ = try await fixture.engine.authentication.authenticate(credentials(api: api, web: web))
    try await fixture.engine.accounts.signOutEverywhere(try #require(fixture.phone.user))
    let error = try await ruleFailure {
      try await fixture.engine.authentication.authenticate(credentials(api: api, web: web))
    }
    #expect(error.code == .authenticationRequired)
    #expect(
      try await fixture.engine.authentication.authenticate(
        credentials(api: api, web: try await fixture.webToken())
      )
      .kind == .user)
  }

  @Test func `a web auth token is refused whichever of its characters was changed`() async throws {
    let fixture = try await EngineFixture()
    let (api, web) = (try await apiToken(fixture), try await fixture.webToken())
    let characters = Array(web)
    for index in characters.indices {
      var forged = characters
      forged[index] = forged[index] == "A" ? "B" : "A"
      let error = try await ruleFailure {
        try await fixture.engine.authentication.authenticate(
          credentials(api: api, web: String(forged)))
      }
      #expect(error.code == .authenticationRequired)
    }
  }

  @Test func `nobody is asked to sign in by an API token that is no good`() async throws {
    let fixture = try await EngineFixture()
    for web in ["nonsense", try await fixture.webToken()] {
      let error = try await ruleFailure {
        try await fixture.engine.authentication.authenticate(
          credentials(api: String(repeating: "0", count: 64), web: web))
      }
      #expect(error.code == .missingEntitlement && error.reason.contains("the API token"))
    }
  }

  @Test func `a sealed text opens for its own purpose only`() async throws {
    let fixture = try await EngineFixture()
    let api = try await apiToken(fixture)
    let change = try await fixture.changes().token
    let error = try await ruleFailure {
      try await fixture.engine.authentication.authenticate(credentials(api: api, web: change))
    }
    #expect(error.code == .authenticationRequired)
    #expect(
      try await fixture.changesFailure(since: try await fixture.webToken()).code
        == .changeTokenExpired)
  }

  @Test func `an API token for some pages is refused on others`() async throws {
    let fixture = try await EngineFixture()
    var credentials = credentials(
      api: try await apiToken(fixture, origins: ["https://trailbook.example"]))
    credentials.origin = "https://evil.example"
    let error = try await ruleFailure {
      try await fixture.engine.authentication.authenticate(credentials)
    }
    #expect(error.code == .missingEntitlement)
    credentials.origin = "https://trailbook.example"
    #expect(try await fixture.engine.authentication.authenticate(credentials).kind == .anonymous)
  }

  @Test func `passwords are checked against their hash and never stored`() async throws {
    let fixture = try await EngineFixture(limits: .quickPasswords)
    let user = try await fixture.engine.accounts.create(name: "carol", password: "correct horse")
    #expect(user.passwordHash?.hasPrefix("scrypt$") == true)
    #expect(user.passwordHash?.contains("horse") == false)
    #expect(
      try await fixture.engine.accounts.passwordCheck(name: "carol").account(
        password: "correct horse"
      ).id
        == user.id)
    for (name, password) in [("carol", "wrong"), ("nobody", "x"), ("alice", "")] {
      let error = try await ruleFailure {
        try await fixture.engine.accounts.passwordCheck(name: name).account(password: password)
      }
      #expect(error.code == .authenticationFailed)
    }
  }

  @Test func `a password's hash has the rounds of its day and is good for ever`() async throws {
    var limits = Limits.apple
    #expect(limits.passwordRounds == 65_536)
    limits.passwordRounds = 32
    let cheap = try await EngineFixture(limits: limits)
    let carol = try await cheap.engine.accounts.create(name: "carol", password: "correct horse")
    #expect(carol.passwordHash?.hasPrefix("scrypt$32$8$1$") == true)
    limits.passwordRounds = 64
    let dearer = try await TestServer(store: cheap.server.store, limits: limits).engine.accounts
    let check = try await dearer.passwordCheck(name: "carol")
    #expect(try check.account(password: "correct horse").id == carol.id)
    let dave = try await dearer.create(name: "dave", password: "correct horse")
    #expect(dave.passwordHash?.hasPrefix("scrypt$64$8$1$") == true)
  }

  @Test func `user names and addresses are unique`() async throws {
    let fixture = try await EngineFixture()
    let name = try await ruleFailure { try await fixture.engine.accounts.create(name: "alice") }
    #expect(name.code == .exists)
    let address = try await ruleFailure {
      try await fixture.engine.accounts.create(name: "alice2", emailAddress: "Alice@Example.org")
    }
    #expect(address.code == .exists)
    let user = try await fixture.server.user("alice")
    #expect(user.id.name.count == 33)
    #expect(user.id.name.first == "_")
  }

  @Test func `people are discovered by address, others are left out`() async throws {
    let fixture = try await EngineFixture()
    let found = try await fixture.engine.discovery.users(
      [
        UserIdentity(emailAddress: "bob@example.org"),
        UserIdentity(emailAddress: "nobody@example.org"),
      ], as: fixture.phone)
    #expect(found.map(\.user) == [fixture.bob.user])
    #expect(try await fixture.engine.discovery.currentUser(as: fixture.phone).givenName == "Alice")
  }
}
