// What caches are to know of an answer, and how long one is at most that shows what was asked.

import HTTPTypes
import Testing

@Suite struct AnswerHeaderTests {
  @Test func `no cache keeps what is somebody's, and what is everybody's it may`() async throws {
    try await ServerFixture().routes { client in
      let target = "\(client.fixture.path("zones/list"))?\(client.fixture.credentials("alice"))"
      let zones = try await client.send(target)
      #expect(zones.status == 200 && zones.headers[.cacheControl] == "no-store")
      #expect(try await client.admin("tokens").headers[.cacheControl] == "no-store")
      let key = try await client.send("/_brume/webpush/key")
      #expect(key.status == 200 && key.headers[.cacheControl] == nil)
    }
  }

  @Test(arguments: ["text/html", "*/*"])
  func `a cache knows all that an answer depends on`(accept: String) async throws {
    try await ServerFixture().routes { client in
      let answer = try await client.send("/", .get, nil, [.accept: accept])
      #expect(answer.headers[.vary] == "Accept, Origin")
      #expect(try await client.send("/_brume/health/live").headers[.vary] == "Origin")
    }
  }

  @Test(arguments: ["/database/1/LONG/development/private/zones/list", "/_brume/client/LONG"])
  func `an error shows the beginning of a long path`(path: String) async throws {
    try await ServerFixture().routes { client in
      let long = path.replacing("LONG", with: String(repeating: "x", count: 5000))
      for method in [HTTPRequest.Method.get, .delete] {
        let answer = try await client.send(long, method)
        #expect(answer.status >= 400 && answer.text.utf8.count < 1000, "\(method)")
      }
    }
  }
}
