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
  @Test(arguments: ["/_brume/admin/tokens", "//_brume/admin/tokens", "/_brume//admin/tokens"])
  func `operators' calls are for no other page, however many slashes lead to them`(
    path: String
  ) async throws {
    try await serving { client, _, target in
      let target = "\(path)?ckAPIToken=\(Self.token(target))"
      var headers = Self.page
      headers[.authorization] = "Bearer \(client.fixture.server.adminToken)"
      let answer = try await client.send(target, .get, nil, headers)
      #expect(answer.status == 200 && answer.headers[.accessControlAllowOrigin] == nil)
      let asked = try await client.send(target, .options, nil, Self.page)
      #expect(asked.status == 200 && asked.headers[.accessControlAllowOrigin] == nil)
    }
  }

  @Test func `nobody asks the store about a page's token where there is no endpoint`()
    async throws
  {
    try await serving { client, _, target in
      let nowhere = "/nowhere?ckAPIToken=\(Self.token(target))"
      let unknown = try await client.send(nowhere, .post, nil, Self.page)
      #expect(unknown.status == 404 && unknown.headers[.accessControlAllowOrigin] == nil)
      _ = try await client.send(target, .post, Array("{}".utf8))
      let known = try await client.send(nowhere, .post, nil, Self.page)
      #expect(known.headers[.accessControlAllowOrigin] == "https://app.example")
    }
  }

  @Test(arguments: [
    ("/nowhere", HTTPRequest.Method.get, 404), ("/_brume/signout", .delete, 405),
    ("/_brume/webpush/key?x=%", .get, 400),
  ])
  func `what is refused before anybody is known counts for its address`(
    path: String, method: HTTPRequest.Method, status: Int
  ) async throws {
    try await serving({
      $0.rates.anonymous = 2
      $0.limits.rateBurstSeconds = 1
    }) { client, _, _ in
      var statuses: [Int] = []
      for _ in 0..<3 { statuses.append(try await client.send(path, method).status) }
      #expect(statuses == [status, status, 429])
    }
  }

  @Test(arguments: ["null", "https://a.example, https://b.example", "HTTPS://A.example"])
  func `a page that no token can name is not shown a command that is refused`(
    origin: String
  ) async throws {
    try await serving { client, _, target in
      let made = try await client.admin(
        "tokens", ["name": "narrow", "origins": ["https://app.example"]])
      let token = try #require(made["token"]?.string)
      let path = target.prefix { $0 != "?" }
      let answer = try await client.send(
        "\(path)?ckAPIToken=\(token)", .post, Array("{}".utf8), [.origin: origin])
      #expect(answer.reason.contains("for every page: `brume token create NAME`"))
      #expect(!answer.reason.contains("--origin"))
    }
  }

  private static func token(_ target: String) -> Substring {
    target.split(separator: "=").last ?? ""
  }
}
