import BrumeModel
import Foundation
import Synchronization

@testable import BrumeClient

/// Answers as the test says, and remembers what was asked.
final class ScriptedTransport: Transport {
  enum Turn: Sendable {
    case answer(Int, String, [HTTPCall.Header] = [])
    case failure(CallFailure)
    /// A stream with these pieces, which then ends, or breaks.
    case stream([String], breaks: Bool = false)
  }
  private let state: Mutex<(turns: [Turn], calls: [HTTPCall])>

  init(_ turns: [Turn]) { state = Mutex((turns, [])) }

  var calls: [HTTPCall] { state.withLock { $0.calls } }

  private func next(_ call: HTTPCall) throws -> Turn {
    let turn = state.withLock { state -> Turn? in
      state.calls.append(call)
      return state.turns.isEmpty ? nil : state.turns.removeFirst()
    }
    guard let turn else { throw CancellationError() }
    return turn
  }

  func send(_ call: HTTPCall) async throws -> HTTPAnswer {
    switch try next(call) {
    case .answer(let status, let body, let headers):
      return HTTPAnswer(status: status, headers: headers, body: Array(body.utf8))
    case .failure(let failure): throw failure
    case .stream: throw CallFailure.malformedAnswer("the script has a stream here")
    }
  }

  func receive(
    _ call: HTTPCall, _ take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws -> HTTPAnswer? {
    switch try next(call) {
    case .answer(let status, let body, let headers):
      return HTTPAnswer(status: status, headers: headers, body: Array(body.utf8))
    case .failure(let failure): throw failure
    case .stream(let pieces, let breaks):
      for piece in pieces { try await take(Array(piece.utf8)[...]) }
      if breaks { throw CallFailure.responseLost("broken") }
      return nil
    }
  }

  func download(
    _ call: HTTPCall, _ take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws -> HTTPAnswer? {
    try await receive(call, take)
  }
}

extension Session {
  /// A session whose time, chance and transport are the test's.
  static func scripted(
    _ transport: ScriptedTransport, _ change: (inout Configuration) -> Void = { _ in },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in }
  ) -> Session {
    var settings = Configuration(
      url: "http://server", in: ContainerEnvironment(ContainerID("iCloud.a"), .development),
      apiToken: "api",
      userToken: "a+b/c=", deviceID: DeviceID("phone"))
    change(&settings)
    return Session(
      settings, transport: transport,
      host: Session.Host(
        now: { .init(timeIntervalSince1970: 1_795_213_861) }, uuid: { "NEW-ID" }, chance: { 1 },
        sleep: sleep))
  }
}
