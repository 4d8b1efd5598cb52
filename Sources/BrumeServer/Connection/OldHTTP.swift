// HTTP/1.0, which load balancers' health checks still speak: it needs no Host (RFC 9112, 3.2), and the
// connection ends with the answer (9.3); what it expects is passed over (RFC 9110, 10.1.1). Behind the codec nothing distinguishes the versions.

import NIOCore
import NIOHTTP1

/// Stands before the codec until a connection turns out to speak HTTP/1.1, which is nearly at once.
final class OldHTTP: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data) else {
      return context.fireChannelRead(data)
    }
    guard head.version == .http1_0 else {
      context.fireChannelRead(data)
      return context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }
    if !head.headers.contains(name: "Host") { head.headers.add(name: "Host", value: "localhost") }
    head.headers.remove(name: "Expect")
    head.headers.replaceOrAdd(name: "Connection", value: "close")
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}

@available(*, unavailable)
extension OldHTTP: Sendable {}
