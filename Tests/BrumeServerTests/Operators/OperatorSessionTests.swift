// Sessions of operators' browsers and admin tokens: their cookie, their end, what ends them at once.

import BrumeCore
import BrumeModel
import BrumeServer
import BrumeStorage
import BrumeTestKit
import BrumeWire
import HTTPTypes
import Testing

@Suite struct OperatorSessionTests {
  @Test func `an operator signs in by name and password and learns who is signed in`() async throws
  {
    try await ServerFixture { $0.isDevelopment = false }.routes { client in
      try await client.addOperator("ada", role: .readOnly)
      let browser = try await client.browser(of: "ada")
      let session = try await browser.get("session")
      #expect(session["operator"] == ["name": "ada", "role": "read-only"])
      #expect(session["proof"] == "session" && session["dev"] == false)
      #expect(session["csrf"]?.string == browser.csrf)
      #expect(session["version"]?.string == Release.version)
      #expect(session.headers[.cacheControl] == "no-store")
      let owner = try await client.admin("session")
      #expect(owner["proof"] == "folder" && owner["csrf"] == nil)
    }
  }

  @Test func `the cookie is for this server's own pages and out of reach of scripts`() async throws
  {
    try await ServerFixture().routes { client in
      try await client.addOperator("ada")
      let cookie = try #require(try await client.signIn("ada").headers[.setCookie])
      let parts = cookie.split(separator: ";").map { $0.drop { $0 == " " } }
      #expect(parts[0].hasPrefix("brume-operator-80="))
      #expect(
        parts.dropFirst() == ["Path=/_brume", "Max-Age=43200", "HttpOnly", "SameSite=Strict"])
    }
  }

  // MARK: Ends

  @Test func `a session ends two hours after its last use`() async throws {
    let clock = CaseClock()
    try await ServerFixture(host: clock.host).routes { client in
      try await client.addOperator("ada")
      let browser = try await client.browser(of: "ada")
      for _ in 0..<3 {
        clock.advance(milliseconds: 2 * 3_600_000 - 1)
        #expect(try await browser.get("users").status == 200)
      }
      clock.advance(seconds: 2 * 3600)
      #expect(try await browser.get("users").status == 401)
    }
  }

  @Test func `what an open console asks by itself is no use of the session`() async throws {
    let clock = CaseClock()
    try await ServerFixture(host: clock.host).routes { client in
      try await client.addOperator("ada")
      let browser = try await client.browser(of: "ada")
      clock.advance(milliseconds: 2 * 3_600_000 - 1)
      for path in ["status", "metrics"] {
        #expect(try await browser.get(path).status == 200)
      }
      clock.advance(milliseconds: 1)
      for path in ["status", "metrics", "users"] {
        #expect(try await browser.get(path).status == 401)
      }
    }
  }

  @Test func `the console's event stream prolongs no session either`() async throws {
    let watching = try await ServerFixture.endpoints().filter(\.isWatch).map(\.path)
    let expected = ["events", "metrics", "status"].map { "/_brume/admin/\($0)" }
    #expect(watching.sorted() == expected)
  }

  @Test func `a session ends twelve hours after signing in, however it is used`() async throws {
    let clock = CaseClock()
    try await ServerFixture(host: clock.host).routes { client in
      try await client.addOperator("ada")
      let browser = try await client.browser(of: "ada")
      for _ in 0..<11 {
        clock.advance(seconds: 3600)
        #expect(try await browser.get("users").status == 200)
      }
      clock.advance(milliseconds: 3_600_000 - 1)
      #expect(try await browser.get("status").status == 200)
      clock.advance(milliseconds: 1)
      #expect(try await browser.get("status").status == 401)
    }
  }

  @Test func `signing out ends the session at once and takes the cookie back`() async throws {
    try await ServerFixture().routes { client in
      try await client.addOperator("ada")
      let (one, other) = (try await client.browser(of: "ada"), try await client.browser(of: "ada"))
      let answer = try await one.post("session/end")
      #expect(answer.headers[.setCookie]?.contains("Max-Age=0") == true)
      #expect(try await one.get("status").status == 401)
      #expect(try await other.get("status").status == 200)
    }
  }

  @Test func `a new password ends the operator's sessions and no other's`() async throws {
    try await ServerFixture().routes { client in
      for name in ["ada", "bob"] { try await client.addOperator(name) }
      let (ada, bob) = (try await client.browser(of: "ada"), try await client.browser(of: "bob"))
      let change: JSON = ["name": "ada", "password": "another horse"]
      #expect(try await client.admin("operators/change", change).status == 200)
      #expect(try await ada.get("status").status == 401)
      #expect(try await bob.get("status").status == 200)
      #expect(try await client.signIn("ada").status == 401)
      #expect(try await client.signIn("ada", password: "another horse").status == 200)
    }
  }

  @Test func `removing an operator ends sessions and tokens at once`() async throws {
    try await ServerFixture().routes { client in
      try await client.addOperator("ada")
      let ada = try await client.browser(of: "ada")
      let made = try await ada.post("operators/tokens", ["name": "ci"])
      let token = try #require(made["token"]?.string)
      #expect(made["operator"] == "ada")
      #expect(try await client.admin("status", token: token).status == 200)
      #expect(try await client.admin("operators/remove", ["name": "ada"]).status == 200)
      #expect(try await ada.get("status").status == 401)
      #expect(try await client.admin("status", token: token).status == 401)
      #expect(try await client.signIn("ada").status == 401)
    }
  }

  @Test func `a lesser role holds for the next request of every session and token`() async throws {
    try await ServerFixture().routes { client in
      try await client.addOperator("ada")
      let ada = try await client.browser(of: "ada")
      let token = try #require(
        try await ada.post("operators/tokens", ["name": "ci"])["token"]?.string)
      _ = try await client.admin("operators/change", ["name": "ada", "role": "read-only"])
      #expect(try await ada.post("users", ["name": "carol"]).status == 403)
      #expect(try await client.admin("users", ["name": "carol"], token: token).status == 403)
      #expect(try await ada.get("users").status == 200)
    }
  }

  @Test func `the oldest of too many sessions of one operator ends`() async throws {
    try await ServerFixture { $0.limits.sessionsPerOperator = 2 }.routes { client in
      try await client.addOperator("ada")
      var browsers: [OperatorBrowser] = []
      for _ in 0..<3 { browsers.append(try await client.browser(of: "ada")) }
      var answers: [Int] = []
      for browser in browsers { answers.append(try await browser.get("status").status) }
      #expect(answers.count { $0 == 200 } == 2 && answers[2] == 200, "\(answers)")
    }
  }

  // MARK: Signing in

  @Test func `an unknown name and a wrong password get the same answer`() async throws {
    try await ServerFixture().routes { client in
      try await client.addOperator("ada")
      let wrong = try await client.signIn("ada", password: "wrong")
      let unknown = try await client.signIn("eve", password: "wrong")
      #expect(wrong.status == 401 && unknown.status == 401)
      #expect(wrong.reason == unknown.reason && wrong.headers[.setCookie] == nil)
    }
  }

  @Test func `whoever guesses has to wait, and users of the same name do not`() async throws {
    let clock = CaseClock()
    try await ServerFixture(host: clock.host) {
      $0.isDevelopment = false
      $0.limits.freeAttemptsPerName = 2
    }.routes { client in
      try await client.addOperator("ada")
      for _ in 0..<2 { #expect(try await client.signIn("ada", password: "x").status == 401) }
      let slow = try await client.signIn("ada")
      #expect(slow.status == 429 && slow.headers[.retryAfter] != nil)
      clock.advance(seconds: 60)
      #expect(try await client.signIn("ada").status == 200)
    }
  }

  @Test(arguments: [
    ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"],
    ["Origin": "https://evil.example"],
  ])
  func `a page of somebody else signs nobody in`(headers: [String: String]) async throws {
    try await ServerFixture().routes { client in
      try await client.addOperator("ada")
      var fields: HTTPFields = [:]
      for (name, value) in headers { fields[HTTPField.Name(name)!] = value }
      let answer = try await client.signIn("ada", headers: fields)
      #expect(answer.status == 403 && answer.headers[.setCookie] == nil)
    }
  }

  // MARK: Tokens

  @Test func `an admin token has a name, a role, an end and a last use`() async throws {
    let clock = CaseClock()
    try await ServerFixture(host: clock.host).routes { client in
      let body: JSON = ["name": "ci", "role": "read-only", "days": 2]
      let token = try #require(
        try await client.admin("operators/tokens", body)["token"]?.string)
      #expect(try await client.admin("operators/tokens", body).status == 409)
      #expect(try await client.admin("users", token: token).status == 200)
      #expect(try await client.admin("users", ["name": "x"], token: token).status == 403)
      let listed = try await client.admin("operators/tokens")["tokens"]?.array?.first
      #expect(listed?["name"] == "ci" && listed?["role"] == "read-only")
      #expect(listed?["lastUsed"]?.int == clock.host.now() && listed?["token"] == nil)
      #expect(listed?["ends"]?.int == clock.host.now() + 2 * 86_400_000)
      clock.advance(seconds: 2 * 86_400)
      #expect(try await client.admin("users", token: token).status == 401)
    }
  }

  @Test func `a revoked admin token is refused at once`() async throws {
    try await ServerFixture().routes { client in
      let token = try #require(
        try await client.admin("operators/tokens", ["name": "ci"])["token"]?.string)
      #expect(try await client.admin("users", token: token).status == 200)
      #expect(try await client.admin("operators/tokens/revoke", ["name": "ci"]).status == 200)
      #expect(try await client.admin("users", token: token).status == 401)
      #expect(try await client.admin("operators/tokens/revoke", ["name": "ci"]).status == 404)
    }
  }

  @Test func `a refusal of who may only read says what lets it through`() async throws {
    try await ServerFixture().routes { client in
      let token = try #require(
        try await client.admin("operators/tokens", ["name": "ci", "role": "read-only"])["token"]?
          .string)
      let byToken = try await client.admin("users", ["name": "carol"], token: token)
      #expect(byToken.status == 403 && byToken.reason.contains("brume operator token create NAME"))
      #expect(!byToken.reason.contains("brume operator role"), "\(byToken.reason)")
      try await client.addOperator("ada", role: .readOnly)
      let browser = try await client.browser(of: "ada")
      let byOperator = try await browser.post("users", ["name": "carol"])
      #expect(byOperator.status == 403 && byOperator.reason.contains("brume operator role"))
    }
  }

  @Test func `whoever may only read gets no credentials that act as users`() async throws {
    try await ServerFixture().routes { client in
      try await client.addOperator("ada", role: .readOnly)
      let browser = try await client.browser(of: "ada")
      let full = try await client.admin("status")
      #expect(full.text.contains("BRUME_USER_TOKEN"))
      let status = try await browser.get("status")
      #expect(status.status == 200 && status["url"] == full["url"])
      #expect(!status.text.contains("USER_TOKEN") && !status.text.contains("BRUME_KEY"))
    }
  }

  // MARK: Several servers

  @Test func `what one server ends is ended on every server of the database`() async throws {
    try await PostgresServer.with(["fsync=on"]) { postgres in
      let url = try postgres.emptySchema()
      func server() async throws -> ServerFixture {
        try await ServerFixture {
          $0.engine = .postgres(url)
          $0.isDevelopment = true
        }
      }
      let (one, other) = (try await server(), try await server())
      try await one.routes { here in
        try await other.routes { there in
          try await here.addOperator("ada")
          let browser = try await here.browser(of: "ada")
          let path = "/_brume/admin/users"
          let elsewhere = { try await there.send(path, .get, nil, browser.headers) }
          #expect(try await elsewhere().status == 200)
          _ = try await there.admin("operators/remove", ["name": "ada"])
          #expect(try await browser.get("users").status == 401)
          #expect(try await elsewhere().status == 401)
          #expect(try await here.audit().contains { $0["action"] == "operators/remove" })
        }
      }
      try await one.server.store.close()
      try await other.server.store.close()
    }
  }
}
