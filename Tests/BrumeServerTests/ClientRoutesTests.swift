// The JavaScript client's files, and the header in which it sends its user's token. What the client does
// is tried by Tests/Independent/javascript.py.

import BrumeModel
import BrumeServer
import BrumeWire
import HTTPTypes
import Testing

@Suite struct ClientRoutesTests {
  static let token = HTTPField.Name("X-Apple-CloudKit-Web-Auth-Token")!

  @Test(arguments: [
    ("brume.js", "text/javascript; charset=utf-8", "export class Container"),
    ("brume.d.ts", "text/plain; charset=utf-8", "export class Container"),
  ])
  func `the client is for pages of every origin, and sent once`(
    name: String, type: String, content: String
  ) async throws {
    try await ServerFixture { $0.isDevelopment = false }.routes { client in
      let file = try await client.send("/_brume/client/\(name)")
      #expect(file.status == 200)
      #expect(file.headers[.contentType] == type)
      #expect(file.headers[.xContentTypeOptions] == "nosniff")
      #expect(file.headers[.accessControlAllowOrigin] == "*")
      #expect(file.text.contains(content))
      let tag = try #require(file.headers[.eTag])
      let again = try await client.send(
        "/_brume/client/\(name)", .get, nil, [.ifNoneMatch: tag, .origin: "https://a.example"])
      #expect(again.status == 304)
      #expect(again.bytes.isEmpty)
      #expect(again.headers[.accessControlAllowOrigin] == "https://a.example")
    }
  }

  @Test func `the client has no other file`() async throws {
    try await ServerFixture().routes { client in
      let answer = try await client.send("/_brume/client/container.js")
      #expect(answer.status == 404)
      #expect(answer.reason.contains("brume.js and brume.d.ts"))
    }
  }

  @Test func `a user's token may come in a header, and the next one comes back`() async throws {
    try await ServerFixture().routes { client in
      let account = try #require(client.fixture.ready.accounts.first { $0.name == "alice" })
      let answer = try await client.call(
        "users/caller", as: nil, headers: [Self.token: account.token])
      #expect(answer["userRecordName"]?.string == account.user.name, "\(answer.text)")
      #expect(answer.headers[Self.token] != nil)
      let wrong = try await client.call(
        "users/caller", as: nil, headers: [Self.token: "wrong"])
      #expect(wrong.code == "AUTHENTICATION_REQUIRED")
    }
  }
}
