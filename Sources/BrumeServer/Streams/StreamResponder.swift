// What a request needs of memory its task keeps until it ends, and a stream's request lasts for hours.
// So a stream's answer is prepared in a task of its own, which ends before the stream begins: an idle
// device costs a third.

import Hummingbird

/// Hands on to another responder.
struct StreamResponder<Inner: HTTPResponder>: HTTPResponder where Inner.Context: Sendable {
  let inner: Inner

  @Sendable func respond(to request: Request, context: Inner.Context) async throws -> Response {
    guard request.head.path?.hasPrefix(StreamRoute.path) == true else {
      return try await inner.respond(to: request, context: context)
    }
    async let response = inner.respond(to: request, context: context)
    return try await response
  }
}
