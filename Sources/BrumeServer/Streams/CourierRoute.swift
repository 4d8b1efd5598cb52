// /_brume/courier: the web's long poll. One notification an answer, which leaves the queue when the
// client polls again, or acknowledges it with `cursor`; the text `null` when nothing came, which
// CloudKit JS ignores (an empty body it counts as a failure).

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeWire
import HTTPTypes
import ServiceLifecycle

struct CourierRoute: Sendable {
  let courier: Courier
  let cursors: MailboxCursors
  let places: StreamPlaces
  let metrics: ServerMetrics
  /// How long a poll waits for a notification, in seconds.
  let pollSeconds: Int
  /// False: the server's clock is moved by hand, and a poll ends by the client's.
  let timePasses: Bool

  func poll(_ call: Call) async throws -> Reply {
    guard let token = call.query["tok"] else {
      throw BrumeError(
        .badRequest, "'tok' is missing: poll the address that tokens/create answered")
    }
    metrics.pollBegan()
    defer { metrics.pollEnded() }
    let text = call.query["cursor"]
    let cursor = if let text { try await cursors.cursor(text) } else { nil as Courier.Cursor? }
    let answer = try await cancelWhenGracefulShutdown {
      try await inTime {
        try await courier.next(token: token, cursor: cursor, waiting: .seconds(pollSeconds)) {
          (user) throws(BrumeError) in try places.enter(user, at: call.address.name).place
        }
      }
    }
    var reply = Reply.json(answer?.payload ?? Array("null".utf8))
    reply.headers[.cacheControl] = "no-store"
    if let answer {
      reply.headers[.pushCursor] = cursors.text(answer.cursor)
      metrics.notificationsDelivered(1)
    }
    return reply
  }

  /// The same, but no longer than a client waits. What was found by then is answered: the next poll says that it
  /// arrived.
  private func inTime(
    _ poll: @escaping @Sendable () async throws -> Courier.Answer?
  ) async throws -> Courier.Answer? {
    if timePasses { return try await poll() }
    return try await withThrowingTaskGroup(
      of: (isOver: Bool, answer: Courier.Answer?).self
    ) { group in
      group.addTask(operation: { (false, try await poll()) })
      group.addTask(operation: { [pollSeconds] in
        try await Task.sleep(for: .seconds(pollSeconds))
        return (true, nil)
      })
      guard let first = try await group.next() else { return nil }
      group.cancelAll()
      if !first.isOver { return first.answer }
      do {
        return try await group.next()?.answer ?? nil
      } catch is CancellationError where !Task.isCancelled {
        return nil
      }
    }
  }
}
