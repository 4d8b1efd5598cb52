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
      container: TestContainer.id, environment: environment, apiToken: api, webAuthToken: web,
      device: DeviceID("phone"), requestID: "r1")
  }

  private func apiToken(_ lab: Lab, origins: [String]? = nil) async throws -> String {
    try await lab.engine.createAPIToken(
      name: "test", container: TestContainer.id, environment: .development,
      allowedOrigins: origins
    ).token
  }

  private func webToken(_ lab: Lab, keep: Bool = false) async throws -> String {
    try await lab.engine.webAuthToken(
      for: try #require(lab.phone.user), container: TestContainer.id, environment: .development,
      keep: keep)
  }

  @Test func `nothing proves nothing`() async throws {
    let lab = try await Lab()
    let error = try await ruleFailure { try await lab.engine.authenticate(credentials()) }
    #expect(error.code == .authenticationFailed)
    #expect(error.reason.hasPrefix("no auth method found"))
    let unknown = try await ruleFailure {
      try await lab.engine.authenticate(credentials(api: String(repeating: "0", count: 64)))
    }
    #expect(unknown.code == .authenticationFailed)
  }

  @Test func `an API token alone is anonymous, with a web auth token it is a user's device`()
    async throws
  {
    let lab = try await Lab()
    let api = try await apiToken(lab)
    #expect(api.count == 64)
    let anonymous = try await lab.engine.authenticate(credentials(api: api))
    #expect(anonymous.kind == .anonymous)
    #expect(anonymous.user == nil)
    let caller = try await lab.engine.authenticate(
      credentials(api: api, web: try await webToken(lab)))
    #expect(caller.kind == .user)
    #expect(caller.user == lab.phone.user)
    #expect(caller.device == DeviceID("phone"))
  }

  @Test func `tokens are bound to container and environment`() async throws {
    let lab = try await Lab()
    let (api, web) = (try await apiToken(lab), try await webToken(lab))
    let error = try await ruleFailure {
      try await lab.engine.authenticate(credentials(api: api, environment: .production))
    }
    #expect(error.code == .authenticationFailed)
    let production = try await lab.engine.createAPIToken(
      name: "p", container: TestContainer.id, environment: .production)
    let other = try await ruleFailure {
      try await lab.engine.authenticate(
        credentials(api: production.token, web: web, environment: .production))
    }
    #expect(other.code == .authenticationFailed)
  }

  @Test(arguments: [(false, Int64(30 * 60_000)), (true, Int64(14 * 86_400_000))])
  func `a web auth token expires on time and then asks to sign in`(
    _ keep: Bool, _ life: Milliseconds
  ) async throws {
    let lab = try await Lab()
    let (api, web) = (try await apiToken(lab), try await webToken(lab, keep: keep))
    lab.server.clock.advance(by: life - 1)
    #expect(try await lab.engine.authenticate(credentials(api: api, web: web)).kind == .user)
    lab.server.clock.advance(by: 1)
    let error = try await ruleFailure {
      try await lab.engine.authenticate(credentials(api: api, web: web))
    }
    #expect(error.code == .authenticationRequired)
  }

  @Test func `a removed API token is refused from then on`() async throws {
    let lab = try await Lab()
    let api = try await apiToken(lab)
    _ = try await lab.engine.authenticate(credentials(api: api))
    try await lab.engine.removeAPIToken(api)
    let error = try await ruleFailure { try await lab.engine.authenticate(credentials(api: api)) }
    #expect(error.code == .authenticationFailed)
  }

  @Test func `signing out everywhere ends every token`() async throws {
    let lab = try await Lab()
    let (api, web) = (try await apiToken(lab), try await webToken(lab))
    // Used once before, so that the server knows it when it ends.
    _ = try await lab.engine.authenticate(credentials(api: api, web: web))
    try await lab.engine.signOutEverywhere(try #require(lab.phone.user))
    let error = try await ruleFailure {
      try await lab.engine.authenticate(credentials(api: api, web: web))
    }
    #expect(error.code == .authenticationRequired)
    #expect(
      try await lab.engine.authenticate(credentials(api: api, web: try await webToken(lab)))
        .kind == .user)
  }

  @Test func `a web auth token is refused whichever of its characters was changed`() async throws {
    let lab = try await Lab()
    let (api, web) = (try await apiToken(lab), try await webToken(lab))
    let characters = Array(web)
    for index in characters.indices {
      var forged = characters
      forged[index] = forged[index] == "A" ? "B" : "A"
      let error = try await ruleFailure {
        try await lab.engine.authenticate(credentials(api: api, web: String(forged)))
      }
      #expect(error.code == .authenticationFailed)
    }
  }

  @Test func `a sealed text opens for its own purpose only`() async throws {
    let lab = try await Lab()
    let api = try await apiToken(lab)
    let change = try await lab.changes().token
    let error = try await ruleFailure {
      try await lab.engine.authenticate(credentials(api: api, web: change))
    }
    #expect(error.code == .authenticationFailed)
    #expect(
      try await lab.changesFailure(since: try await webToken(lab)).code == .changeTokenExpired)
  }

  @Test func `an API token for some pages is refused on others`() async throws {
    let lab = try await Lab()
    var credentials = credentials(
      api: try await apiToken(lab, origins: ["https://trailbook.example"]))
    credentials.origin = "https://evil.example"
    let error = try await ruleFailure { try await lab.engine.authenticate(credentials) }
    #expect(error.code == .authenticationFailed)
    credentials.origin = "https://trailbook.example"
    #expect(try await lab.engine.authenticate(credentials).kind == .anonymous)
  }

  @Test func `passwords are checked against their hash and never stored`() async throws {
    let lab = try await Lab()
    let user = try await lab.engine.createUser(name: "carol", password: "correct horse")
    #expect(user.passwordHash?.hasPrefix("scrypt$") == true)
    #expect(user.passwordHash?.contains("horse") == false)
    #expect(
      try await lab.engine.passwordCheck(name: "carol").account(password: "correct horse").id
        == user.id)
    for (name, password) in [("carol", "wrong"), ("nobody", "x"), ("alice", "")] {
      let error = try await ruleFailure {
        try await lab.engine.passwordCheck(name: name).account(password: password)
      }
      #expect(error.code == .authenticationFailed)
    }
  }

  @Test func `user names and addresses are unique`() async throws {
    let lab = try await Lab()
    let name = try await ruleFailure { try await lab.engine.createUser(name: "alice") }
    #expect(name.code == .exists)
    let address = try await ruleFailure {
      try await lab.engine.createUser(name: "alice2", emailAddress: "Alice@Example.org")
    }
    #expect(address.code == .exists)
    let user = try await lab.server.user("alice")
    #expect(user.id.name.count == 33)
    #expect(user.id.name.first == "_")
  }

  @Test func `people are discovered by address, others are left out`() async throws {
    let lab = try await Lab()
    let found = try await lab.engine.discoverUsers(
      [
        UserIdentity(emailAddress: "bob@example.org"),
        UserIdentity(emailAddress: "nobody@example.org"),
      ], as: lab.phone)
    #expect(found.map(\.user) == [lab.bob.user])
    #expect(try await lab.engine.currentUser(as: lab.phone).givenName == "Alice")
  }
}
