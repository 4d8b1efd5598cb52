// Invitations: how a further operator comes in, and what an invitation is no good for.

import BrumeCore
import BrumeModel
import BrumeServer
import BrumeWire
import HTTPTypes
import Testing

@Suite struct OperatorInvitationTests {
  private static let lookers: JSON = ["name": "bob", "role": "read-only"]

  @Test func `an invitation makes the operator of its name and role, who is signed in, once`()
    async throws
  {
    try await ServerFixture { $0.isDevelopment = false }.routes { client in
      let link = try await client.invitation(Self.lookers)
      let seen = try await client.look(at: link)
      #expect(seen.status == 200 && seen["name"] == "bob" && seen["role"] == "read-only")
      let browser = try OperatorBrowser(client, signedInBy: try await client.accept(link))
      let bob = try await browser.get("session")["operator"]
      #expect(bob?["name"] == "bob" && bob?["role"] == "read-only")
      #expect(try await browser.post("users", ["name": "carol"]).status == 403)
      #expect(try await client.signIn("bob").status == 200)
      let again = try await client.accept(link)
      #expect(again.status == 401 && again.reason.contains("brume operator invitation create"))
      #expect(try await client.look(at: link).status == 401)
    }
  }

  @Test func `inviting, accepting and what was refused have lines in the audit log`() async throws {
    try await ServerFixture { $0.isDevelopment = false }.routes { client in
      try await client.addOperator("ada")
      let ada = try await client.browser(of: "ada")
      let link = try client.secret(try await ada.post("operators/invitations", Self.lookers))
      #expect(try await client.accept(link).status == 200)
      #expect(try await client.accept(link).status == 401)
      let lines = try await client.audit().map {
        "\($0["operator"]?.string ?? "") \($0["action"]?.string ?? "") \($0["subject"]?.string ?? "") "
          + "\($0["status"]?.int ?? 0)"
      }
      #expect(lines.contains("ada operators/invitations bob 200"), "\(lines)")
      #expect(lines.contains("bob session/invitation/accept  200"), "\(lines)")
      #expect(lines.contains(" session/invitation  401"), "\(lines)")
      #expect(!"\(try await client.audit())".contains(link))
    }
  }

  @Test func `an invitation that two accept at the same time makes one operator`() async throws {
    try await ServerFixture { $0.isDevelopment = false }.routes { client in
      let link = try await client.invitation(Self.lookers)
      let answers = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<2 { group.addTask(operation: { try await client.accept(link).status }) }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(answers.sorted() == [200, 401])
      #expect(try await client.admin("operators")["operators"]?.array?.count == 1)
    }
  }

  @Test(arguments: [(JSON.null, 24), (.int(2), 2)])
  func `an invitation is good for a day, or for as many hours as it says`(
    hours: JSON, expected: Double
  ) async throws {
    let clock = CaseClock()
    try await ServerFixture(host: clock.host) { $0.isDevelopment = false }.routes { client in
      let link = try await client.invitation(["name": "bob", "hours": hours])
      clock.advance(seconds: expected * 3600 - 1)
      #expect(try await client.look(at: link).status == 200)
      clock.advance(seconds: 1)
      #expect(try await client.look(at: link).status == 401)
      #expect(try await client.accept(link).status == 401)
      #expect(try await client.admin("operators/invitations")["invitations"]?.array == [])
    }
  }

  @Test func `who invites again or takes back makes the earlier link useless`() async throws {
    try await ServerFixture { $0.isDevelopment = false }.routes { client in
      let first = try await client.invitation(Self.lookers)
      let second = try await client.invitation(Self.lookers)
      #expect(try await client.accept(first).status == 401)
      let listed = try await client.admin("operators/invitations")
      #expect(listed["invitations"]?.array?.count == 1 && !listed.text.contains(second))
      #expect(try await client.admin("operators/invitations/revoke", ["name": "bob"]).status == 200)
      #expect(try await client.accept(second).status == 401)
      #expect(try await client.admin("operators/invitations/revoke", ["name": "bob"]).status == 404)
    }
  }

