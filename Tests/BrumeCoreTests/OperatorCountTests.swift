// How many there may be of what operators make and a server keeps, each at the last that may be and at the next.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Crypto
import Testing

@testable import BrumeCore

@Suite struct OperatorCountTests {
  private func fixture(_ change: (inout Limits) -> Void) async throws -> EngineFixture {
    var limits = Limits.quickPasswords
    change(&limits)
    return try await EngineFixture(limits: limits)
  }

  /// There is no room for this. The error says for what, and what to do.
  private func expectFull<Value: Sendable>(
    _ words: String..., body: () async throws -> Value
  ) async throws {
    let error = try await ruleFailure { _ = try await body() }
    #expect(error.code == .limitExceeded)
    for words in words { #expect(error.reason.contains(words), "\(error.reason)") }
  }

  private func accounts(of fixture: EngineFixture) async throws -> Int {
    try await fixture.server.store.read { try $0.users.count() }
  }

  @Test func `a server has so many accounts, whichever way they come`() async throws {
    let known = try await accounts(of: fixture { _ in })
    let fixture = try await fixture { $0.accounts = known + 1 }
    let engine = fixture.engine
    var claims = IDToken.Claims(
      issuer: "https://id.example", subject: "s1", audiences: ["c"], expires: 1, issued: 0)
    let first = try await engine.providerSignIns.account(of: claims)
    #expect(try await engine.providerSignIns.account(of: claims).id == first.id)
    try await expectFull("\(known + 1) accounts", "user delete") {
      try await engine.accounts.create(name: "next")
    }
    try await expectFull("accounts") {
      try await engine.serverKeys.create(
        name: "k", publicKeyPEM: pem(), in: TestContainer.development)
    }
    claims.subject = "s2"
    let other = claims
    try await expectFull("accounts") { try await engine.providerSignIns.account(of: other) }
    let keys = try await fixture.server.store.read { try $0.credentials.serverKeys() }
    #expect(keys.isEmpty, "nothing of what was refused is there")
  }

  @Test func `a server has so many API tokens, of all containers`() async throws {
    let engine = try await fixture { $0.apiTokens = 1 }.engine
    _ = try await engine.apiTokens.create(name: "a", in: TestContainer.development)
    try await expectFull("1 API tokens", "token revoke") {
      try await engine.apiTokens.create(name: "b", in: TestContainer.production)
    }
    _ = try await engine.apiTokens.revoke("a", in: TestContainer.development)
    _ = try await engine.apiTokens.create(name: "b", in: TestContainer.production)
  }

  @Test func `an API token is for so many web origins`() async throws {
    let engine = try await fixture { $0.originsPerToken = 1 }.engine
    func create(_ origins: String...) async throws -> APIToken {
      try await engine.apiTokens.create(
        name: "t", in: TestContainer.development, allowedOrigins: origins)
    }
    _ = try await create("https://a.example")
    try await expectFull("'origins' names 2", "another token") {
      try await create("https://a.example", "https://b.example")
    }
  }

  @Test func `a server has so many server-to-server keys`() async throws {
    let fixture = try await fixture { $0.serverKeys = 1 }
    let engine = fixture.engine
    func create() async throws -> ServerKey {
      try await engine.serverKeys.create(
        name: "k", publicKeyPEM: pem(), in: TestContainer.development)
    }
    let before = try await accounts(of: fixture)
    _ = try await create()
    try await expectFull("1 server-to-server keys", "key revoke") { try await create() }
    let after = try await accounts(of: fixture)
    #expect(after == before + 1, "a refused key has no account")
  }

  @Test func `the text of a key has a maximum of bytes`() async throws {
    let (key, secret) = (pem(), P256.Signing.PrivateKey().pemRepresentation)
    func failure(of bytes: Int, _ key: String) async throws -> BrumeError? {
      let engine = try await fixture { $0.keyBytes = bytes }.engine
      do {
        if key.contains("PUBLIC") {
          _ = try await engine.serverKeys.create(
            name: "k", publicKeyPEM: key, in: TestContainer.development)
        } else {
          try await engine.pushKeys.addAPNsSender(sender("app", key))
        }
        return nil
      } catch let error as BrumeError { return error }
    }
    for key in [key, secret] {
      let bytes = key.utf8.count
      #expect(try await failure(of: bytes, key) == nil)
      let error = try await failure(of: bytes - 1, key)
      #expect(error?.code == .badRequest)
      #expect(error?.reason.contains("the maximum is \(bytes - 1)") == true)
    }
  }

  @Test func `a container environment has so many members of roles`() async throws {
    let fixture = try await fixture { $0.roleMembersPerContainer = 2 }
    let places = [TestContainer.development, TestContainer.production]
    let schema = "DEFINE SCHEMA CREATE ROLE editor; CREATE ROLE reader;"
    for place in places { try await fixture.engine.schemas.replace(by: schema, in: place) }
    func give(
      _ role: String, to name: String, _ isOn: Bool = true, in place: ContainerEnvironment
    ) async throws {
      try await fixture.engine.roles.set(
        role, of: try await fixture.server.user(name).id, to: isOn, in: place)
    }
    try await give("editor", to: "alice", in: places[0])
    try await give("reader", to: "alice", in: places[0])
    try await give("reader", to: "alice", in: places[0])
    try await expectFull("2 members of roles", "schema role remove") {
      try await give("reader", to: "bob", in: places[0])
    }
    try await give("reader", to: "bob", in: places[1])
    try await give("editor", to: "alice", false, in: places[0])
    try await give("reader", to: "bob", in: places[0])
  }

  @Test func `a server has so many webhooks, of all containers`() async throws {
    let engine = try await fixture { $0.webhooks = 1 }.engine
    let webhook = try await engine.webhooks.add(
      url: "https://a.example/", in: TestContainer.development)
    try await expectFull("1 webhooks of all containers", "webhook remove") {
      try await engine.webhooks.add(url: "https://b.example/", in: TestContainer.production)
    }
    try await engine.webhooks.remove(webhook.id, in: TestContainer.development)
    _ = try await engine.webhooks.add(url: "https://b.example/", in: TestContainer.production)
  }

  @Test func `a container has keys for so many apps`() async throws {
    let engine = try await fixture { $0.apnsKeysPerContainer = 1 }.engine
    let key = P256.Signing.PrivateKey().pemRepresentation
    try await engine.pushKeys.addAPNsSender(sender("one", key))
    try await engine.pushKeys.addAPNsSender(sender("one", key))
    try await expectFull("1 apps with a key", "apns remove") {
      try await engine.pushKeys.addAPNsSender(sender("two", key))
    }
    let container = TestContainer.development.container
    #expect(try await engine.pushKeys.removeAPNsSender("one", of: container))
    try await engine.pushKeys.addAPNsSender(sender("two", key))
  }

  private func pem() -> String { P256.Signing.PrivateKey().publicKey.pemRepresentation }

  private func sender(_ topic: String, _ key: String) -> APNsSender {
    APNsSender(
      container: TestContainer.development.container, topic: topic, team: "TEAM", keyID: "KEY",
      privateKey: key)
  }
}
