// A request's target that is a whole address, as clients write it to a proxy: the name in it counts, and what Host says
// does not (RFC 9112, 3.2.2). The codec takes the path out of it and keeps Host, so that whom the request is for, which
// page sent it and whose cookies it has would be judged by a name that it was not sent to.

import NIOCore
import NIOHTTP1

/// Stands before the codec, and has nothing behind see another target than a path. Streams of HTTP/2 have their own field
/// for the name.
final class AbsoluteTarget: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data), head.uri.utf8.first != UInt8(ascii: "/")
    else { return context.fireChannelRead(data) }
    Self.resolve(&head)
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  /// Puts the name into Host. None, or more than one, stays what it is: the request is refused for that.
  private static func resolve(_ head: inout HTTPRequestHead) {
    guard let scheme = head.uri.firstRange(of: "://") else { return }
    let rest = head.uri[scheme.upperBound...]
    let authority = rest.prefix { !"/?#".contains($0) }
    let path = rest[authority.endIndex...]
    if head.headers.count(where: { $0.name.lowercased() == "host" }) == 1 {
      head.headers.replaceOrAdd(name: "Host", value: String(authority))
    }
    head.uri = path.first == "/" ? String(path) : "/\(path)"
  }
}

@available(*, unavailable)
extension AbsoluteTarget: Sendable {}
