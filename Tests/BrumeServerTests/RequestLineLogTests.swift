// What the log says of a request, and what it must not say.

import BrumeTestKit
import HTTPTypes
import Logging
import Testing

struct RequestLineLogTests {
  private func lines(
    _ body: @escaping @Sendable (ServerFixture, RouteClient) async throws -> Void
  ) async throws -> [LogLines.Line] {
    let log = LogLines(from: .trace)
    let fixture = try await ServerFixture(logger: log.logger)
    try await fixture.routes { try await body(fixture, $0) }
    return log.all.filter { $0.text == "request" }
  }

  @Test func `a request has user, status, duration and ID at info, and no token`() async throws {
    let lines = try await lines { fixture, client in
      let target = "\(fixture.path("zones/list"))?\(fixture.credentials("alice"))"
      _ = try await client.send(target, .post, Array("{}".utf8))
    }
    let line = try #require(lines.first)
    #expect(lines.count == 1 && line.level == .info)
    #expect(line.metadata["response.status"] == "200" && line.metadata["request.method"] == "POST")
    #expect(line.metadata["user.id"]?.isEmpty == false && line.metadata["error.code"] == nil)
    #expect(line.metadata["request.microseconds"].flatMap { Int($0) } != nil)
    #expect(line.metadata["request.id"]?.count == 36)
    #expect(!line.metadata.values.contains { $0.contains("ckAPIToken") || $0.contains("?") })
  }

  @Test func `a path cannot bring anything that a terminal obeys`() async throws {
    let lines = try await lines { _, client in _ = try await client.send("/a\u{9b}2J\u{202e}b") }
    let path = try #require(lines.first?.metadata["request.path"])
    #expect(path.utf8.allSatisfy { (0x21...0x7e).contains($0) } && path.hasPrefix("/a"))
  }

  @Test func `a share's URL is not in the log: who has it may take part`() async throws {
    let lines = try await lines { _, client in
      for name in ["0abc", "0abc.0123456789", "0abc.0123456789/more"] {
        _ = try await client.send("/share/\(name)")
      }
    }
    let paths = lines.map { $0.metadata["request.path"] ?? "" }
    #expect(paths == Array(repeating: "/share/{name}", count: 3))
    #expect(!lines.contains { $0.metadata.values.contains { $0.contains("0abc") } })
  }

  @Test func `no other spelling of a share's path leads to one, so none has to be hidden`()
    async throws
  {
    _ = try await lines { _, client in
      for path in ["/%73hare/0abc", "/shar%65/0abc", "/SHARE/0abc", "/share%2f0abc"] {
        let answer = try await client.send(path)
        #expect(answer.status == 404 && answer.reason.contains("could not find handler"), "\(path)")
      }
    }
  }

  @Test func `a request that fails has its error's code`() async throws {
    let lines = try await lines { fixture, client in
      let target = "\(fixture.path("zones/list"))?\(fixture.credentials(nil))"
      _ = try await client.send(target, .post, Array("{}".utf8))
    }
    let line = try #require(lines.first)
    #expect(line.level == .info && line.metadata["user.id"] == nil)
    #expect(line.metadata["error.code"] == "AUTHENTICATION_REQUIRED")
  }

  @Test func `a health check that is well is seen at debug only`() async throws {
    let lines = try await lines { _, client in _ = try await client.send("/_brume/health/live") }
    #expect(lines.map(\.level) == [.debug])
  }
}
