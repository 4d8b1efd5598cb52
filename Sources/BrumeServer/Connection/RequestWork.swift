// The work on a connection's request, as something that can be ended from outside: when its client has
// gone, and when its time is over. Who notices is `ConnectionGuard.swift`.

import BrumeModel
import Synchronization

/// What one connection is working on: one request at a time.
final class RequestWork: Sendable {
  enum End: Sendable {
    case clientGone, outOfTime
  }

  /// Answers 503 and closes the connection.
  struct OutOfTime: Error {
    let seconds: Int
    var error: BrumeError {
      BrumeError(
        .tryAgainLater,
        "the request took longer than \(seconds) seconds and was ended; ask for less at once, or "
          + "try again later", retryAfter: 5)
    }
  }

  private struct State: Sendable {
    var cancel: (@Sendable () -> Void)?
    var hasDeadline = false
    var end: End?
  }

  /// The work of the connection that the running task serves; nil in the same process.
  @TaskLocal static var current: RequestWork?

  private let executor: any TaskExecutor
  private let state = Mutex(State())

  init(on executor: any TaskExecutor) { self.executor = executor }

  /// Cancels what is worked on. It is the work that notices, and throws.
  func end(_ reason: End) {
    let cancel = state.withLock { state -> (@Sendable () -> Void)? in
      guard let cancel = state.cancel, state.end == nil,
        reason == .clientGone || state.hasDeadline
      else { return nil }
      state.end = reason
      return cancel
    }
    cancel?()
  }

  /// Works on a request.
  ///
  /// - Parameter deadline: the seconds after which `end(.outOfTime)` is called; nil if that does not
  ///   concern this request.
  /// - Throws: `OutOfTime` if that ended the work; else what the work throws.
  func run<Value: Sendable>(
    deadline: Int?, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task(executorPreference: executor) { try await body() }
    state.withLock {
      $0 = State(cancel: { task.cancel() }, hasDeadline: deadline != nil)
    }
    let result = await withTaskCancellationHandler {
      await task.result
    } onCancel: {
      task.cancel()
    }
    let end = state.withLock { state in
      state.cancel = nil
      return state.end
    }
    if case .failure = result, end == .outOfTime { throw OutOfTime(seconds: deadline ?? 0) }
    return try result.get()
  }
}
