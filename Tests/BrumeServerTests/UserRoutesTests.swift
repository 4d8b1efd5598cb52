// users/discover, users/lookup/… and who may ask (docs/sign-in.md).

import BrumeCore
import BrumeModel
import BrumeServer
import BrumeTestKit
import BrumeWire
import HTTPTypes
import Testing

@Suite struct UserRoutesTests {
  private func addresses(_ client: RouteClient) async throws {
    for name in ["alice", "bob"] {
      let changed = try await client.admin(
        "users/change",
        [
          "user": .string(name), "email": .string("\(name)@example.org"),
          "givenName": .string(name), "familyName": "Example", "phone": .string("+1\(name.count)"),
        ])
      #expect(changed.status == 200, "\(changed.text)")
    }
  }

  @Test func `discover finds by each kind of lookup and repeats it`() async throws {
    try await ServerFixture().routes { client in
      try await addresses(client)
      let bob = client.fixture.user("bob").name
      let answer = try await client.call(
        "users/discover",
        [
          "lookupInfos": [
            ["emailAddress": "bob@example.org"], ["phoneNumber": "+13"],
            ["userRecordName": .string(bob)], ["emailAddress": "nobody@example.org"],
          ]
        ], in: "public")
      let users = try #require(answer["users"]?.array, "\(answer.text)")
      #expect(users.map { $0["userRecordName"] } == Array(repeating: .string(bob), count: 3))
      #expect(
        users.map { $0["lookupInfo"] } == [
          ["emailAddress": "bob@example.org"], ["phoneNumber": "+13"],
          ["userRecordName": .string(bob)],
        ])
      #expect(users[0]["nameComponents"] == ["givenName": "bob", "familyName": "Example"])
    }
  }

  @Test func `the deprecated lookups answer flat`() async throws {
    try await ServerFixture().routes { client in
      try await addresses(client)
      let byEmail = try await client.call(
        "users/lookup/email", ["users": [["emailAddress": "bob@example.org"]]], in: "public")
      let expected: JSON = [
        "userRecordName": .string(client.fixture.user("bob").name), "firstName": "bob",
        "lastName": "Example", "emailAddress": "bob@example.org",
      ]
      #expect(byEmail["users"] == [expected])
      let byID = try await client.call(
        "users/lookup/id",
        ["users": [["userRecordName": .string(client.fixture.user("bob").name)]]], in: "public")
      #expect(byID["users"]?.array?.first?["firstName"] == "bob")
      for method in [HTTPRequest.Method.get, .post] {
        let contacts = try await client.call(
          "users/lookup/contacts", nil, in: "public", method: method)
        #expect(contacts["users"] == [])
      }
    }
  }

  @Test func `LIM-13 discover with no body or an empty one answers contacts, never an error`()
    async throws
  {
    try await ServerFixture().routes { client in
      for method in [HTTPRequest.Method.get, .post] {
        for body in [nil, [:]] as [JSON?] {
          let answer = try await client.call("users/discover", body, in: "public", method: method)
          #expect(answer.status == 200, "\(answer.text)")
          #expect(answer["users"] == [])
        }
      }
    }
  }

  @Test func `users belong to the public database`() async throws {
    try await ServerFixture().routes { client in
      let wrong = try await client.call("users/discover", ["lookupInfos": []], in: "private")
      #expect(wrong.status == 400)
      #expect(wrong.reason.contains("privatedb"))
      // CloudKit: the caller's own identity is answered everywhere.
      #expect(try await client.call("users/caller", nil, in: "private", method: .get).status == 200)
    }
  }

  @Test func `a lookup that names nobody is refused with its place`() async throws {
    try await ServerFixture().routes { client in
      let answer = try await client.call(
        "users/discover", ["lookupInfos": [["userRecordName": "_1"], [:]]], in: "public")
      #expect(answer.status == 400)
      #expect(answer.reason.contains("lookupInfos[1]"))
    }
  }
}

/// How often one may call, over HTTP (LIM-03, LIM-08). The clock stands still: a rate allows more with
/// each second that a busy machine takes.
@Suite struct RateLimitTests {
  private static func fixture(_ adjust: (inout Settings) -> Void) async throws -> ServerFixture {
    try await ServerFixture(host: .test(clock: ManualClock(), seed: 1), adjust)
  }

