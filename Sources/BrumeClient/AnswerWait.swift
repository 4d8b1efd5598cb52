// How long an answer may be waited for: until it begins, and then from each part of it to the next. Apple documents
// `timeoutIntervalForRequest` as such a time, and `timeoutIntervalForResource` as one for the whole, which is much longer: a
// large page on a slow line takes its time.

import NIOCore
import NIOPosix
import Synchronization

/// The longest wait for anything of an answer, and for all of it.
struct AnswerWait: Sendable {
  let time: TimeAmount
  let wholeTime: TimeAmount
  var now: @Sendable () -> NIODeadline = { .now() }
  /// Waits until so much time has passed, or its task is cancelled.
  var pass: @Sendable (TimeAmount) async -> Void = Self.pass

  /// When a part arrived last.
  final class Parts: Sendable {
    private let now: @Sendable () -> NIODeadline
    private let last: Mutex<NIODeadline>

    fileprivate init(_ now: @escaping @Sendable () -> NIODeadline) {
      self.now = now
      last = Mutex(now())
    }

    fileprivate var latest: NIODeadline { last.withLock { $0 } }

    /// Something arrived.
    func note() {
      let now = now()
      last.withLock { $0 = now }
    }
  }

  /// Runs `body`, which notes each part that arrives. Nil: nothing came for too long, or not all in time, and it was
  /// cancelled.
  func whole<Answer: Sendable>(
    _ body: @escaping @Sendable (Parts) async throws -> Answer
  ) async throws -> Answer? {
    let parts = Parts(now)
    return try await withThrowingTaskGroup(of: Answer?.self) { group in
      defer { group.cancelAll() }
      group.addTask(operation: { try await body(parts) })
      group.addTask(operation: {
        try await end(after: parts)
        return nil
      })
      return try await group.next() ?? nil
    }
  }

  /// Returns when no part has come for too long, or the whole should have.
  private func end(after parts: Parts) async throws {
    let end = now() + wholeTime
    while case let left = min(parts.latest + time, end) - now(), left > .zero {
      await pass(left)
      // That its caller gave up is for the call to report.
      try Task.checkCancellation()
    }
  }

  private static func pass(_ time: TimeAmount) async {
    let end = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: time) {}
    await withTaskCancellationHandler {
      _ = try? await end.futureResult.get()
    } onCancel: {
      end.cancel()
    }
  }
}

extension AnswerWait {
  /// What a call allows.
  init(_ call: HTTPCall) {
    self.init(time: call.timeout.timeAmount, wholeTime: call.wholeTimeout.timeAmount)
  }
}

/// The same for an answer whose parts are taken one by one. What their taker does with them takes time of the whole only.
struct PartWait: Sendable {
  private let wait: AnswerWait
  private let end: NIODeadline

  /// For a call that begins now.
  init(_ wait: AnswerWait) {
    self.wait = wait
    end = wait.now() + wait.wholeTime
  }

  fileprivate func next<Part: Sendable>(
    _ read: @escaping @Sendable () async throws -> Part
  ) async throws -> Part? {
    let left = end - wait.now()
    return try await AnswerWait(time: wait.time, wholeTime: left, now: wait.now, pass: wait.pass)
      .whole { _ in try await read() }
  }
}

extension PartWait? {
  /// The next part. Without a wait it may come when it likes.
  ///
  /// - Parameter late: what is thrown if it has not come in time, and was cancelled.
  func next<Part: Sendable>(
    orThrow late: some Error, _ read: @escaping @Sendable () async throws -> Part
  ) async throws -> Part {
    guard let self else { return try await read() }
    guard let part = try await self.next(read) else { throw late }
    return part
  }
}

extension Duration {
  fileprivate var timeAmount: TimeAmount {
    let (seconds, attoseconds) = components
    return .seconds(min(seconds, 1 << 32)) + .nanoseconds(attoseconds / 1_000_000_000)
  }
}
