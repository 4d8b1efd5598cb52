// What travels with one request through the middleware: its ID and its connection.

package import Hummingbird
package import NIOCore

package struct RequestState: RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// `X-Apple-Request-UUID`, an error's `uuid`, the log's `request.id` and the push's trace.
  package var requestID = ""

  /// The other end of the connection.
  package let peer: SocketAddress?

  package init(source: ApplicationRequestContextSource) {
    peer = source.channel.remoteAddress
    coreContext = .init(source: source)
  }
}
