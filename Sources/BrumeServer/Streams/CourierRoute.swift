// /_brume/courier: the web's long poll. One notification an answer, taken from the queue by being
// answered; the text `null` when nothing came, which CloudKit JS ignores (an empty body it counts as
// a failure).

import BrumeModel
import BrumePush
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
      store: server.store, signals: server.signals, limits: server.settings.limits,
      host: server.host)
    let payload = try await cancelWhenGracefulShutdown {
      try await courier.next(token: token, waiting: .seconds(server.settings.timeouts.poll))
    }
    var reply = Reply.json(payload ?? Array("null".utf8))
    reply.headers[.cacheControl] = "no-store"
    if payload != nil { server.metrics.notificationsDelivered(1) }
    return reply
  }
}
