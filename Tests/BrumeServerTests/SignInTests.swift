// The sign-in page over HTTP (docs/sign-in.md): 421 with its address, a name and password,
// sign-out.

import BrumeModel
import BrumeServer
import BrumeTestKit
import BrumeWire
import HTTPTypes
import Testing

@Suite struct SignInTests {
  private static let page = "https://app.example"

  /// The state in the address that a request without a user is sent to.
  private func state(_ client: RouteClient, token: String) async throws -> String {
    let answer = try await client.send(
      "\(client.fixture.path("users/caller", "public"))?ckAPIToken=\(token)", .get, nil,
      [.origin: Self.page])
    #expect(answer.status == 421)
    let address = try #require(answer["redirectURL"]?.string)
    #expect(address.hasPrefix("\(client.fixture.server.url)/_brume/signin/?state="))
    return String(try #require(address.split(separator: "=").last))
  }

  private func token(
    _ client: RouteClient, origins: JSON = [.string(page)], callback: String? = nil
  ) async throws -> String {
    var body: JSONObject = JSONObject()
    body["name"] = "Trailbook"
    body["origins"] = origins
    body["callback"] = callback.map { .string($0) }
    let made = try await client.admin("tokens", .object(body))
    return try #require(made["token"]?.string, "\(made.text)")
  }

  private func signIn(
    _ client: RouteClient, _ state: String, name: String = "carol",
    password: String = "correct horse", headers: HTTPFields = [:]
  ) async throws -> Answer {
    let body: JSON = [
      "state": .string(state), "name": .string(name), "password": .string(password),
      "keep": false,
    ]
    return try await client.send("/_brume/signin/password", .post, body.bytes(), headers)
  }

  private func makeCarol(_ client: RouteClient) async throws {
    let made = try await client.admin(
      "users", ["name": "carol", "password": "correct horse", "discoverable": false])
    #expect(made.status == 200, "\(made.text)")
  }

  @Test func `ACC-10 a name and a password give the token that the call needed`() async throws {
    try await ServerFixture { $0.isDevelopment = false }.routes { client in
      try await makeCarol(client)
      let api = try await token(client)
      let state = try await state(client, token: api)
      let options = try await client.send("/_brume/signin/options?state=\(state)")
      #expect(options["app"] == "Trailbook")
      #expect(options["provider"] == nil)
      let done = try await signIn(client, state)
      #expect(done.status == 200, "\(done.text)")
      #expect(done["origins"] == [.string(Self.page)])
      let web = try #require(done["token"]?.string)
      let caller = try await client.send(
        "\(client.fixture.path("users/caller", "public"))?ckAPIToken=\(api)&ckWebAuthToken=\(web)",
        .get, nil, [.origin: Self.page])
      #expect(caller.status == 200)
      #expect(caller["nameComponents"] == nil)
    }
  }

  @Test func `names and passwords that nobody has are refused and not counted`() async throws {
    try await ServerFixture { $0.isDevelopment = false }.routes { client in
      try await makeCarol(client)
      let state = try await state(client, token: try await token(client))
      let long = String(repeating: "x", count: 1025)
      for _ in 1...30 {
        let name = try await signIn(client, state, name: String(long.prefix(256)))
        #expect(name.status == 400 && name.reason.contains("256 bytes"), "\(name.text)")
        let password = try await signIn(client, state, password: long)
        #expect(password.status == 400 && password.reason.contains("1025 bytes"))
      }
      #expect(try await signIn(client, state).status == 200)
    }
  }

  @Test func `what comes without credentials is small`() async throws {
    try await ServerFixture().routes { client in
      let body = [UInt8](repeating: 0x20, count: 8193)
      let answer = try await client.send("/_brume/signin/password", .post, body)
      #expect(answer.status == 413, "\(answer.text)")
    }
  }

  @Test(arguments: [
    (["Origin": "https://evil.example"], 403), (["Sec-Fetch-Site": "cross-site"], 403),
    (["Sec-Fetch-Site": "same-site", "Origin": "http://localhost"], 403),
    (["Sec-Fetch-Site": "same-origin"], 200), (["Origin": "http://localhost"], 200), ([:], 200),
  ])
  func `a foreign page signs in nobody, neither by a development user's name`(
    _ fields: [String: String], _ status: Int
  ) async throws {
    try await ServerFixture().routes { client in
      let state = try await state(client, token: try await token(client))
      var headers: HTTPFields = [:]
      for (name, value) in fields { headers[HTTPField.Name(name)!] = value }
      let answer = try await signIn(
        client, state, name: "alice", password: "", headers: headers)
      #expect(answer.status == status, "\(answer.text)")
    }
  }

  @Test func `ACC-10 every call that needs a user names the page`() async throws {
    try await ServerFixture().routes { client in
      for (endpoint, scope) in [
        ("records/modify", "public"), ("records/query", "private"), ("zones/list", "private"),
        ("changes/database", "shared"),
      ] {
        let answer = try await client.call(
          endpoint, ["query": ["recordType": "Note"]], as: nil, in: scope)
        #expect(answer.status == 421)
        #expect(answer["redirectURL"]?.string?.contains("/_brume/signin/?state=") == true)
        #expect(answer.headers[.location] == nil)
      }
    }
  }

  @Test func `an item that needs a user names the page inside the item`() async throws {
    try await ServerFixture().routes { client in
      let schema: JSON = [
        "schema": "DEFINE SCHEMA RECORD TYPE Note ( GRANT READ, CREATE, WRITE TO \"_icloud\" );"
      ]
      #expect(try await client.admin("schema", schema).status == 200)
      try await client.save("n1", in: "public")
      let answer = try await client.call(
        "records/lookup", ["records": [["recordName": "n1"]]], as: nil, in: "public")
      let item = answer["records"]?.array?.first
      #expect(item?["serverErrorCode"] == "AUTHENTICATION_REQUIRED", "\(answer.text)")
      #expect(item?["redirectURL"]?.string?.contains("/_brume/signin/?state=") == true)
    }
  }

  @Test func `an expired or ended session names the page too`() async throws {
    try await ServerFixture().routes { client in
      _ = try await client.admin("users/signout", ["user": "alice"])
      let answer = try await client.call("zones/list")
      #expect(answer.status == 421)
      #expect(answer["redirectURL"] != nil)
    }
  }

  @Test func `a page of another origin gets no sign-in`() async throws {
    try await ServerFixture { $0.isDevelopment = false }.routes { client in
      let api = try await token(client)
      let answer = try await client.send(
        "\(client.fixture.path("users/caller", "public"))?ckAPIToken=\(api)", .get, nil,
        [.origin: "https://evil.example"])
      #expect(answer.status == 401)
      #expect(answer["redirectURL"] == nil)
      #expect(answer.headers[.accessControlAllowOrigin] == nil)
    }
  }

  @Test func `a registered callback is answered as the address to go to`() async throws {
    try await ServerFixture().routes { client in
      try await makeCarol(client)
      let api = try await token(client, callback: "https://app.example/back?x=1")
      let done = try await signIn(client, try await state(client, token: api))
      let location = try #require(done["location"]?.string)
      #expect(location.hasPrefix("https://app.example/back?x=1&ckWebAuthToken="))
      #expect(location.contains("&ckSession="))
      #expect(done["token"] == nil)
    }
  }

  @Test func `the callback is the registered one, whatever the address says`() async throws {
    try await ServerFixture().routes { client in
      try await makeCarol(client)
      let api = try await token(client)
      let state = try await state(client, token: api)
      let body: JSON = [
        "state": .string(state), "name": "carol", "password": "correct horse",
        "callback": "https://evil.example", "redirect": "https://evil.example",
      ]
      let done = try await client.send(
        "/_brume/signin/password?redirect=https://evil.example", .post, body.bytes())
      #expect(!done.text.contains("evil"))
      #expect(done["origins"] == [.string(Self.page)])
    }
  }

  @Test func `a wrong password and an unknown name say the same`() async throws {
    try await ServerFixture().routes { client in
      try await makeCarol(client)
      let state = try await state(client, token: try await token(client))
      let wrong = try await signIn(client, state, password: "wrong password")
      let unknown = try await signIn(client, state, name: "nobody")
      #expect(wrong.status == 401 && unknown.status == 401)
      #expect(wrong.reason == unknown.reason)
    }
  }

  @Test func `after some wrong passwords one has to wait, with the right one too`() async throws {
    // The clock stands still: a slow check must not outlast the wait.
    let fixture = try await ServerFixture(host: .test(clock: ManualClock(), seed: 1)) {
      $0.limits.freeAttemptsPerName = 2
    }
    try await fixture.routes { client in
      try await makeCarol(client)
      let state = try await state(client, token: try await token(client))
      var statuses: [Int] = []
      for _ in 0..<3 {
        statuses.append(try await signIn(client, state, password: "wrong password").status)
      }
      #expect(statuses == [401, 401, 429])
      let late = try await signIn(client, state)
      #expect(late.status == 429)
      #expect(late.code == "THROTTLED")
      #expect(late.headers[.retryAfter] != nil)
      #expect(late["retryAfter"] != nil)
    }
  }

  @Test func `in development the ready-made users of this machine need no password`() async throws {
    for isDevelopment in [true, false] {
      try await ServerFixture { $0.isDevelopment = isDevelopment }.routes { client in
        let state = try await state(client, token: try await token(client))
        let local = try await signIn(client, state, name: "alice", password: "")
        #expect(local.status == (isDevelopment ? 200 : 401))
        let proxied = try await signIn(
          client, state, name: "alice", password: "",
          headers: [.init("X-Forwarded-For")!: "203.0.113.7"])
        #expect(proxied.status == 401)
      }
    }
  }

  @Test func `another page cannot send a password`() async throws {
    try await ServerFixture().routes { client in
      try await makeCarol(client)
      let state = try await state(client, token: try await token(client))
      for (site, status) in [("cross-site", 403), ("same-site", 403), ("same-origin", 200)] {
        let answer = try await signIn(
          client, state, headers: [.init("Sec-Fetch-Site")!: site, .origin: Self.page])
        #expect(answer.status == status)
        #expect(answer.headers[.accessControlAllowOrigin] == nil)
      }
    }
  }

  @Test func `the page may load nothing from elsewhere and stand in no frame`() async throws {
    try await ServerFixture().routes { client in
      for path in [
        "/_brume/signin/?state=x", "/_brume/signin/file/signin.js",
        "/_brume/signin/file/signin.css", "/_brume/signin/callback?state=%3Cscript%3E",
      ] {
        let answer = try await client.send(path)
        let policy = answer.headers[.contentSecurityPolicy] ?? ""
        #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe"))
        #expect(answer.headers[.cacheControl] == "no-store")
        #expect(!answer.text.contains("<script>"))
      }
      #expect(try await client.send("/_brume/signin/file/x").status == 404)
    }
  }

  // MARK: Signing out

  @Test func `a user ends all of his sessions`() async throws {
    try await ServerFixture().routes { client in
      let signedOut = try await client.own("signout", [:])
      #expect(signedOut.status == 200)
      #expect(try await client.call("zones/list").status == 421)
      #expect(try await client.call("zones/list", as: "bob").status == 200)
    }
  }

  @Test func `tokens of one chain work side by side until they expire`() async throws {
    try await ServerFixture().routes { client in
      let name = HTTPField.Name("X-Apple-CloudKit-Web-Auth-Token")!
      var tokens = [client.fixture.ready.accounts[0].token]
      for _ in 0..<3 {
        let answer = try await client.send(
          "\(client.fixture.path("zones/list"))?ckAPIToken=\(client.fixture.ready.apiToken)"
            + "&ckWebAuthToken=\(ServerFixture.escaped(tokens.last ?? ""))")
        tokens.append(try #require(answer.headers[name]))
      }
      let all = tokens
      try await withThrowingTaskGroup(of: Int.self) { group in
        for token in all + all {
          group.addTask {
            try await client.send(
              "\(client.fixture.path("zones/list"))?ckAPIToken=\(client.fixture.ready.apiToken)"
                + "&ckWebAuthToken=\(ServerFixture.escaped(token))"
            ).status
          }
        }
        for try await status in group { #expect(status == 200) }
      }
    }
  }
}
