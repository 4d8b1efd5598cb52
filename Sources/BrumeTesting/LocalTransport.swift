// The way from a device to the server in the same process, and the device's account: which token its
// requests carry is decided here, so that somebody can sign out while the app runs. And whether the app's
// process is there at all: what is left of one that was killed reaches nothing.

import BrumeClient
import BrumeKit
import BrumeServer
import Foundation
import Synchronization

final class LocalTransport: Transport {
  private typealias Sink = AsyncThrowingStream<[UInt8], any Error>.Continuation
  private struct State {
    var token: String?
    var hasEnded = false
    var lastSink = 0
    /// The answers that are being received.
    var sinks: [Int: Sink] = [:]
  }
  private let running: RunningServer
  private let state: Mutex<State>

  init(_ running: RunningServer, token: String?) {
    self.running = running
    state = Mutex(State(token: token))
  }

  /// The signed-in user's token; nil when nobody is.
  var account: String? {
    get { state.withLock { $0.token } }
    set { state.withLock { $0.token = newValue } }
  }

  /// The process of the device ends.
  func end() {
    let sinks = state.withLock { state in
      state.hasEnded = true
      return Array(state.sinks.values)
    }
    for sink in sinks { sink.finish(throwing: CancellationError()) }
  }

  private var hasEnded: Bool { state.withLock { $0.hasEnded } }

  func send(_ call: HTTPCall) async throws -> HTTPAnswer {
    try Task.checkCancellation()
    if hasEnded { throw Self.ended }
    let answer = try await running.inProcess.send(
      method: call.method, target: target(of: call), headers: Self.headers(of: call),
      body: call.body)
    if hasEnded { throw Self.ended }
    return try Self.answer(answer)
  }

  private static var ended: CKError {
    CKError(
      .operationCancelled,
      userInfo: [
        NSLocalizedDescriptionKey:
          "this process has ended; use the container that restartedDevice(_:) returned"
      ])
  }

  func receive(
    _ call: HTTPCall, _ take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws -> HTTPAnswer? {
    let (pieces, sink) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
    let number = add(sink)
    defer { state.withLock { $0.sinks[number] = nil } }
    let (server, target, headers) = (running.inProcess, target(of: call), Self.headers(of: call))
    let method = call.method
    async let refusal = {
      defer { sink.finish() }
      return try await server.receive(method: method, target: target, headers: headers) {
        sink.yield(Array($0))
      }
    }()
    for try await piece in pieces {
      if hasEnded { throw CancellationError() }
      try await take(piece[...])
    }
    return try await refusal.map { try Self.answer($0) }
  }

  /// Lets `end()` end what is being received; that of a process that has ended ends at once.
  private func add(_ sink: Sink) -> Int {
    let (number, hasEnded) = state.withLock { state in
      state.lastSink += 1
      state.sinks[state.lastSink] = sink
      return (state.lastSink, state.hasEnded)
    }
    if hasEnded { sink.finish(throwing: CancellationError()) }
    return number
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
