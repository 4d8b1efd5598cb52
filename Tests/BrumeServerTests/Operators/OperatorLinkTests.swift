// One-time links: the first operator, and development's browser.

import BrumeCore
import BrumeModel
import BrumeServer
import BrumeStorage
import BrumeWire
import HTTPTypes
import Testing

@Suite struct OperatorLinkTests {
  @Test func `a link makes the first operator, who is signed in, and is good once`() async throws {
    try await ServerFixture { $0.isDevelopment = false }.routes { client in
      let link = try #require(try await client.link())
      // The page asks first whether a name is needed; the link stays good.
      #expect(try await client.use(link: link).status == 400)
      let browser = try OperatorBrowser(
        client, signedInBy: try await client.use(link: link, name: "ada"))
      #expect(try await browser.get("status").status == 200)
      let again = try await client.use(link: link, name: "eve")
      #expect(again.status == 401 && again.reason.contains("brume operator link"))
      #expect(try await client.signIn("ada").status == 200)
      #expect(try await client.admin("operators")["operators"]?.array?.count == 1)
    }
  }

  @Test func `of several links that were printed, the first that is used ends the others`()
    async throws
  {
    try await ServerFixture { $0.isDevelopment = false }.routes { client in
      let one = try #require(try await client.link())
      let other = try #require(try await client.link())
      #expect(try await client.use(link: one, name: "ada").status == 200)
      #expect(try await client.use(link: other, name: "eve").status == 401)
    }
  }

  @Test func `a link that two use at the same time makes one operator`() async throws {
    try await ServerFixture { $0.isDevelopment = false }.routes { client in
      let link = try #require(try await client.link())
      let answers = try await withThrowingTaskGroup(of: Int.self) { group in
        for name in ["ada", "eve"] {
          group.addTask(operation: { try await client.use(link: link, name: name).status })
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(answers.sorted() == [200, 401])
      #expect(try await client.admin("operators")["operators"]?.array?.count == 1)
    }
  }

  @Test func `a link ends after half an hour`() async throws {
    let clock = CaseClock()
    try await ServerFixture(host: clock.host) { $0.isDevelopment = false }.routes { client in
      let (early, late) = (
        try #require(try await client.link()), try #require(try await client.link())
      )
      clock.advance(milliseconds: 30 * 60_000 - 1)
      #expect(try await client.use(link: early).status == 400)
      clock.advance(milliseconds: 1)
      #expect(try await client.use(link: late, name: "ada").status == 401)
    }
  }

  @Test func `while there is an operator nobody gets a link`() async throws {
    try await ServerFixture { $0.isDevelopment = false }.routes { client in
      try await client.addOperator("ada")
      #expect(try await client.link() == nil)
      let refused = try await client.admin("operators/link", [:])
      #expect(refused.status == 409 && refused.reason.contains("brume operator password"))
    }
  }

  @Test func `a link from before the first operator makes no second one`() async throws {
    try await ServerFixture { $0.isDevelopment = false }.routes { client in
      let link = try #require(try await client.link())
      try await client.addOperator("ada")
      #expect(try await client.use(link: link, name: "eve").status == 409)
    }
  }

  @Test(arguments: [("owner", "correct horse"), ("a b", "correct horse"), ("ada", "short")])
  func `a name or password that cannot be leaves the link as it was`(name: String, password: String)
    async throws
  {
    try await ServerFixture { $0.isDevelopment = false }.routes { client in
      let link = try #require(try await client.link())
      #expect(try await client.use(link: link, name: name, password: password).status == 400)
      #expect(try await client.use(link: link, name: "ada").status == 200)
    }
  }

  @Test func `in development a link signs one browser in, without a name`() async throws {
    try await ServerFixture().routes { client in
      let link = try #require(try await client.link())
      let browser = try OperatorBrowser(client, signedInBy: try await client.use(link: link))
      #expect(try await browser.get("session")["operator"]?["name"] == "development")
      #expect(try await browser.post("users", ["name": "carol"]).status == 200)
      #expect(try await client.use(link: link).status == 401)
    }
  }

  @Test func `development's session opens nothing on a server that is no development`()
    async throws
  {
    let store = MemoryStore(coders: .wireForm)
    let development = try await ServerFixture(wrapping: { _ in store })
    let other = try await ServerFixture({ $0.isDevelopment = false }, wrapping: { _ in store })
    try await development.routes { client in
      let link = try #require(try await client.link())
      let browser = try OperatorBrowser(client, signedInBy: try await client.use(link: link))
      #expect(try await browser.get("status").status == 200)
      try await other.routes { elsewhere in
        let answer = try await elsewhere.send("/_brume/admin/status", .get, nil, browser.headers)
        #expect(answer.status == 401)
      }
    }
  }
}
