// /_brume/courier: the web's long poll. One notification an answer, which leaves the queue when the
// client polls again, or acknowledges it with `cursor`; the text `null` when nothing came, which
// CloudKit JS ignores (an empty body it counts as a failure).

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeWire
import HTTPTypes
import ServiceLifecycle

enum CourierRoute {
  static func poll(_ call: Call) async throws -> Reply {
    guard let token = call.query["tok"] else {
      throw BrumeError(
        .badRequest, "'tok' is missing: poll the address that tokens/create answered")
    }
    let server = call.server
    server.metrics.pollBegan()
    defer { server.metrics.pollEnded() }
    let courier = Courier(
      engine: server.engine, store: server.store, signals: server.signals,
      inFlight: server.inFlight, clock: PushClock(server.host))
    let text = call.query["cursor"]
    let position = try await StreamRoute.position(call, text)
    let cursor = text == nil ? nil : position
    let answer = try await cancelWhenGracefulShutdown {
      try await courier.next(
        token: token, cursor: cursor, waiting: .seconds(server.settings.timeouts.poll))
    }
    var reply = Reply.json(answer?.payload ?? Array("null".utf8))
    reply.headers[.cacheControl] = "no-store"
    if let answer {
      reply.headers[.pushCursor] = "\(server.engine.generation)-\(answer.position)"
      server.metrics.notificationsDelivered(1)
    }
    return reply
  }
}
