// Each request as a span, which goes on with the trace that its `traceparent` names. It is in the router only
// while traces are sent somewhere.

import BrumeTracing
import HTTPTypes
import Hummingbird

struct TraceRequests: RouterMiddleware {
  let spans: Spans

  func handle(
    _ request: Request, context: RequestState,
    next: @concurrent (Request, RequestState) async throws -> Response
  ) async throws -> Response {
    let traceparent = request.headers[.traceparent]
    return try await spans.request(context.requestID, traceparent: traceparent) { span in
      let response = try await next(request, context)
      let route = context.endpointPath ?? "none"
      span.rename("\(request.method.shownName) \(route)")
      span.add([
        "http.request.method": .text(request.method.shownName), "http.route": .text(route),
        "http.response.status_code": .number(response.status.code),
        "brume.request.id": .text(context.requestID),
      ])
      if response.status.code >= 500 { span.fail() }
      return response
    }
  }
}
