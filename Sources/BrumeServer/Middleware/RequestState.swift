// What travels with one request through the middleware: its ID and its connection.

package import Hummingbird
package import NIOCore

package struct RequestState: RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// `X-Apple-Request-UUID`, an error's `uuid`, the log's `request.id` and the push's trace.
  package var requestID = ""
  package let channel: any Channel

  package init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }
}
