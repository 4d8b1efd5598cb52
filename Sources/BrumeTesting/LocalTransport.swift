// The way from a device to the server in the same process, and the device's account: which token its
// requests carry is decided here, so that somebody can sign out while the app runs.

import BrumeClient
import BrumeKit
import BrumeServer
import Foundation
import Synchronization

final class LocalTransport: Transport {
  private let server: InProcessServer
  private let token: Mutex<String?>

  init(_ server: InProcessServer, token: String?) {
    self.server = server
    self.token = Mutex(token)
  }

  /// The signed-in user's token; nil when nobody is.
  var account: String? {
    get { token.withLock { $0 } }
    set { token.withLock { $0 = newValue } }
  }

  func send(_ call: HTTPCall) async throws -> HTTPAnswer {
    try Task.checkCancellation()
    let answer = try await server.send(
      method: call.method, target: target(of: call), headers: Self.headers(of: call),
      body: call.body)
    return try Self.answer(answer)
  }

  func receive(
    _ call: HTTPCall, _ take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws -> HTTPAnswer? {
    let (pieces, sink) = AsyncStream<[UInt8]>.makeStream()
    let (server, target, headers) = (server, target(of: call), Self.headers(of: call))
    let method = call.method
    async let refusal = {
      defer { sink.finish() }
      return try await server.receive(method: method, target: target, headers: headers) {
        sink.yield(Array($0))
      }
    }()
    for await piece in pieces { try await take(piece[...]) }
    return try await refusal.map { try Self.answer($0) }
  }

  /// The request with the token of whoever is signed in now.
  private func target(of call: HTTPCall) -> String {
    let encoded = account?.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
    return call.target.replacingOccurrences(
      of: "ckWebAuthToken=account", with: encoded.map { "ckWebAuthToken=\($0)" } ?? "signedOut=1")
  }

  private static func headers(of call: HTTPCall) -> [InProcessServer.Header] {
    call.headers.map { ($0.name, $0.value) }
  }

  /// A broken connection has no answer: it becomes the error that the framework would report.
  private static func answer(_ answer: InProcessServer.Answer) throws -> HTTPAnswer {
    if let broken = answer.brokenConnection {
      var info: [String: Any] = [
        NSLocalizedDescriptionKey: "a fault of LocalServer (CKError \(broken.ckError))"
      ]
      info[CKErrorRetryAfterKey] = broken.retryAfter
      throw CKError(CKError.Code(rawValue: broken.ckError) ?? .internalError, userInfo: info)
    }
    return HTTPAnswer(
      status: answer.status, headers: answer.headers.map { HTTPCall.Header($0.name, $0.value) },
      body: answer.body)
  }
}
