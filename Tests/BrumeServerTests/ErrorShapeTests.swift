// Errors as clients see them: the dictionary, the status, the ID.

import BrumeModel
import BrumeServer
import BrumeWire
import HTTPTypes
import Testing

@Suite struct ErrorShapeTests {
  @Test func `an unknown path is 404 with an error dictionary`() async throws {
    try await ServerFixture().routes { client in
      for path in ["/nothing/here", "/database/1/x/y", "/_brume/nope"] {
        let answer = try await client.send(path)
        #expect(answer.status == 404)
        #expect(answer.code == "NOT_FOUND")
        #expect(answer["uuid"]?.string == answer.headers[.init("X-Apple-Request-UUID")!])
      }
    }
  }

  @Test func `every answer carries a request ID of its own`() async throws {
    try await ServerFixture().routes { client in
      let first = try await client.send("/_brume/health/live")
      let second = try await client.send("/_brume/health/live")
      let name = HTTPField.Name("X-Apple-Request-UUID")!
      #expect(first.headers[name]?.count == 36)
      #expect(first.headers[name] != second.headers[name])
    }
  }

  @Test func `another method on a known path is 405 and says which it takes`() async throws {
    try await ServerFixture().routes { client in
      let answer = try await client.send(client.fixture.path("records/modify"), .get)
      #expect(answer.status == 405)
      #expect(answer.headers[.allow] == "POST, OPTIONS")
      #expect(answer.code == "BAD_REQUEST")
    }
  }

  @Test func `OPTIONS on a known path is 200`() async throws {
    try await ServerFixture().routes { client in
      let answer = try await client.send(client.fixture.path("zones/list"), .options)
      #expect(answer.status == 200)
      #expect(answer.headers[.allow] == "GET, POST, HEAD, OPTIONS")
    }
  }

  @Test(arguments: [
    "{", "[1,]", "{\"a\":1,\"a\":2}", "\u{FEFF}{}", "{\"operations\":1e400}", "{\"a\":\"\\ud800\"}",
    "{\"a\":\"\\u0000\"}", "null", "[]", "\"x\"", "{\"operations\":{}}", "{\"operations\":[1]}",
    String(repeating: "[", count: 100),
  ])
  func `I7 a body that is not right is BAD_REQUEST with a reason`(body: String) async throws {
    try await ServerFixture().routes { client in
      let query = client.fixture.credentials("alice")
      let answer = try await client.send(
        "\(client.fixture.path("records/modify"))?\(query)", .post, Array(body.utf8))
      #expect(answer.status == 400, "\(answer.text)")
      #expect(answer.code == "BAD_REQUEST")
      #expect(!answer.reason.isEmpty)
    }
  }

  @Test func `the content type of a body does not matter`() async throws {
    try await ServerFixture().routes { client in
      for type in ["text/plain", "application/octet-stream", "application/json; charset=utf-8"] {
        let answer = try await client.call("changes/database", headers: [.contentType: type])
        #expect(answer.status == 200)
      }
    }
  }

  @Test func `a body beyond the limit is 413 and ends the connection`() async throws {
    let fixture = try await ServerFixture { $0.limits.requestBodyBytes = 1000 }
    try await fixture.routes { client in
      let answer = try await client.send(
        "\(fixture.path("records/modify"))?\(fixture.credentials("alice"))", .post,
        Array(repeating: 0x20, count: 1001))
      #expect(answer.status == 413)
      #expect(answer.headers[.connection] == "close")
      #expect(answer.reason.contains("1000"))
    }
  }

  @Test(arguments: ["/database/1/nope/development", "/database/1/iCloud.x.y/testing"])
  func `a container or environment that cannot exist is named`(base: String) async throws {
    try await ServerFixture().routes { client in
      let answer = try await client.send(
        "\(base)/private/records/query?\(client.fixture.credentials("alice"))", .post,
        Array("{}".utf8))
      #expect((400..<500).contains(answer.status))
      #expect(answer.reason.contains("'nope'") || answer.reason.contains("'testing'"))
    }
  }
}
