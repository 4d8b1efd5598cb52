// The answer to HEAD is that to GET without its body, an error's too: on a connection that goes on, a body would
// be taken for the next answer.

import HTTPTypes
import Hummingbird

struct BareHeads: RouterMiddleware {
  func handle(
    _ request: Request, context: RequestState,
    next: @concurrent (Request, RequestState) async throws -> Response
  ) async throws -> Response {
    let response = try await next(request, context)
    return request.method == .head ? response.createHeadResponse() : response
  }
}
