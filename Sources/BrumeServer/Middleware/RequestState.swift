// What travels with one request through the middleware: its ID and its connection.

package import Hummingbird

package struct RequestState: RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// `X-Apple-Request-UUID`, an error's `uuid`, the log's `request.id` and the push's trace.
  package var requestID = ""

  package init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
  }

  /// A request that came through no connection.
  init(core: CoreRequestContextStorage) { coreContext = core }
}
