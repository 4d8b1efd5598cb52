// A sign-in provider on this machine, which counts what is read of it and may be made to fail. Its tokens have
// signatures that nothing verifies: whether one proves anything is tested in IDTokenTests.

import BrumeModel
import BrumeWire
import Foundation
import Hummingbird
import HummingbirdTesting
import NIOCore
import Synchronization

final class FakeProvider: Sendable {
  struct Page {
    var reads = 0
    /// Bytes, filled up with spaces; nil: as many as it takes.
    var length: Int?
    var isSilent = false
    /// It begins an answer and never ends it.
    var isUnfinished = false
    var isMissing = false
  }
  let document = Mutex(Page())
  let keys = Mutex(Page())
  /// What it calls itself; nil: its address.
  let issuer = Mutex<String?>(nil)
  /// The key that its tokens name; nil: none.
  let key = Mutex<String?>("known")
  private let port = Mutex(0)
  /// Ends with the test.
  private let silence = AsyncStream<Never>.makeStream()

  private var address: String { "http://127.0.0.1:\(port.withLock { $0 })" }

  var settings: ProviderSettings {
    ProviderSettings(
      discoveryURL: "\(address)/.well-known/openid-configuration", clientID: "brume", name: "Fake")
  }

  /// Listens for as long as `body`.
  func run(_ body: @Sendable (FakeProvider) async throws -> Void) async throws {
    let router = Router()
    router.get("/.well-known/openid-configuration") { [self] _, _ in
      try await response(document, documentText)
    }
    router.get("/keys") { [self] _, _ in try await response(keys, Self.keysText) }
    router.post("/token") { [self] _, _ in tokenText }
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      logger: ServerFixture.silent)
    try await application.test(.live) { client in
      self.port.withLock { $0 = client.port ?? 0 }
      defer { silence.continuation.finish() }
      try await body(self)
    }
  }

  private func response(
    _ page: borrowing Mutex<Page>, _ text: String
  ) async throws -> Response {
    let now = page.withLock { page in
      page.reads += 1
      return page
    }
    if now.isSilent { for await _ in silence.stream {} }
    if now.isMissing { throw HTTPError(.serviceUnavailable) }
    let spaces = String(repeating: " ", count: max(0, (now.length ?? 0) - text.utf8.count))
    return Response(
      status: .ok,
      body: .init { [silence] writer in
        try await writer.write(ByteBuffer(string: text + spaces))
        if now.isUnfinished { for await _ in silence.stream {} }
        try await writer.finish(nil)
      })
  }

  private var documentText: String {
    """
    {"issuer": "\(issuer.withLock { $0 } ?? address)", "authorization_endpoint": "\(address)/authorize",
    "token_endpoint": "\(address)/token", "jwks_uri": "\(address)/keys"}
    """
  }

  private static let keysText: String = {
    let half = Data(repeating: 1, count: 32).base64EncodedString().replacing("=", with: "")
    return
      #"{"keys": [{"kty": "EC", "crv": "P-256", "kid": "known", "x": "\#(half)", "y": "\#(half)"}]}"#
  }()

  private var tokenText: String {
    let named = key.withLock { $0 }.map { #", "kid": "\#($0)""# } ?? ""
    let head = #"{"alg": "ES256"\#(named)}"#
    let claims = #"{"iss": "x", "sub": "x", "aud": "brume", "exp": 1, "iat": 1}"#
    let parts = [head, claims, "x"].map { text in
      Data(text.utf8).base64EncodedString().replacing("=", with: "")
        .replacing("+", with: "-").replacing("/", with: "_")
    }
    return #"{"id_token": "\#(parts.joined(separator: "."))"}"#
  }
}
