// From the table to Hummingbird's router. How a request is answered is `EndpointResponder.swift`.

import BrumeCore
import BrumeTracing
import HTTPTypes
package import Hummingbird

extension RouteTable {
  /// A router that leads to the handlers of a server.
  package static func router(for server: Composition) -> Router<RequestState> {
    let router = Router(context: RequestState.self)
    let settings = server.settings
    router.add(middleware: BareHeads())
    router.add(
      middleware: AccessLog(
        uuid: server.host.uuid, now: server.host.now, metrics: server.metrics,
        usage: server.usage, requests: server.requestLog, logger: server.logger))
    if server.spans.isOn { router.add(middleware: TraceRequests(spans: server.spans)) }
    router.add(
      middleware: CrossOrigin(
        isOpen: settings.isDevelopment, allowedOrigins: settings.allowedOrigins,
        limits: settings.limits, trustedProxies: settings.trustedProxies,
        authentication: server.engine.authentication))
    router.add(middleware: ErrorReply(health: server.health))
    let table = RouteTable(server)
    table.add(to: router, EndpointResponder(server))
    // Middleware that comes after the routes sees only what none of them takes.
    router.add(
      middleware: OtherMethods(
        table.endpoints, rates: server.rates, trustedProxies: settings.trustedProxies))
    return router
  }

  private func add(to router: Router<RequestState>, _ responder: EndpointResponder) {
    for endpoint in endpoints {
      let path = RouterPath(endpoint.path)
      for method in endpoint.answered {
        router.on(path, method: method) { request, state in
          try await responder.respond(endpoint, request, state)
        }
      }
    }
  }
}
