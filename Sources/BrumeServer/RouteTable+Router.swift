// From the table to Hummingbird's router. How a request is answered is `EndpointResponder.swift`.

import BrumeCore
import BrumeModel
import BrumeTracing
import HTTPTypes
package import Hummingbird

extension RouteTable {
  /// Other methods that get a polite 405 on known paths.
  private static let methods: [HTTPRequest.Method] = [
    .get, .post, .put, .delete, .patch, .head, .trace,
  ]

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
        limits: settings.limits, store: server.store))
    router.add(middleware: ErrorReply(health: server.health))
    RouteTable(server).add(to: router, EndpointResponder(server))
    return router
  }

  private func add(to router: Router<RequestState>, _ responder: EndpointResponder) {
    var known: Set<String> = []
    for endpoint in endpoints {
      for method in endpoint.answered {
        router.on(RouterPath(endpoint.path), method: method) { request, state in
          try await responder.respond(endpoint, request, state)
        }
      }
      if known.insert(endpoint.path).inserted { addRefusals(of: endpoint, to: router) }
    }
  }

  /// `OPTIONS` says what a path takes; a method that it does not take gets 405 instead of 404.
  private func addRefusals(of endpoint: Endpoint, to router: Router<RequestState>) {
    let taken = endpoints.filter { $0.path == endpoint.path }.flatMap(\.answered)
    let allowed = (taken + [.options]).map(\.rawValue).joined(separator: ", ")
    router.on(RouterPath(endpoint.path), method: .options) { _, _ in
      Response(status: .ok, headers: [.allow: allowed, .contentLength: "0"])
    }
    for method in Self.methods where !taken.contains(method) {
      router.on(RouterPath(endpoint.path), method: method) { request, state in
        let error = BrumeError(
          .badRequest, "\(request.uri.path) takes \(allowed), not \(method.rawValue)")
        var response = ErrorReply.response(to: error, for: state)
        response.status = .methodNotAllowed
        response.headers[.allow] = allowed
        return response
      }
    }
  }
}
