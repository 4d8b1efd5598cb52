// HEAD, OPTIONS and methods that a path does not take (RFC 9110, 9.3).

import HTTPTypes
import Testing

struct MethodTests {
  @Test func `HEAD is answered as GET is, on every path whose GET only reads`() async throws {
    try await ServerFixture().routes { client in
      for path in ["/_brume/health/live", "/_brume/webpush/key", "/_brume/console/"] {
        let whole = try await client.send(path)
        let head = try await client.send(path, .head)
        #expect(whole.status == 200 && head.status == 200, "\(path)")
        #expect(head.bytes.isEmpty && head.headers[.contentLength] == "\(whole.bytes.count)")
        #expect(head.headers[.contentType] == whole.headers[.contentType])
      }
    }
  }

  @Test func `the answer to HEAD has no body when it is an error either`() async throws {
    try await ServerFixture().routes { client in
      for path in ["/nowhere", "/_brume/stream", "/_brume/signout"] {
        let head = try await client.send(path, .head)
        #expect(head.status >= 400 && head.bytes.isEmpty, "\(path)")
      }
    }
  }

  @Test(arguments: [
    ("/_brume/stream", "GET, OPTIONS"), ("/_brume/courier", "GET, OPTIONS"),
    ("/_brume/signin/callback", "GET, OPTIONS"), ("/_brume/health/ready", "GET, HEAD, OPTIONS"),
    ("/_brume/signout", "POST, OPTIONS"),
    ("/database/1/c/development/private/zones/list", "GET, POST, HEAD, OPTIONS"),
  ])
  func `a path says which methods it takes, and refuses the others`(
    path: String, allowed: String
  ) async throws {
    try await ServerFixture().routes { client in
      let options = try await client.send(path, .options)
      #expect(options.status == 200 && options.headers[.allow] == allowed)
      for method in [HTTPRequest.Method.delete, .patch, .trace] {
        let refused = try await client.send(path, method)
        #expect(refused.status == 405 && refused.headers[.allow] == allowed, "\(method)")
      }
    }
  }
}
