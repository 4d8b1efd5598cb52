// What a sign-in provider may answer, how long it is waited for, believed, and left alone: each bound at the last
// that may be and at the next, by a clock that is moved.

import BrumeModel
import BrumeTestKit
import NIOCore
import Synchronization
import Testing

@testable import BrumeCore
@testable import BrumeOpenID

@Suite(.timeLimit(.minutes(5))) struct ProviderBoundTests {
  private let clock = ManualClock()

  private func with(
    _ change: (inout Limits) -> Void = { _ in },
    _ body: @Sendable (FakeProvider, OpenIDProvider) async throws -> Void
  ) async throws {
    var limits = Limits.apple
    change(&limits)
    let (clock, fixed) = (clock, limits)
    try await FakeProvider().run { fake in
      try await body(
        fake,
        OpenIDProvider(
          settings: fake.settings, limits: fixed, host: .test(clock: clock, seed: 1)))
    }
  }

  private enum Outcome { case answered, silent, refused }

  /// Asks for the document.
  private static func asked(_ provider: OpenIDProvider) async -> Outcome {
    do {
      _ = try await provider.authorizationURL(
        AuthorizationRequest(state: "s", nonce: "n", challenge: "c"), redirectURI: "r")
      return .answered
    } catch {
      return (error as? BrumeError)?.code == .tryAgainLater ? .silent : .refused
    }
  }

  /// Comes back with a token whose signature is nobody's.
  private static func returns(_ provider: OpenIDProvider) async {
    let error = await #expect(throws: BrumeError.self) {
      try await provider.claims(code: "c", verifier: "v", nonce: "n", redirectURI: "r")
    }
    #expect(error?.code == .authenticationFailed)
  }

  @Test(arguments: [(0, true), (1, false)])
  func `an answer of a provider has so many bytes and no more`(
    more: Int, isTaken: Bool
  ) async throws {
    try await with({ $0.providerAnswerBytes = 1000 }) { fake, provider in
      fake.document.withLock { $0.length = 1000 + more }
      #expect(await Self.asked(provider) == (isTaken ? .answered : .silent))
    }
  }

  @Test(arguments: [(5000, true), (5001, false)])
  func `a provider that does not answer is waited for so long and no longer`(
    answersAfter: Int64, isInTime: Bool
  ) async throws {
    struct Late: Error {}
    var limits = Limits.apple
    limits.providerAnswerTime = 5000
    let settings = ProviderSettings(
      discoveryURL: "https://p.example/.well-known/openid-configuration", clientID: "brume",
      name: "Fake")
    let provider = try OpenIDProvider(
      settings: settings, limits: limits, host: .test(clock: clock, seed: 1)
    ) { _, time, _ in
      guard time >= .milliseconds(answersAfter) else { throw Late() }
      return (200, ByteBuffer(string: Self.document))
    }
    #expect(await Self.asked(provider) == (isInTime ? .answered : .silent))
  }

  private static let document = """
    {"issuer": "https://p.example", "authorization_endpoint": "https://p.example/authorize",
    "token_endpoint": "https://p.example/token", "jwks_uri": "https://p.example/keys"}
    """

  @Test func `the end of waiting is the network's, too`() async throws {
    try await with({ $0.providerAnswerTime = 50 }) { fake, provider in
      fake.document.withLock { $0.isSilent = true }
      #expect(await Self.asked(provider) == .silent)
    }
    try await with({ $0.providerAnswerTime = 50 }) { fake, provider in
      fake.document.withLock { $0.isUnfinished = true }
      #expect(await Self.asked(provider) == .silent)
    }
    try await with { _, provider in #expect(await Self.asked(provider) == .answered) }
  }

  @Test func `a provider that failed is left alone for so long and no longer`() async throws {
    let clock = clock
    try await with({ $0.providerPause = 5000 }) { fake, provider in
      fake.document.withLock { $0.isMissing = true }
      #expect(await Self.asked(provider) == .refused)
      fake.document.withLock { $0.isMissing = false }
      await Self.expectPause(of: fake, provider, clock, then: .answered)
    }
  }

  @Test func `a provider whose document is wrong is left alone for so long and no longer`()
    async throws
  {
    let clock = clock
    try await with({ $0.providerPause = 5000 }) { fake, provider in
      fake.issuer.withLock { $0 = "https://other.example" }
      #expect(await Self.asked(provider) == .refused)
      await Self.expectPause(of: fake, provider, clock, then: .refused)
    }
  }

  /// Within 5,000 ms after a failure nobody asks the provider, and whoever comes then does.
  private static func expectPause(
    of fake: FakeProvider, _ provider: OpenIDProvider, _ clock: ManualClock, then answer: Outcome
  ) async {
    clock.advance(by: 4999)
    #expect(await asked(provider) == .silent)
    #expect(fake.document.withLock(\.reads) == 1)
    clock.advance(by: 1)
    #expect(await asked(provider) == answer)
    #expect(fake.document.withLock(\.reads) == 2)
  }

  // Each call runs until it waits before the next begins, as all are on one actor.
  @MainActor @Test func `all who come while a provider's document is read wait for it`()
    async throws
  {
    let (reads, begun) = (Mutexed(0), Mutexed(0))
    let (opened, open) = AsyncStream<Void>.makeStream()
    let settings = ProviderSettings(
      discoveryURL: "https://p.example/.well-known/openid-configuration", clientID: "brume",
      name: "Fake")
    let provider = try OpenIDProvider(
      settings: settings, limits: .apple, host: .test(clock: clock, seed: 1)
    ) { _, _, _ in
      reads.change { $0 += 1 }
      for await _ in opened {}
      return (200, ByteBuffer(string: Self.document))
    }
    let both = (0..<2).map { _ in
      Task {
        begun.change { $0 += 1 }
        return try await provider.issuer()
      }
    }
    while begun.value < 2 { await Task.yield() }
    open.finish()
    for one in both { #expect(try await one.value == "https://p.example") }
    #expect(reads.value == 1)
  }

  @Test func `a provider's document and keys are believed for so long and no longer`() async throws
  {
    let clock = clock
    try await with({ $0.providerKeysLifetime = 3_600_000 }) { fake, provider in
      await Self.returns(provider)
      clock.advance(by: 3_599_999)
      await Self.returns(provider)
      #expect(fake.document.withLock(\.reads) == 1 && fake.keys.withLock(\.reads) == 1)
      clock.advance(by: 1)
      await Self.returns(provider)
      #expect(fake.document.withLock(\.reads) == 2 && fake.keys.withLock(\.reads) == 2)
    }
  }

  @Test func `what a clock that was ahead has noted holds nobody up when it is right again`()
    async throws
  {
    let (clock, ahead) = (clock, Milliseconds(10 * 86_400_000))
    try await with { fake, provider in
      clock.advance(by: ahead)
      fake.document.withLock { $0.isMissing = true }
      #expect(await Self.asked(provider) == .refused)
      clock.advance(by: -ahead)
      fake.document.withLock { $0.isMissing = false }
      #expect(await Self.asked(provider) == .answered)
      clock.advance(by: ahead)
      fake.key.withLock { $0 = "unknown" }
      await Self.returns(provider)
      let read = (fake.document.withLock(\.reads), fake.keys.withLock(\.reads))
      clock.advance(by: -ahead)
      await Self.returns(provider)
      #expect(fake.document.withLock(\.reads) == read.0 + 1)
      #expect(fake.keys.withLock(\.reads) == read.1 + 2, "for themselves, and for the unknown key")
    }
  }

  @Test func `a client that goes away while the provider is asked turns nobody else away`()
    async throws
  {
    struct Gone: Error {}
    let (asked, silence) = (AsyncStream<Void>.makeStream(), AsyncStream<Never>.makeStream())
    let isSilent = Mutexed(true)
    let settings = ProviderSettings(
      discoveryURL: "https://p.example/.well-known/openid-configuration", clientID: "brume",
      name: "Fake")
    let provider = try OpenIDProvider(
      settings: settings, limits: .apple, host: .test(clock: clock, seed: 1)
    ) { _, _, _ in
      guard isSilent.value else { return (200, ByteBuffer(string: Self.document)) }
      asked.continuation.finish()
      for await _ in silence.stream {}
      throw Gone()
    }
    let client = Task { try await provider.issuer() }
    for await _ in asked.stream {}
    client.cancel()
    await #expect(throws: CancellationError.self) { try await client.value }
    isSilent.value = false
    #expect(await Self.asked(provider) == .answered)
  }

  @Test(arguments: ["unknown", nil])
  func `keys are read again for an unknown one, and not for another within the pause`(
    name: String?
  ) async throws {
    let clock = clock
    try await with({ $0.providerKeysPause = 60_000 }) { fake, provider in
      fake.key.withLock { $0 = name }
      await Self.returns(provider)
      #expect(fake.keys.withLock(\.reads) == 2, "once for themselves, once for the unknown key")
      clock.advance(by: 59_999)
      await Self.returns(provider)
      #expect(fake.keys.withLock(\.reads) == 2)
      clock.advance(by: 1)
      await Self.returns(provider)
      #expect(fake.keys.withLock(\.reads) == 3)
    }
  }
}
