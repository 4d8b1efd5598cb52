// What travels with one request through the middleware: its ID and its connection.

package import Hummingbird
package import NIOCore

/// The other end of a connection; nil without one.
struct RequestPeer: Sendable {
  let address: SocketAddress?
}

/// The context that Hummingbird makes for each request.
package struct RequestState: RequestContext, Sendable {
  package var coreContext: CoreRequestContextStorage
  /// `X-Apple-Request-UUID`, an error's `uuid`, the log's `request.id` and the push's trace.
  package var requestID = ""
  /// Nil for a request that came through no connection.
  package let channel: (any NIOCore.Channel)?
  /// The other end of the connection.
  package let peer: SocketAddress?
  /// Ends the work on this request from outside; nil without a connection.
  let work = RequestWork.current
  /// What is learnt of the request on its way.
  let facts = RequestFacts()

  /// A request that came through a connection.
  package init(source: ApplicationRequestContextSource) {
    peer = source.channel.remoteAddress
    coreContext = .init(source: source)
    channel = source.channel
  }

  /// A request that came through no connection.
  init(core: CoreRequestContextStorage) {
    coreContext = core
    channel = nil
    peer = nil
  }
}
