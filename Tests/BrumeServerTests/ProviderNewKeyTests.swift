// A provider has changed its keys, and several come back from it at once: by the old keys all of them would be
// refused, and their codes are used up.

import AsyncHTTPClient
import BrumeModel
import BrumeTestKit
import Crypto
import NIOCore
import Testing

@testable import BrumeCore
@testable import BrumeOpenID

// Each call runs until it waits before the next begins, as all are on one actor.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct ProviderNewKeyTests {
  private let clock = ManualClock()
  private let changing: ChangingProvider
  private let provider: OpenIDProvider

  init() throws {
    let changing = ChangingProvider(clock)
    self.changing = changing
    provider = try OpenIDProvider(
      settings: ProviderSettings(
        discoveryURL: "https://p.example/.well-known/openid-configuration", clientID: "brume",
        name: "Changing"),
      limits: .apple, host: .test(clock: clock, seed: 1)
    ) { request, _, _ in try await changing.answer(request.url) }
  }

  /// Somebody comes back: the code of the refusal, or nil.
  private func comesBack() -> Task<BrumeError.Code?, any Error> {
    Task {
      do {
        let claims = try await provider.claims(
          code: "c", verifier: "v", nonce: "n", redirectURI: "r")
        #expect(claims.subject == "s")
        return nil
      } catch let error as BrumeError {
        return error.code
      }
    }
  }

  /// Two who come back with tokens under the new key, while it is read for the first of them.
  private func twoComeBack(
    after time: Milliseconds = 0
  ) async throws -> [Task<BrumeError.Code?, any Error>] {
    #expect(try await comesBack().value == nil, "under the old key")
    clock.advance(by: time)
    changing.signsWith.value = "new"
    let first = comesBack()
    while changing.keyReads.value < 2 { await Task.yield() }
    let second = comesBack()
    while changing.tokens.value < 3 { await Task.yield() }
    return [first, second]
  }

  @Test func `all who come back while new keys are read are judged by these`() async throws {
    let both = try await twoComeBack()
    changing.open.finish()
    for one in both { #expect(try await one.value == nil) }
    #expect(changing.keyReads.value == 2, "one read for both")
  }

  @Test func `all who come back when the time of the keys is over wait for the same read`()
    async throws
  {
    let both = try await twoComeBack(after: Limits.apple.providerKeysLifetime)
    changing.open.finish()
    for one in both { #expect(try await one.value == nil) }
    #expect(changing.keyReads.value == 2, "one read for both")
  }

  @Test func `a client that goes away while new keys are read turns nobody else away`()
    async throws
  {
    let both = try await twoComeBack()
    both[0].cancel()
    await #expect(throws: CancellationError.self) { try await both[0].value }
    #expect(try await both[1].value == nil)
    #expect(try await comesBack().value == nil)
    #expect(changing.keyReads.value == 3)
  }

  @Test(arguments: [nil, 200, 500])
  func `who comes back while new keys cannot be read is asked to try again, for a short time`(
    status: Int?
  ) async throws {
    changing.failure.value = .some(status)
    let both = try await twoComeBack()
    changing.open.finish()
    for one in both { #expect(try await one.value == .tryAgainLater) }
    #expect(try await comesBack().value == .tryAgainLater)
    #expect(changing.keyReads.value == 2)
    clock.advance(by: Limits.apple.providerPause)
    #expect(try await comesBack().value == nil)
  }
}

/// A provider whose second answer with keys waits until it is let, and has a new one.
private final class ChangingProvider: Sendable {
  struct Broken: Error {}
  let keyReads = Mutexed(0)
  let tokens = Mutexed(0)
  let signsWith = Mutexed("old")
  /// What the second answer with keys is instead: a status, or no answer; nil: it is one.
  let failure = Mutexed<Int??>(nil)
  let open: AsyncStream<Void>.Continuation
  private let opened: AsyncStream<Void>
  private let clock: ManualClock
  private let keys = ["old": P256.Signing.PrivateKey(), "new": P256.Signing.PrivateKey()]

  init(_ clock: ManualClock) {
    self.clock = clock
    (opened, open) = AsyncStream.makeStream()
  }

  func answer(_ url: String) async throws -> OpenIDProvider.Answer {
    switch url {
    case "https://p.example/token":
      tokens.change { $0 += 1 }
      return (200, ByteBuffer(string: try token()))
    case "https://p.example/keys":
      keyReads.change { $0 += 1 }
      if keyReads.value == 2 {
        for await _ in opened {}
        try Task.checkCancellation()
        if let failure = failure.value {
          guard let failure else { throw Broken() }
          return (failure, ByteBuffer(string: "{}"))
        }
      }
      return (200, ByteBuffer(string: try published(keyReads.value == 1 ? "old" : "new")))
    default: return (200, ByteBuffer(string: Self.document))
    }
  }

  private static let document = """
    {"issuer": "https://p.example", "authorization_endpoint": "https://p.example/authorize",
    "token_endpoint": "https://p.example/token", "jwks_uri": "https://p.example/keys"}
    """

  private func published(_ name: String) throws -> String {
    let point = Array(try #require(keys[name]).publicKey.rawRepresentation)
    let (x, y) = (Base64URL.text(Array(point[..<32])), Base64URL.text(Array(point[32...])))
    return
      #"{"keys": [{"kty": "EC", "crv": "P-256", "kid": "\#(name)", "x": "\#(x)", "y": "\#(y)"}]}"#
  }

  private func token() throws -> String {
    let (name, now) = (signsWith.value, clock.now / 1000)
    let head = #"{"alg": "ES256", "kid": "\#(name)"}"#
    let claims =
      #"{"iss": "https://p.example", "sub": "s", "aud": "brume", "nonce": "n", "exp": \#(now + 300), "#
      + #""iat": \#(now)}"#
    let text = [head, claims].map { Base64URL.text(Array($0.utf8)) }.joined(separator: ".")
    let signature = try #require(keys[name]).signature(for: Array(text.utf8)).rawRepresentation
    return #"{"id_token": "\#(text).\#(Base64URL.text(Array(signature)))"}"#
  }
}
