// The way to a sign-in provider over HTTP: who sets out, by which cookie a browser is known again, and what a person sees
// when something fails.

import BrumeCore
import BrumeModel
import BrumeServer
import BrumeStorage
import BrumeTestKit
import BrumeWire
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5))) struct ProviderRouteTests {
  private static let planted = String(repeating: "a", count: 64)

  /// A server whose users sign in by a provider.
  private static func with(
    _ adjust: @escaping @Sendable (inout Settings) -> Void = { _ in },
    losing isLost: Mutexed<Bool> = Mutexed(false),
    _ body: @escaping @Sendable (RouteClient) async throws -> Void
  ) async throws {
    try await FakeProvider().run { fake in
      let fixture = try await ServerFixture(
        {
          $0.provider = fake.settings
          adjust(&$0)
        }, wrapping: { LostStore(inner: $0, isLost: isLost) })
      try await fixture.routes { try await body($0) }
    }
  }

  /// What the sign-in page is opened with.
  private static func state(_ client: RouteClient) async throws -> String {
    let answer = try await client.call("users/caller", nil, as: nil, in: "public", method: .get)
    let address = try #require(answer["redirectURL"]?.string, "\(answer.text)")
    return String(try #require(address.split(separator: "=").last))
  }

  private static func setOut(
    _ client: RouteClient, _ headers: HTTPFields = [:]
  ) async throws -> Answer {
    let state = try await state(client)
    return try await client.send("/_brume/signin/provider?state=\(state)", .get, nil, headers)
  }

  @Test(arguments: [
    ("Sec-Fetch-Site", "same-origin", 303), ("Sec-Fetch-Site", "cross-site", 403),
    ("Sec-Fetch-Site", "same-site", 403), ("Sec-Fetch-Site", "none", 403),
    ("Origin", "https://evil.example", 403), ("Accept", "text/html", 303),
  ])
  func `only the sign-in page itself leads to the provider`(
    name: String, value: String, status: Int
  ) async throws {
    try await Self.with { client in
      let field = try #require(HTTPField.Name(name))
      let answer = try await Self.setOut(client, [field: value])
      #expect(answer.status == status, "\(answer.text)")
      #expect((answer.headers[.setCookie] != nil) == (status == 303))
      #expect((answer.headers[.location]?.contains("/authorize?") == true) == (status == 303))
      if status == 403 { #expect(answer.text.contains("only the sign-in page itself")) }
    }
  }

  @Test func `a browser comes back by a cookie that nobody else has set`() async throws {
    try await Self.with { client in
      let planted = "brume-signin=\(Self.planted)"
      let left = try await Self.setOut(client, [.cookie: planted])
      let made = try #require(left.headers[.setCookie])
      #expect(made.hasPrefix("brume-signin=") && !made.contains(Self.planted), "\(made)")
      let state = try #require(left.headers[.location]?.firstMatch(of: /state=([^&]+)/)).output.1
      let back = "/_brume/signin/callback?error=access_denied&state=\(state)"
      let stranger = try await client.send(back, .get, nil, [.cookie: planted])
      #expect(stranger.status == 400 && stranger.text.contains("another browser"))
      let own = try await client.send(back, .get, nil, [.cookie: String(made.prefix { $0 != ";" })])
      #expect(own.status == 200 && own.text.contains("access_denied"), "\(own.text)")
    }
  }

  @Test func `over TLS the cookie has a name that browsers protect, and stays`() async throws {
    let secure: @Sendable (inout Settings) -> Void = { $0.baseURL = "https://brume.example" }
    try await Self.with(secure) { client in
      let first = try await Self.setOut(client, [.cookie: "brume-signin=\(Self.planted)"])
      let made = try #require(first.headers[.setCookie])
      #expect(made.hasPrefix("__Host-brume-signin=") && !made.contains(Self.planted), "\(made)")
      #expect(made.contains("; Path=/;") && made.hasSuffix("; Secure"))
      let kept = String(made.prefix { $0 != ";" })
      let second = try await Self.setOut(client, [.cookie: kept])
      #expect(second.headers[.setCookie]?.hasPrefix("\(kept);") == true, "another window")
    }
  }

  @Test func `a store that fails on the way to the provider is a page, 503, and ends the server`()
    async throws
  {
    let isLost = Mutexed(false)
    try await Self.with(losing: isLost) { client in
      let state = try await Self.state(client)
      // What is remembered needs no store.
      client.fixture.server.engine.accounts.changedElsewhere()
      isLost.value = true
      let answer = try await client.send("/_brume/signin/provider?state=\(state)")
      #expect(answer.status == 503 && answer.headers[.retryAfter] == "5", "\(answer.text)")
      #expect(answer.headers[.contentType]?.hasPrefix("text/html") == true)
      #expect(answer.text.contains("storage is not available"))
      #expect(client.fixture.server.health.failure == StoreError(.unavailable, "disk gone"))
    }
  }

  @Test func `whoever has to wait for the provider is answered for how long`() async throws {
    try await Self.with({ $0.limits.providerCalls = 0 }) { client in
      let answer = try await Self.setOut(client)
      #expect(answer.status == 429 && answer.headers[.retryAfter] == "1", "\(answer.text)")
      #expect(answer.text.contains("data-outcome"))
    }
  }
}

private struct LostStore: WrappingStore {
  let inner: any Store
  let isLost: Mutexed<Bool>

  func read<Value: Sendable>(
    _ plan: ReadPlan, _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
  ) async throws -> Value {
    if isLost.value { throw StoreError(.unavailable, "disk gone") }
    return try await inner.read(plan, body)
  }
}
