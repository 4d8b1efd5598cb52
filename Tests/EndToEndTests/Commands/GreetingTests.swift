// What a server says when it starts: who has access, what is typed next, and that development mode opens what others made.

import Foundation
import Testing

@Suite struct GreetingTests {
  private static let warning = "accounts that --dev did not make or that have a password"

  @Test func `a start says who has access, and what it says to type finds its folder`() async throws
  {
    try await Tool.withFolder { folder in
      var server = try await Tool.serve("--port", "0", "--data", folder)
      #expect(server.lines.contains { $0.contains("nobody has access until you give it") })
      let line = try #require(server.lines.first { $0.contains("brume user create NAME") })
      let words = line.trimmingCharacters(in: .whitespaces).dropFirst("brume".count)
      let typed = try await Tool.shell("\"$0\"\(words)")
      #expect(typed.status == 0, "\(typed.talk)")
      _ = await Tool.end(server.process)
      server = try await Tool.serve("--port", "0", "--data", folder)
      #expect(
        server.lines.contains { $0.contains("users: 1, API tokens: 0; more") }, "\(server.lines)")
      _ = await Tool.end(server.process)
    }
  }

  @Test func `a status without an API token says what makes one`() async throws {
    try await Tool.withFolder { folder in
      let server = try await Tool.serve("--port", "0", "--data", folder)
      let data = ["--data", folder]
      let without = try await Tool.run(["status", "--format", "env"] + data)
      without.expect(0, "brume token create NAME")
      #expect(without.output.hasPrefix("BRUME_URL=") && !without.output.contains("TOKEN"))
      #expect(try await Tool.run(["token", "create", "web"] + data).status == 0)
      let with = try await Tool.run(["status", "--format", "env"] + data)
      #expect(with.output.contains("BRUME_API_TOKEN=") && with.talk.isEmpty, "\(with.talk)")
      _ = await Tool.end(server.process)
    }
  }

  @Test func `development mode warns of a folder with accounts that it did not make`() async throws
  {
    try await Tool.withFolder { folder in
      let words = ["--dev", "--port", "0", "--data", folder]
      for _ in 1...2 {
        let own = try await Tool.serve(words)
        #expect(!own.lines.contains { $0.contains(Self.warning) }, "\(own.lines)")
        _ = await Tool.end(own.process)
      }
      let closed = try await Tool.serve("--port", "0", "--data", folder)
      #expect(try await Tool.run("user", "create", "carol", "--data", folder).status == 0)
      _ = await Tool.end(closed.process)
      let opened = try await Tool.serve(words)
      #expect(opened.lines.contains { $0.contains(Self.warning) }, "\(opened.lines)")
      _ = await Tool.end(opened.process)
      let (process, log) = try await Tool.serve(
        loggingUntil: "Brume serves", words + ["--log-format", "json"])
      #expect(log.contains(Self.warning), "\(log)")
      _ = await Tool.end(process)
    }
  }
}
