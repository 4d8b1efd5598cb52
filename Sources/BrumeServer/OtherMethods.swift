// Methods that a path does not take: `OPTIONS` is answered with those that it takes, any other gets 405 instead of 404.

import BrumeModel
import HTTPTypes
import Hummingbird
import Synchronization

/// The last middleware before a request counts as one to an unknown path. Routes for all methods of all paths would be
/// most of what the start of a server costs, and hardly anybody asks for them: which paths there are is put together
/// when somebody does.
final class OtherMethods: RouterMiddleware {
  private let endpoints: [Endpoint]
  private let rates: RateLimits
  private let trustedProxies: TrustedProxies
  private let paths: Mutex<RouterResponder<RequestState>?> = Mutex(nil)

  init(_ endpoints: [Endpoint], rates: RateLimits, trustedProxies: TrustedProxies) {
    self.endpoints = endpoints
    self.rates = rates
    self.trustedProxies = trustedProxies
  }

  func handle(
    _ request: Request, context: RequestState,
    next: @concurrent (Request, RequestState) async throws -> Response
  ) async throws -> Response {
    let address = ClientAddress(request, context, trustedProxies)
    if request.method == .options {
      try rates.checkPreflight(at: address)
    } else {
      try rates.check(address)
    }
    let head = HTTPRequest(
      method: .options, scheme: request.head.scheme, authority: request.head.authority,
      path: request.head.path)
    let options = try await responder().respond(
      to: Request(head: head, body: request.body), context: context)
    guard let allowed = options.headers[.allow] else { return try await next(request, context) }
    return request.method == .options ? options : Self.refusal(request, context, allowed)
  }

  private static func refusal(
    _ request: Request, _ context: RequestState, _ allowed: String
  ) -> Response {
    let error = BrumeError(
      .badRequest,
      "\(ErrorReply.shown(request.uri.path)) takes \(allowed), not "
        + NameRules.shown(request.method.rawValue))
    var response = ErrorReply.response(to: error, for: context)
    response.status = .methodNotAllowed
    response.headers[.allow] = allowed
    return response
  }

  private func responder() -> RouterResponder<RequestState> {
    paths.withLock { paths in
      let responder = paths ?? router().buildResponder()
      paths = responder
      return responder
    }
  }

  /// Each path once, with what it answers to `OPTIONS`.
  private func router() -> Router<RequestState> {
    let router = Router(context: RequestState.self)
    for (path, endpoints) in Dictionary(grouping: endpoints, by: \.path) {
      let methods = endpoints.flatMap(\.answered) + [.options]
      let allowed = methods.map(\.rawValue).joined(separator: ", ")
      router.on(RouterPath(path), method: .options) { _, _ in
        Response(status: .ok, headers: [.allow: allowed, .contentLength: "0"])
      }
    }
    return router
  }
}
