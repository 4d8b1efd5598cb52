// What pages of other origins get when the store fails, and how often their browsers may ask first.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeWire
import HTTPTypes
import Testing

@testable import BrumeServer

@Suite struct CrossOriginTests {
  private static let page: HTTPFields = [.origin: "https://app.example"]

  private func serving(
    _ adjust: @escaping @Sendable (inout Settings) -> Void = { _ in },
    _ body: @Sendable (RouteClient, FailingStore, _ target: String) async throws -> Void
  ) async throws {
    let (fixture, store) = try await ServerFixture.failing(host: CaseClock().host) {
      $0.isDevelopment = false
      adjust(&$0)
    }
    try await fixture.routes { client in
      let token = try #require(try await client.admin("tokens", ["name": "web"])["token"]?.string)
      try await body(
        client, store, "\(fixture.path("records/query", "public"))?ckAPIToken=\(token)")
    }
  }

  @Test func `an answer to a page says what is wrong when the store fails`() async throws {
    try await serving { client, store, target in
      store.fail(reads: true)
      let answer = try await client.send(target, .post, Array("{}".utf8), Self.page)
      #expect(answer.status == 503 && answer.code == "TRY_AGAIN_LATER", "\(answer.text)")
      #expect(answer.headers[.requestUUID] != nil)
    }
  }

  @Test func `a token that was used a moment ago is not read again for a page`() async throws {
    try await serving { client, store, target in
      _ = try await client.send(target, .post, Array("{}".utf8))
      store.fail(reads: true)
      let answer = try await client.send(target, .options, nil, Self.page)
      #expect(answer.headers[.accessControlAllowOrigin] == "https://app.example")
    }
  }

  @Test func `browsers of one address may ask as often as its users may call`() async throws {
    try await serving({
      $0.rates.address = 2
      $0.limits.rateBurstSeconds = 1
    }) { client, _, target in
      var answers: [Answer] = []
      for _ in 0..<3 { answers.append(try await client.send(target, .options, nil, Self.page)) }
      #expect(answers.map(\.status) == [200, 200, 429])
      #expect(answers[2].headers[.retryAfter] != nil)
      #expect(answers[2].headers[.accessControlAllowOrigin] == nil)
    }
  }
}
