// The audit log over HTTP: what gets a line, what a line says, and what never stands in one.

import BrumeCore
import BrumeModel
import BrumeServer
import BrumeTestKit
import BrumeWire
import HTTPTypes
import Logging
import Testing

@Suite struct AuditTests {
  @Test func `a change has a line that says who, what, from where, which request, what came of it`()
    async throws
  {
    try await ServerFixture().routes { client in
      try await client.addOperator("ada")
      let browser = try await client.browser(of: "ada")
      let made = try await browser.post("users", ["name": "carol"])
      let line = try #require(try await client.audit().first)
      #expect(line["operator"] == "ada" && line["action"] == "users")
      #expect(line["subject"] == "carol" && line["status"] == 200 && line["refused"] == false)
      #expect(line["address"] == "local")
      #expect(line["request"]?.string == made.headers[HTTPField.Name("X-Apple-Request-UUID")!])
      #expect(try await browser.post("users", ["name": "carol"]).status == 409)
      #expect(try await client.audit().first?["status"] == 409)
    }
  }

  @Test(arguments: ["records/modify", "zones/create", "zones/delete"])
  func `the line of a change of somebody's data says whose it is`(path: String) async throws {
    try await ServerFixture().routes { client in
      let body: JSON = ["user": "alice", "operations": [], "zones": []]
      _ = try await client.admin(path, body)
      let line = try #require(try await client.audit().first)
      #expect(line["action"]?.string == path && line["subject"] == "alice", "\(line)")
    }
  }

  @Test func `a call that only reads has no line in the audit log`() async throws {
    try await ServerFixture().routes { client in
      let before = try await client.audit().count
      for path in ["users", "status", "tokens", "session"] {
        #expect(try await client.admin(path).status == 200)
      }
      #expect(try await client.audit().count == before)
    }
  }

  @Test func `sign-ins and refusals have lines, and a name that is nobody's is not kept`()
    async throws
  {
    try await ServerFixture().routes { client in
      try await client.addOperator("ada")
      _ = try await client.signIn("my secret password", password: "x")
      _ = try await client.signIn("ada", password: "wrong password")
      _ = try await client.signIn("ada")
      _ = try await client.send("/_brume/admin/users")
      let lines = try await client.audit().prefix(4).map { line in
        [line["action"], line["operator"], line["status"], line["refused"]]
      }
      #expect(
        lines == [
          ["users", "", 401, true], ["session", "ada", 200, false], ["session", "ada", 401, true],
          ["session", "", 401, true],
        ])
    }
  }

  @Test func `no secret and no password stands in the audit log or in the log`() async throws {
    let lines = LogLines(from: .trace)
    let fixture = try await ServerFixture({ $0.isDevelopment = false }, logger: lines.logger)
    try await fixture.routes(lines.logger) { client in
      let link = try #require(try await client.link())
      let first = try await client.use(link: link, name: "ada", password: "first password")
      let signedIn = try await client.signIn("ada", password: "first password")
      _ = try await client.signIn("ada", password: "wrong password")
      let token = try await client.admin("operators/tokens", ["name": "ci"])["token"]?.string
      let change: JSON = ["name": "ada", "password": "second password"]
      _ = try await client.admin("operators/change", change)
      _ = try await client.admin("users", ["name": "carol", "password": "third password"])
      let api = try await client.admin("tokens", ["name": "web"])["token"]?.string
      _ = try await client.admin("tokens/revoke", ["token": .string(api ?? "")])
      let secrets = [
        link, token, api, client.fixture.server.adminToken, "first password", "second password",
        "third password", "wrong password", Self.secret(first), Self.secret(signedIn),
      ]
      let audited = try await client.audit()
      #expect(audited.count >= 8)
      let audit = String(decoding: JSON.array(audited).bytes(), as: UTF8.self)
      let log = lines.all.map { "\($0)" }.joined()
      #expect(log.contains("/_brume/admin/session"))
      for secret in secrets {
        let text = try #require(secret)
        #expect(!text.isEmpty && !audit.contains(text) && !log.contains(text))
      }
    }
  }

  @Test func `a secret that stands in the place of a name is not kept`() async throws {
    try await ServerFixture().routes { client in
      let token = try #require(
        try await client.admin("operators/tokens", ["name": "ci"])["token"]?.string)
      let link = try #require(
        try await client.admin("operators/invitations", ["name": "bo"])["url"]?.string)
      for (path, secret) in [("tokens", token), ("invitations", link)] {
        let answer = try await client.admin(
          "operators/\(path)/revoke", ["name": .string(secret)])
        #expect(answer.status == 404)
        let line = try #require(try await client.audit().first)
        #expect(line["action"]?.string == "operators/\(path)/revoke")
        #expect(line["subject"] == "" && line["status"] == 404, "\(line)")
      }
      #expect(try await client.admin("operators/tokens/revoke", ["name": "ci"]).status == 200)
      #expect(try await client.audit().first?["subject"] == "ci")
    }
  }

  @Test func `a flood of refusals gets as many lines as a second may have`() async throws {
    let clock = CaseClock()
    try await ServerFixture(host: clock.host) {
      $0.limits.auditRefusalsBurst = 3
    }.routes { client in
      for _ in 0..<10 { _ = try await client.send("/_brume/admin/users") }
      #expect(try await client.audit().count { $0["refused"] == true } == 3)
      clock.advance(seconds: 1)
      for _ in 0..<10 { _ = try await client.send("/_brume/admin/users") }
      #expect(try await client.audit().count { $0["refused"] == true } == 4)
    }
  }

  @Test func `pages go on where the one before ended, by operator, request and time`() async throws
  {
    let clock = CaseClock()
    try await ServerFixture(host: clock.host).routes { client in
      for number in 1...5 {
        clock.advance(seconds: 1)
        _ = try await client.admin("users", ["name": .string("u\(number)")])
      }
      let first = try await client.admin("audit?limit=2")
      #expect(first["audit"]?.array?.map { $0["subject"]?.string } == ["u5", "u4"])
      let next = try #require(first["next"]?.int)
      let second = try await client.admin("audit?limit=3&before=\(next)")
      #expect(second["audit"]?.array?.map { $0["subject"]?.string } == ["u3", "u2", "u1"])
      #expect(second["next"] == nil)
      let line = try #require(first["audit"]?.array?.first)
      let request = try #require(line["request"]?.string)
      #expect(try await client.audit("?request=\(request)") == [line])
      #expect(try await client.audit("?since=\(line["time"]?.int ?? 0)") == [line])
      #expect(try await client.audit("?operator=ada") == [])
      #expect(try await client.audit("?operator=owner").count == 5)
      #expect(try await client.admin("audit?since=x").status == 400)
    }
  }

  /// The session's secret in an answer's cookie.
  private static func secret(_ answer: Answer) -> String? {
    answer.headers[.setCookie]?.prefix { $0 != ";" }.split(separator: "=").last.map(String.init)
  }
}
