// Gives each request its ID, measures it, and writes one structured line about it. The line never
// holds the query: tokens travel there.

import BrumeCore
import HTTPTypes
import Hummingbird
import Logging

struct AccessLog: RouterMiddleware {
  /// An upper-case UUID.
  let uuid: @Sendable () -> String
  let metrics: ServerMetrics
  let logger: Logger

  func handle(
    _ request: Request, context: RequestState,
    next: @concurrent (Request, RequestState) async throws -> Response
  ) async throws -> Response {
    var context = context
    context.requestID = uuid()
    let start = ContinuousClock.now
    var response = try await next(request, context)
    response.headers[.requestUUID] = context.requestID
    let elapsed = start.duration(to: .now)
    let route = context.endpointPath ?? "none"
    metrics.finished(request.method, route: route, status: response.status, in: elapsed)
    log(request, response, context, elapsed)
    return response
  }

  private func log(
    _ request: Request, _ response: Response, _ context: RequestState, _ elapsed: Duration
  ) {
    guard logger.logLevel <= .debug else { return }
    logger.debug(
      "request",
      metadata: [
        "request.id": "\(context.requestID)", "request.method": "\(request.method.rawValue)",
        "request.path": "\(request.uri.path)", "response.status": "\(response.status.code)",
        "request.microseconds": "\(elapsed.microseconds)",
      ])
  }
}

extension Duration {
  var microseconds: Int64 {
    components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
  }
}
