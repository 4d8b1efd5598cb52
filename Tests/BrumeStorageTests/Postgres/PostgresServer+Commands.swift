// A server that a test stops, kills and starts again.

import BrumeStorage
import BrumeTestKit
import Dispatch

extension PostgresServer {
  /// A server for `body` alone.
  static func with<Value>(
    _ settings: [String] = [], _ body: (PostgresServer) async throws -> Value
  ) async throws -> Value {
    let server = try PostgresServer(settings)
    let result = await Result { try await body(server) }
    // Or it would end with its last use, which stores on it do not see.
    return try withExtendedLifetime(server) { try result.get() }
  }

  enum Command {
    /// At once, without writing anything more.
    case stop
    /// All of its processes.
    case kill
    /// Again, on the same data and port, with more settings.
    case start([String] = [])
    /// Of its data, while it is stopped.
    case copy
    /// That copy in the place of its data, while it is stopped.
    case restore
    /// Answers the path of its log.
    case log

    fileprivate var text: String {
      switch self {
      case .start(let settings): (["start"] + settings).joined(separator: " ")
      default: "\(self)"
      }
    }
  }

  /// Waits for the server to have done it, on a thread that may wait.
  @discardableResult
  func perform(_ command: Command) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { [self] in
        continuation.resume(with: Result { try answer(to: command.text) })
      }
    }
  }
}