  @Test func `an invitation goes with the operator who made it, and gives no more than he may`()
    async throws
  {
    try await ServerFixture { $0.isDevelopment = false }.routes { client in
      for name in ["ada", "eve"] { try await client.addOperator(name) }
      let (ada, eve) = (try await client.browser(of: "ada"), try await client.browser(of: "eve"))
      let lesser = try client.secret(try await ada.post("operators/invitations", ["name": "bob"]))
      let gone = try client.secret(try await eve.post("operators/invitations", ["name": "cleo"]))
      _ = try await client.admin("operators/remove", ["name": "eve"])
      #expect(try await client.accept(gone).status == 401)
      _ = try await client.admin("operators/change", ["name": "ada", "role": "read-only"])
      #expect(try await ada.post("operators/invitations", ["name": "dan"]).status == 403)
      let bob = try await client.accept(lesser)
      #expect(bob["operator"]?["role"] == "read-only", "\(bob.text)")
    }
  }

  @Test(arguments: [true, false])
  func `an invitation neither makes the first operator of another name nor signs in without one`(
    isDevelopment: Bool
  ) async throws {
    try await ServerFixture { $0.isDevelopment = isDevelopment }.routes { client in
      let link = try await client.invitation(Self.lookers)
      #expect(try await client.use(link: link).status == 401)
      #expect(try await client.use(link: link, name: "eve").status == 401)
      // Nor does a link of the server accept anything.
      let other = try #require(try await client.link())
      #expect(try await client.accept(other).status == 401)
      #expect(try await client.accept(link).status == 200)
    }
  }

  @Test func `links of the server and the first operator leave invitations as they are`()
    async throws
  {
    try await ServerFixture { $0.isDevelopment = false }.routes { client in
      let link = try await client.invitation(Self.lookers)
      for _ in 0..<20 { _ = try await client.link() }
      let first = try #require(try await client.link())
      #expect(try await client.use(link: first, name: "ada").status == 200)
      #expect(try await client.accept(link).status == 200)
    }
  }

  @Test func `what cannot be is refused, and leaves the invitation as it was`() async throws {
    try await ServerFixture { $0.isDevelopment = false }.routes { client in
      for body: JSON in [
        ["name": "owner"], ["name": "a b"], ["name": "bob", "hours": 0],
        ["name": "bob", "hours": 169], ["name": "bob", "role": "king"],
      ] {
        #expect(try await client.admin("operators/invitations", body).status == 400, "\(body)")
      }
      let link = try await client.invitation(Self.lookers)
      #expect(try await client.accept(link, password: "short").status == 400)
      #expect(try await client.accept(link, password: nil).status == 400)
      try await client.addOperator("ada")
      #expect(try await client.admin("operators/invitations", ["name": "ada"]).status == 409)
      #expect(try await client.accept(link).status == 200)
    }
  }
}

extension RouteClient {
  /// The secret of a new invitation, made by the machine's owner.
  fileprivate func invitation(_ body: JSON) async throws -> String {
    try secret(try await admin("operators/invitations", body))
  }

  fileprivate func secret(_ made: Answer) throws -> String {
    let url = try #require(made["url"]?.string, "\(made.text)")
    let parts = url.split(separator: "#invitation.")
    #expect(parts.first?.hasSuffix("/_brume/console/signin") == true)
    return String(try #require(parts.last))
  }

  fileprivate func look(at link: String) async throws -> Answer {
    try await send(
      "/_brume/admin/session/invitation", .post, OperatorSignIn(link: link).bytes())
  }

  fileprivate func accept(
    _ link: String, password: String? = RouteClient.password
  ) async throws -> Answer {
    let body = OperatorSignIn(password: password, link: link)
    return try await send("/_brume/admin/session/invitation/accept", .post, body.bytes())
  }
}
