// Servers on one database whose machines' clocks are two hours apart: one is an hour ahead, the other an hour behind.

import BrumeCore
import BrumeModel
import BrumeServer
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5))) struct SharedClockTests {
  private static let hour: Milliseconds = 3_600_000

  private static func off(by wrong: Milliseconds) -> BrumeCore.Host {
    let real = BrumeCore.Host.real
    return BrumeCore.Host(
      now: { real.now() + wrong }, uuid: real.uuid, randomBytes: real.randomBytes)
  }

  /// Runs the body with a server that is an hour ahead and one that is an hour behind.
  private static func servers(
    _ body: @Sendable @escaping (_ ahead: RouteClient, _ behind: RouteClient) async throws -> Void
  ) async throws {
    try await PostgresServer.with(["fsync=on"]) { postgres in
      let url = try postgres.emptySchema()
      func server(_ wrong: Milliseconds) async throws -> ServerFixture {
        try await ServerFixture(host: off(by: wrong), { $0.engine = .postgres(url) })
      }
      let (ahead, behind) = (try await server(hour), try await server(-hour))
      try await ahead.routes { ahead in
        try await behind.routes { behind in try await body(ahead, behind) }
      }
      for fixture in [ahead, behind] { try await fixture.server.store.close() }
    }
  }

  @Test
  func
    `a sign-in for half an hour at one is good at the other, and records get the database's time`()
    async throws
  {
    try await Self.servers { ahead, behind in
      let (user, place) = (behind.fixture.user("alice"), ServerFixture.containerEnvironment)
      let token = try await behind.fixture.server.engine.webAuthTokens.issue(
        for: user, in: place, keep: false)
      let credentials = Credentials(
        in: place, apiToken: behind.fixture.ready.apiToken, webAuthToken: token, requestID: "r1")
      let caller = try await ahead.fixture.server.engine.authentication.authenticate(credentials)
      #expect(caller.user == user)
      for (client, name) in [(ahead, "a"), (behind, "b")] {
        let answer = try await client.save(name)
        let record = try #require(answer["records"]?.array?.first, "\(answer.text)")
        let time = try #require(record["modified"]?["timestamp"]?.int)
        #expect(abs(time - BrumeCore.Host.real.now()) < Self.hour / 2)
      }
    }
  }

  @Test func `an upload at one is not swept by the other before a save uses it`() async throws {
    try await Self.servers { ahead, behind in
      let target = try await AssetRouteTests.uploadTarget(behind)
      let upload = try await behind.send(target, .post, AssetRouteTests.file)
      let value = try #require(upload["singleFile"], "\(upload.text)")
      #expect(try await ahead.fixture.server.engine.assetSweeper.sweep().uploads == 0)
      let saved = try await behind.save("one", ["photo": ["value": value]])
      #expect(saved["records"]?.array?.first?["fields"]?["photo"] != nil, "\(saved.text)")
    }
  }

  @Test func `the metrics say how far a machine's clock is from the database's`() async throws {
    let name = "brume_clock_difference_seconds"
    try await Self.servers { ahead, behind in
      for (client, hours) in [(ahead, 1.0), (behind, -1.0)] {
        let lines = try await client.send("/_brume/metrics").text.split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix(name + " ") })
        let seconds = try #require(Double(line.dropFirst(name.count + 1)))
        #expect(abs(seconds - hours * 3600) < 600)
      }
    }
    try await ServerFixture().routes { client in
      let text = try await client.send("/_brume/metrics").text
      #expect(!text.contains(name), "one server, one clock")
    }
  }
}
