import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Crypto
import FoundationEssentials
import Testing

@Suite struct RevokeTests {
  private let production = ContainerEnvironment(TestContainer.id, .production)

  private func make(
    _ name: String, _ fixture: EngineFixture, in containerEnvironment: ContainerEnvironment? = nil
  ) async throws -> APIToken {
    try await fixture.engine.apiTokens.create(
      name: name, in: containerEnvironment ?? TestContainer.development)
  }

  @Test func `an API token is revoked by its value, or by a name that it alone has there`()
    async throws
  {
    let fixture = try await EngineFixture()
    let tokens = fixture.engine.apiTokens
    let (web, other) = (try await make("web", fixture), try await make("other", fixture))
    // The same name elsewhere is somebody else's.
    let elsewhere = try await make("web", fixture, in: production)
    #expect(try await tokens.revoke("web", in: TestContainer.development) == web)
    #expect(try await tokens.revoke(other.token, in: production) == other)
    let left = try await fixture.server.store.read { try $0.credentials.apiTokens() }
    #expect(left.contains(elsewhere))
    for text in ["web", web.token, "nobody", ""] {
      let error = try await ruleFailure {
        try await tokens.revoke(text, in: TestContainer.development)
      }
      #expect(error.code == .notFound)
      #expect(error.reason.contains("brume token list"))
    }
  }

  @Test func `a name that several API tokens have says nothing, and all of them stay`()
    async throws
  {
    let fixture = try await EngineFixture()
    let two = [try await make("web", fixture), try await make("web", fixture)]
    let error = try await ruleFailure {
      try await fixture.engine.apiTokens.revoke("web", in: TestContainer.development)
    }
    #expect(error.code == .conflict)
    let left = try await fixture.server.store.read { try $0.credentials.apiTokens() }
    #expect(two.allSatisfy(left.contains))
  }

  @Test func `a revoked key is gone, its user stays, and its devices have no address`() async throws
  {
    let fixture = try await EngineFixture()
    let keys = fixture.engine.serverKeys
    let pem = P256.Signing.PrivateKey().publicKey.pemRepresentation
    let key = try await keys.create(
      name: "backend", publicKeyPEM: pem, in: TestContainer.development)
    let device = DeviceKey(
      in: TestContainer.development, user: key.user, device: DeviceID("worker"))
    try await fixture.server.store.write(in: .all) { transaction in
      try transaction.devices.put(
        Device(
          key: device, channel: .apns(token: "a1", environment: .production, topic: nil),
          registered: 0))
    }
    #expect(try await keys.revoke("backend", in: TestContainer.development) == key)
    let keysLeft = try await fixture.server.store.read { try $0.credentials.serverKeys() }
    #expect(keysLeft.isEmpty)
    let (user, left) = try await fixture.server.store.read { transaction in
      (try transaction.users.find(key.user), try transaction.devices.find(device))
    }
    #expect(user != nil)
    #expect(left?.channel == .stream)
    let error = try await ruleFailure { try await keys.revoke(key.id, in: production) }
    #expect(error.code == .notFound)
  }

  @Test func `a web auth token of a key's user ends with the key, also where it was just used`()
    async throws
  {
    let fixture = try await EngineFixture()
    let pem = P256.Signing.PrivateKey().publicKey.pemRepresentation
    let key = try await fixture.engine.serverKeys.create(
      name: "backend", publicKeyPEM: pem, in: TestContainer.development)
    let credentials = Credentials(
      in: TestContainer.development, apiToken: try await make("web", fixture).token,
      webAuthToken: try await fixture.engine.webAuthTokens.issue(
        for: key.user, in: TestContainer.development, keep: false), requestID: "r1")
    #expect(try await fixture.engine.authentication.authenticate(credentials).user == key.user)
    _ = try await fixture.engine.serverKeys.revoke(key.id, in: TestContainer.development)
    let error = try await ruleFailure {
      try await fixture.engine.authentication.authenticate(credentials)
    }
    #expect(error.code == .authenticationRequired)
  }

  @Test func `a key that is revoked while its request waits registers no device`() async throws {
    let fixture = try await EngineFixture()
    let (key, secret) = (fixture.engine.serverKeys, P256.Signing.PrivateKey())
    let made = try await key.create(
      name: "backend", publicKeyPEM: secret.publicKey.pemRepresentation,
      in: TestContainer.development)
    let request = try Self.signed("/database/1/x/development/public/tokens/create", made, secret)
    let caller = try await fixture.engine.authentication.authenticate(
      Credentials(in: TestContainer.development, signature: request, requestID: "r1"))
    let devices = fixture.engine.devices
    _ = try await devices.createCourierToken(
      environment: .development, clientID: "worker", as: caller)
    _ = try await key.revoke("backend", in: TestContainer.development)
    let error = try await ruleFailure {
      try await devices.createCourierToken(
        environment: .development, clientID: "worker", as: caller)
    }
    #expect(error.code == .authenticationFailed && error.reason.contains("revoked"), "\(error)")
    let left = try await fixture.server.store.read {
      try $0.devices.all(of: made.user, in: TestContainer.development)
    }
    #expect(left.map(\.channel) == [.stream])
  }

  /// At the time of the fixture's clock.
  private static func signed(
    _ target: String, _ key: ServerKey, _ secret: P256.Signing.PrivateKey
  ) throws -> SignedRequest {
    let date = "2026-11-20T12:00:00Z"
    let signature = try secret.signature(for: Data("\(date)::\(target)".utf8))
    return SignedRequest(
      keyID: key.id, date: date, signature: signature.derRepresentation.base64EncodedString(),
      target: target, body: [])
  }

  @Test func `what began with an API token may not go on when the token is revoked`() async throws {
    let fixture = try await EngineFixture()
    let tokens = fixture.engine.webAuthTokens
    let (web, other) = (try await make("web", fixture), try await make("other", fixture))
    let session = try await tokens.issue(
      for: try #require(fixture.phone.user), in: TestContainer.development, keep: false)
    #expect(try await tokens.isSignedIn(by: session, with: web.token))
    _ = try await fixture.engine.apiTokens.revoke("web", in: TestContainer.development)
    #expect(try await !tokens.isSignedIn(by: session, with: web.token))
    #expect(try await tokens.isSignedIn(by: session, with: other.token))
    #expect(try await tokens.isSignedIn(by: session, with: nil))
  }
}
