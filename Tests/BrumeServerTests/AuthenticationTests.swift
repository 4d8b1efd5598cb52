// Who may call what (docs/sign-in.md).

import BrumeCore
import BrumeModel
import BrumeServer
import BrumeStorage
import BrumeWire
import Crypto
import Foundation
import HTTPTypes
import Testing

@Suite struct AuthenticationTests {
  @Test(arguments: ["", "ckAPIToken=0000", "ckWebAuthToken=abc"])
  func `without a usable method it is 401`(query: String) async throws {
    try await ServerFixture().routes { client in
      let answer = try await client.send(
        "\(client.fixture.path("records/query", "public"))?\(query)", .post,
        Array(#"{"query":{"recordType":"Note"}}"#.utf8))
      #expect(answer.status == 401)
      #expect(answer.code == "AUTHENTICATION_FAILED")
    }
  }

  @Test(arguments: [
    ("zones/lookup", "public"), ("records/modify", "public"), ("records/query", "private"),
    ("users/caller", "public"), ("subscriptions/list", "public"), ("changes/database", "private"),
  ])
  func `an API token alone is asked to sign in with 421`(
    endpoint: String, scope: String
  ) async throws {
    try await ServerFixture().routes { client in
      let answer = try await client.call(
        endpoint, ["query": ["recordType": "Note"]], as: nil, in: scope)
      #expect(answer.status == 421, "\(answer.text)")
      #expect(answer.code == "AUTHENTICATION_REQUIRED")
    }
  }

  @Test(arguments: ["nonsense", "QUJD"])
  func `a user's token that is not of this server is asked to sign in here`(
    token: String
  ) async throws {
    try await ServerFixture().routes { client in
      for (endpoint, scope) in [("users/caller", "public"), ("records/query", "public")] {
        let path = client.fixture.path(endpoint, scope)
        let answer = try await client.send(
          "\(path)?\(client.fixture.credentials(nil))&ckWebAuthToken=\(token)", .post,
          Array(#"{"query":{"recordType":"Note"}}"#.utf8))
        #expect(answer.status == 421 && answer.code == "AUTHENTICATION_REQUIRED", "\(answer.text)")
        #expect(answer["redirectURL"]?.string?.contains("/_brume/signin/?state=") == true)
      }
    }
  }

  @Test func `a user's token may come as ckSession, which is not looked at beside ckWebAuthToken`()
    async throws
  {
    try await ServerFixture().routes { client in
      let fixture = client.fixture
      let target = "\(fixture.path("users/caller", "public"))?ckAPIToken=\(fixture.ready.apiToken)"
      let session = "ckSession=\(ServerFixture.escaped(fixture.ready.accounts[0].token))"
      let caller = try await client.send("\(target)&\(session)")
      #expect(caller.status == 200, "\(caller.text)")
      #expect(caller["userRecordName"]?.string == fixture.ready.accounts[0].user.name)
      let both = try await client.send("\(target)&\(session)&ckWebAuthToken=nonsense")
      #expect(both.status == 421, "\(both.text)")
    }
  }

  @Test(arguments: ["KeyID", "ISO8601Date", "SignatureV1"])
  func `a request that is signed in part is refused with what is missing`(
    part: String
  ) async throws {
    let missing = try #require(HTTPField.Name("X-Apple-CloudKit-Request-\(part)"))
    try await ServerFixture().routes { client in
      let target = client.fixture.path("records/modify", "public")
      var headers = try Self.headers(client.fixture, target: target, body: Self.create)
      headers[missing] = nil
      let answer = try await client.send(
        "\(target)?\(client.fixture.credentials("alice"))", .post, Array(Self.create.utf8), headers)
      #expect(answer.status == 401 && answer.code == "AUTHENTICATION_FAILED", "\(answer.text)")
      #expect(answer.reason.contains("'\(missing.rawName)' is missing"), "\(answer.reason)")
    }
  }

  @Test func `an API token in another place is refused with where it belongs and how to get one`()
    async throws
  {
    try await ServerFixture().routes { client in
      let (path, token) = (client.fixture.path("zones/list"), client.fixture.ready.apiToken)
      for (old, new) in [("example", "elsewhere"), ("development", "production")] {
        let other = path.replacingOccurrences(of: old, with: new)
        #expect(other != path)
        let answer = try await client.send("\(other)?ckAPIToken=\(token)")
        #expect(answer.code == "AUTHENTICATION_FAILED")
        let reason = answer["reason"]?.string ?? ""
        #expect(reason.contains(client.fixture.ready.container.name), "\(reason)")
        #expect(reason.contains("development") && reason.contains("`brume token create NAME --"))
      }
    }
  }

  @Test func `an API token alone reads what everybody may read`() async throws {
    try await ServerFixture().routes { client in
      try await client.save("n1", ["title": ["value": "x"]], in: "public")
      let answer = try await client.call(
        "records/lookup", ["records": [["recordName": "n1"]]], as: nil, in: "public")
      #expect(answer.status == 200)
      #expect(answer["records"]?.array?.first?["recordName"] == "n1")
    }
  }

  @Test func `a forged or foreign web token is refused`() async throws {
    try await ServerFixture().routes { client in
      let fixture = client.fixture
      let token = fixture.ready.accounts[0].token
      let foreign = try await fixture.server.engine.webAuthTokens.issue(
        for: fixture.user("alice"),
        in: ContainerEnvironment(ContainerID("iCloud.org.example.other"), .development), keep: true)
      var forged = try #require(Base64URL.bytes(token))
      forged[forged.count - 1] ^= 1
      for bad in [Base64URL.text(forged), "AAAA", foreign] {
        let answer = try await client.send(
          "\(fixture.path("zones/list"))?ckAPIToken=\(fixture.ready.apiToken)"
            + "&ckWebAuthToken=\(ServerFixture.escaped(bad))")
        #expect(answer.status == 401 || answer.status == 421, "\(answer.text)")
        #expect(answer["zones"] == nil)
      }
    }
  }

  // MARK: Server-to-server keys

  /// Signs as CloudKit's clients do.
  static func headers(
    _ fixture: ServerFixture, target: String, body: String, date: Date = Date()
  ) throws -> HTTPFields {
    let pem = try String(contentsOfFile: fixture.ready.keyFile ?? "", encoding: .utf8)
    let key = try P256.Signing.PrivateKey(pemRepresentation: pem)
    let stamp = date.formatted(.iso8601)
    let hash = Data(SHA256.hash(data: Data(body.utf8))).base64EncodedString()
    let signature = try key.signature(for: Data("\(stamp):\(hash):\(target)".utf8))
    return [
      .init("X-Apple-CloudKit-Request-KeyID")!: fixture.ready.keyID ?? "",
      .init("X-Apple-CloudKit-Request-ISO8601Date")!: stamp,
      .init("X-Apple-CloudKit-Request-SignatureV1")!:
        signature.derRepresentation.base64EncodedString(),
    ]
  }

  static let create = """
    {"operations":[{"operationType":"create","record":{"recordType":"Note","recordName":"s1"}}]}
    """

  @Test func `a signed request writes to the public database as the key's own user`() async throws {
    try await ServerFixture().routes { client in
      let target = client.fixture.path("records/modify", "public")
      let answer = try await client.send(
        target, .post, Array(Self.create.utf8),
        Self.headers(client.fixture, target: target, body: Self.create))
      #expect(answer.status == 200, "\(answer.text)")
      let creator = answer["records"]?.array?.first?["created"]?["userRecordName"]?.string
      #expect(creator != nil && creator != client.fixture.user("alice").name)
    }
  }

  @Test func `the signature covers the query when there is one`() async throws {
    try await ServerFixture().routes { client in
      let target = client.fixture.path("records/modify", "public") + "?ckjsVersion=2.6.4"
      let answer = try await client.send(
        target, .post, Array(Self.create.utf8),
        Self.headers(client.fixture, target: target, body: Self.create))
      #expect(answer.status == 200, "\(answer.text)")
    }
  }

  @Test func `an environment in capitals is the same one, signed as it was sent`() async throws {
    try await ServerFixture().routes { client in
      let path = client.fixture.path("records/modify", "public")
      let target = path.replacingOccurrences(of: "development", with: "DEVELOPMENT")
      #expect(target != path)
      let headers = try Self.headers(client.fixture, target: target, body: Self.create)
      let other = try await client.send(path, .post, Array(Self.create.utf8), headers)
      #expect(other.status == 401, "\(other.text)")
      let answer = try await client.send(target, .post, Array(Self.create.utf8), headers)
      #expect(answer.status == 200, "\(answer.text)")
      let found = try await client.call(
        "records/lookup", ["records": [["recordName": "s1"]]], as: nil, in: "public")
      #expect(found["records"]?.array?.first?["recordType"] == "Note", "\(found.text)")
    }
  }

  @Test func `A4 another body, another path or an old date is refused`() async throws {
    try await ServerFixture().routes { client in
      let fixture = client.fixture
      let target = fixture.path("records/modify", "public")
      let cases: [(HTTPFields, String)] = [
        (try Self.headers(fixture, target: target, body: "{}"), target),
        (try Self.headers(fixture, target: target + "x", body: Self.create), target),
        (
          try Self.headers(
            fixture, target: target, body: Self.create, date: Date(timeIntervalSinceNow: -700)),
          target
        ),
      ]
      for (headers, path) in cases {
        let answer = try await client.send(path, .post, Array(Self.create.utf8), headers)
        #expect(answer.status == 401, "\(answer.text)")
        #expect(answer.code == "AUTHENTICATION_FAILED")
      }
    }
  }

  @Test(arguments: [
    ("records/modify", create), ("records//modify", create), ("records/modify/", create),
    ("records/modify?ckjsVersion=2", create),
    ("tokens/create", #"{"apnsEnvironment":"development"}"#),
    ("assets/upload", #"{"tokens":[{"recordType":"Note","fieldName":"file"}]}"#),
  ])
  func `A4 a signed request that acts is answered once, however its path is spelled`(
    _ endpoint: String, _ body: String
  ) async throws {
    try await ServerFixture().routes { client in
      let target = client.fixture.path(endpoint, "public")
      let headers = try Self.headers(client.fixture, target: target, body: body)
      let first = try await client.send(target, .post, Array(body.utf8), headers)
      #expect(first.status == 200, "\(first.text)")
      let copy = try await client.send(target, .post, Array(body.utf8), headers)
      #expect(copy.status == 401 && copy.reason.contains("used already"), "\(copy.text)")
    }
  }

  @Test func `a signed request that came too early is good after the wait that it was given`()
    async throws
  {
    let clock = CaseClock()
    try await ServerFixture(host: clock.host) {
      $0.rates.user = 1
      $0.limits.rateBurstSeconds = 1
    }.routes { client in
      let date = Date(timeIntervalSince1970: Double(clock.host.now()) / 1000)
      func request(_ number: Int) throws -> () async throws -> Answer {
        let target = client.fixture.path("records/modify?number=\(number)", "public")
        let body = #"{"operations":[]}"#
        let headers = try Self.headers(client.fixture, target: target, body: body, date: date)
        return { try await client.send(target, .post, Array(body.utf8), headers) }
      }
      let (first, second) = (try request(1), try request(2))
      #expect(try await first().status != 429)
      #expect(try await second().status == 429)
      clock.advance(seconds: 1)
      let again = try await second()
      #expect(!again.reason.contains("used already") && again.status != 429, "\(again.text)")
    }
  }

  @Test func `a signed call that no key may make is refused for that however often it comes`()
    async throws
  {
    try await ServerFixture().routes { client in
      let target = client.fixture.path("users/discover", "public")
      let headers = try Self.headers(client.fixture, target: target, body: "{}")
      for _ in 1...2 {
        let answer = try await client.send(target, .post, Array("{}".utf8), headers)
        #expect(answer.reason.contains("cannot call this endpoint"), "\(answer.text)")
      }
    }
  }

  @Test func `a signed request that reads may be sent again`() async throws {
    try await ServerFixture().routes { client in
      let target = client.fixture.path("records/lookup", "public")
      let body = #"{"records":[{"recordName":"A"}]}"#
      let headers = try Self.headers(client.fixture, target: target, body: body)
      for _ in 1...2 {
        let answer = try await client.send(target, .post, Array(body.utf8), headers)
        #expect(answer.status == 200, "\(answer.text)")
      }
    }
  }

  @Test(arguments: ["users/caller", "users/current"])
  func `a key gets its own user, with which web clients begin`(_ endpoint: String) async throws {
    try await ServerFixture().routes { client in
      let target = client.fixture.path(endpoint, "public")
      let answer = try await client.send(
        target, .post, Array("{}".utf8),
        Self.headers(client.fixture, target: target, body: "{}"))
      #expect(answer.status == 200, "\(answer.text)")
      let name = answer["userRecordName"]?.string
      #expect(name?.hasPrefix("_") == true && name != client.fixture.user("alice").name)
    }
  }

  @Test(arguments: [("records/modify", "private"), ("users/discover", "public")])
  func `a key reaches neither private data nor users`(
    endpoint: String, scope: String
  ) async throws {
    try await ServerFixture().routes { client in
      let target = client.fixture.path(endpoint, scope)
      let answer = try await client.send(
        target, .post, Array(Self.create.utf8),
        Self.headers(client.fixture, target: target, body: Self.create))
      #expect(answer.status == 401)
    }
  }

  // MARK: The operator

  @Test(arguments: [nil, "", "Bearer x", "Basic abc"] as [String?])
  func `admin calls need the admin token`(header: String?) async throws {
    try await ServerFixture().routes { client in
      for endpoint in RouteTable(client.fixture.server).endpoints
      where endpoint.access.isOperators {
        var headers: HTTPFields = [:]
        headers[.authorization] = header
        let answer = try await client.send(
          endpoint.path, endpoint.methods[0], Array("{}".utf8), headers)
        #expect(answer.status == 401, "\(endpoint.path)")
      }
    }
  }

  @Test func `a session counts beside a proxy's header, and a token however Bearer is spelled`()
    async throws
  {
    try await ServerFixture().routes { client in
      try await client.addOperator("ada")
      let browser = try await client.browser(of: "ada")
      for (scheme, status) in [("Basic YTpi", 200), ("Bearer x", 401)] {
        var headers = browser.headers
        headers[.authorization] = scheme
        let answer = try await client.send("/_brume/admin/session", .get, nil, headers)
        #expect(answer.status == status, "\(answer.text)")
      }
      let token = client.fixture.server.adminToken
      for scheme in ["bearer", "BEARER"] {
        let headers: HTTPFields = [.authorization: "\(scheme) \(token)"]
        #expect(try await client.send("/_brume/admin/users", .get, nil, headers).status == 200)
      }
    }
  }

  @Test func `a wrong admin token is answered otherwise than a missing one, as every wrong one`()
    async throws
  {
    try await ServerFixture().routes { client in
      func reason(_ header: String?) async throws -> String {
        var headers: HTTPFields = [:]
        headers[.authorization] = header
        return try await client.send("/_brume/admin/status", .get, [], headers).reason
      }
      let wrong = try await reason("Bearer x")
      #expect(wrong.contains("brume operator token list"), "\(wrong)")
      #expect(try await reason("Bearer \(String(repeating: "0", count: 64))") == wrong)
      #expect(try await reason(nil).contains("Authorization: Bearer"))
    }
  }

  @Test func `outside development nobody has access until it is given`() async throws {
    var settings = Settings()
    settings.engine = .memory
    let server = try await Composition(
      settings: settings, folder: nil, logger: ServerFixture.silent)
    let (users, tokens, keys) = try await server.store.read {
      (
        try $0.users.count(), try $0.credentials.apiTokens().count,
        try $0.credentials.serverKeys().count
      )
    }
    #expect(users == 0 && tokens == 0 && keys == 0)
  }
}