  @Test func `LIM-03 a user who calls too often waits as long as the answer says`() async throws {
    try await Self.fixture { $0.rates.user = 1 }.routes { client in
      var last: Answer?
      for _ in 0..<30 where last?.status != 429 { last = try await client.call("zones/list") }
      let throttled = try #require(last)
      #expect(throttled.status == 429)
      #expect(throttled.code == "THROTTLED")
      let seconds = try #require(throttled["retryAfter"]?.double)
      #expect(seconds > 0 && seconds <= 1)
      #expect(throttled.headers[.retryAfter] == "1")
      #expect(try await client.call("zones/list", as: "bob").status == 200)
    }
  }

  @Test func `the log names who called too often`() async throws {
    try await Self.fixture { $0.rates.user = 1 }.routes { client in
      for _ in 0..<30 where try await client.call("zones/list").status == 429 { break }
      let lines = try await client.admin("logs?limit=30")["log"]?.array ?? []
      let refused = try #require(lines.first { $0["status"] == 429 })
      #expect(refused["user"] == "alice")
    }
  }

  @Test func `anonymous calls and wrong credentials count by address`() async throws {
    try await Self.fixture { $0.rates.anonymous = 1 }.routes { client in
      var statuses: Set<Int> = []
      for _ in 0..<30 {
        statuses.insert(
          try await client.send(
            "\(client.fixture.path("zones/list"))?ckAPIToken=0000"
          ).status)
      }
      #expect(statuses == [401, 429])
      let lookup = try await client.call(
        "records/lookup", ["records": [["recordName": "x"]]], as: nil, in: "public")
      #expect(lookup.status == 429)
      #expect(try await client.call("zones/list").status == 200, "a user is not an address")
    }
  }

  @Test func `open endpoints count by address, health checks do not`() async throws {
    try await Self.fixture { $0.rates.anonymous = 1 }.routes { client in
      var statuses: [Int] = []
      for _ in 0..<200 where statuses.last != 429 {
        statuses.append(try await client.send("/_brume/webpush/key").status)
      }
      #expect(statuses.last == 429)
      for path in ["health/live", "health/ready"] {
        #expect(try await client.send("/_brume/\(path)").status == 200)
      }
      #expect(try await client.call("zones/list").status == 200, "a user is not an address")
    }
  }

  @Test func `addresses with a secret of their own are used at a user's rate`() async throws {
    try await Self.fixture { $0.rates.user = 1 }.routes { client in
      var statuses: [Int] = []
      for _ in 0..<200 where statuses.last != 429 {
        statuses.append(try await client.send("/_brume/assets/file?pass=x").status)
      }
      #expect(statuses.last == 429)
      #expect(try await client.send("/_brume/webpush/key").status == 200)
    }
  }

  @Test func `development has no limit unless one is set`() async throws {
    let none = try Settings(
      try await SettingSources(flags: ["BRUME_DEV": "true"], environment: [:]))
    #expect(none.rates == Settings.Rates())
    let usual = try Settings(try await SettingSources(flags: [:], environment: [:]))
    #expect(usual.rates.user > 0 && usual.rates.anonymous > 0)
    let set = try Settings(
      try await SettingSources(
        flags: ["BRUME_DEV": "true", "BRUME_RATE_USER": "7"], environment: [:]))
    #expect(set.rates.user == 7)
    await #expect(throws: SettingError.self) {
      try Settings(
        try await SettingSources(flags: ["BRUME_RATE_USER": "-1"], environment: [:]))
    }
  }

  @Test(arguments: [(nil, 401), ("Bearer wrong", 401), ("Bearer secret", 200)] as [(String?, Int)])
  func `A14 metrics are for this machine, or for who has the token`(
    header: String?, status: Int
  ) async throws {
    try await Self.fixture {
      $0.isDevelopment = false
      $0.metricsToken = "secret"
    }.routes { client in
      // A proxy's header means that somebody else asks, wherever the connection comes from.
      var headers: HTTPFields = [.init("X-Forwarded-For")!: "203.0.113.7"]
      headers[.authorization] = header
      let forwarded = try await client.send("/_brume/metrics", .get, nil, headers)
      #expect(forwarded.status == status)
      #expect(try await client.send("/_brume/metrics").status == 200)
      // An operator proves who he is in another way, and may be anywhere.
      let seen = try await client.send("/_brume/admin/metrics", .get, nil, headers)
      #expect(seen.status == 401)
      headers[.authorization] = "Bearer \(client.fixture.server.adminToken)"
      #expect(try await client.send("/_brume/admin/metrics", .get, nil, headers).status == 200)
    }
  }
}
