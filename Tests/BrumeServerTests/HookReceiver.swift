// A receiver of webhooks on this machine, which takes every call.

import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Synchronization

final class HookReceiver: Sendable {
  private let port = Mutex(0)
  private let announce: AsyncStream<String>.Continuation
  /// The bodies of calls, in the order in which they came.
  let calls: AsyncStream<String>

  init() { (calls, announce) = AsyncStream.makeStream() }

  var host: String { "127.0.0.1:\(port.withLock { $0 })" }

  /// Listens for as long as `body`.
  func run(_ body: @Sendable (HookReceiver) async throws -> Void) async throws {
    let router = Router()
    router.post("/in") { [announce] request, _ -> HTTPResponse.Status in
      let bytes = try await request.body.collect(upTo: 1 << 20)
      announce.yield(String(buffer: bytes))
      return .ok
    }
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      logger: ServerFixture.silent)
    try await application.test(.live) { client in
      self.port.withLock { $0 = client.port ?? 0 }
      try await body(self)
    }
  }

  /// Waits for a call whose body holds a text.
  func isCalled(about text: String) async -> Bool {
    for await call in calls where call.contains(text) { return true }
    return false
  }
}
