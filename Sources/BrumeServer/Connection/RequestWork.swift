// The work on a connection's request, as something that can be ended from outside: when its client has
// gone, and when its time is over. Who notices is `ConnectionGuard.swift`.

import BrumeModel
import Synchronization

/// What one connection is working on: one request at a time.
final class RequestWork: Sendable {
  enum End: Sendable {
    /// The connection is closed, or the stream reset.
    case clientGone
    /// The client will send nothing more, and most likely has gone.
    case clientSilent
    case outOfTime
  }

  /// Nobody reads the answer any more.
  struct ClientGone: Error {}

  private static func outOfTime(_ seconds: Int) -> RefusedRequest {
    RefusedRequest(
      error: BrumeError(
        .tryAgainLater,
        "the request took longer than \(seconds) seconds and was ended; ask for less at once, or "
          + "try again later", retryAfter: 5))
  }

  private struct State: Sendable {
    var cancel: (@Sendable () -> Void)?
    var hasDeadline = false
    /// Of the work that is under way.
    var end: End?
    /// Of the connection, so of all work that is still to come.
    var isGone = false
    var isSilent = false
    /// What the answer takes of memory.
    var answer: HeldBytes.Share?
  }

  /// The work of the connection that the running task serves; nil in the same process.
  @TaskLocal static var current: RequestWork?

  /// The connection's event loop.
  let executor: any TaskExecutor
  private let state = Mutex(State())

  init(on executor: any TaskExecutor) { self.executor = executor }

  /// Cancels what is worked on. It is the work that notices, and throws.
  func end(_ reason: End) {
    let cancel = state.withLock { state -> (@Sendable () -> Void)? in
      if reason == .clientGone { state.isGone = true }
      if reason == .clientSilent { state.isSilent = true }
      guard let cancel = state.cancel, state.end == nil,
        reason != .outOfTime || state.hasDeadline
      else { return nil }
      state.end = reason
      return cancel
    }
    cancel?()
  }

  /// What comes from now on is not begun: the answer that ends the connection is on its way.
  func beginNoMore() { state.withLock { $0.isGone = true } }

  /// The answer that is written next takes as much memory until it has left.
  func keep(_ answer: HeldBytes.Share) { state.withLock { $0.answer = answer } }

  /// What the answer that was written takes of memory, once.
  func takeAnswer() -> HeldBytes.Share? { state.withLock { $0.answer.take() } }

  /// Works on a request.
  ///
  /// - Parameters:
  ///   - deadline: the seconds after which `end(.outOfTime)` is called; nil if that does not concern this request.
  ///   - waits: whether it takes what happens while it waits, as a poll takes a push; nil: if it has no deadline.
  /// - Throws: `RefusedRequest` if that ended the work, `ClientGone` if the client's going did, or it had gone before; else
  ///   what the work throws.
  func run<Value: Sendable>(
    deadline: Int?, waits: Bool? = nil, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = begin(isLasting: deadline == nil, waits: waits ?? (deadline == nil), body)
    guard let task else { throw ClientGone() }
    let result = await withTaskCancellationHandler {
      await task.result
    } onCancel: {
      task.cancel()
    }
    let end = state.withLock { state in
      state.cancel = nil
      return state.end
    }
    guard case .failure(let error) = result else { return try result.get() }
    switch end {
    case .outOfTime: throw Self.outOfTime(deadline ?? 0)
    case .clientGone, .clientSilent: throw error is CancellationError ? ClientGone() : error
    case nil: throw error
    }
  }

  /// Nil: nobody waits for it. Whoever only closed their own side before gets what is answered at once, and nothing
  /// that waits: a poll would take the next push.
  private func begin<Value: Sendable>(
    isLasting: Bool, waits: Bool, _ body: @escaping @Sendable () async throws -> Value
  ) -> Task<Value, any Error>? {
    state.withLock { state in
      if state.isGone || state.isSilent && waits { return nil }
      let task = Task(executorPreference: executor) { try await body() }
      state.cancel = { task.cancel() }
      (state.hasDeadline, state.end) = (!isLasting, nil)
      return task
    }
  }
}
