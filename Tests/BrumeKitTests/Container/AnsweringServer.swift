import BrumeClient
import BrumeModel
import Synchronization

@testable import BrumeKit

/// Answers every call with what a function says, and remembers the calls.
final class AnsweringServer: Transport {
  private let calls = Mutex<[HTTPCall]>([])
  private let answer: @Sendable (HTTPCall) throws -> (status: Int, body: String)

  init(_ answer: @escaping @Sendable (HTTPCall) throws -> (status: Int, body: String)) {
    self.answer = answer
  }

  /// The paths behind the environment, without the query.
  var paths: [String] {
    calls.withLock { calls in
      calls.map { call in
        String(call.target.prefix { $0 != "?" })
          .replacing("/database/1/iCloud.a/development", with: "")
      }
    }
  }
  var bodies: [String] {
    calls.withLock { calls in calls.map { String(decoding: $0.body, as: UTF8.self) } }
  }

  func send(_ call: HTTPCall) async throws -> HTTPAnswer {
    calls.withLock { $0.append(call) }
    let (status, body) = try answer(call)
    return HTTPAnswer(status: status, body: Array(body.utf8))
  }

  func receive(
    _ call: HTTPCall, _ take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws -> HTTPAnswer? {
    calls.withLock { $0.append(call) }
    let (status, body) = try answer(call)
    if status != 200 { return HTTPAnswer(status: status, body: Array(body.utf8)) }
    try await take(Array(body.utf8)[...])
    // The stream stays open until the listener goes.
    while true { try await Task.sleep(for: .seconds(3600)) }
  }

  /// A container whose server this is.
  ///
  /// - Parameter pauses: called at the beginning of each pause, which then has no end.
  func container(
    userToken: String? = "token", pauses: (@Sendable () -> Void)? = nil
  ) -> CKContainer {
    var host = Session.Host()
    if let pauses {
      host.sleep = { _ in
        pauses()
        try await Task.sleep(for: .seconds(3600))
      }
    }
    let settings = Configuration(
      url: "http://server", in: ContainerEnvironment(ContainerID("iCloud.a"), .development),
      apiToken: "api",
      userToken: userToken, deviceID: DeviceID("phone"))
    return CKContainer(
      connection: Connection(Session(settings, transport: self, host: host)), identifier: "iCloud.a"
    )
  }
}
