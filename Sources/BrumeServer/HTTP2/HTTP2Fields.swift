// Where requests and answers of HTTP/2 differ from those of HTTP/1.1, so that nothing behind has to know.

import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Stands between a stream's codec and what reads requests.
final class HTTP2Fields: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// They are about a connection, and make an answer malformed (RFC 9113, 8.2.2). Who closes the connection
  /// in HTTP/1.1 closes the stream here.
  private static let ofConnections: [HTTPField.Name] = [
    .connection, .transferEncoding, .upgrade, HTTPField.Name("Keep-Alive")!,
  ]

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
    // A Host may stand beside the authority if it says the same, or in its place (RFC 9113, 8.3.1).
    let hosts = head.headerFields[values: .secondHost]
    if hosts.count == 1, head.authority == nil || head.authority == hosts[0] {
      head.authority = hosts[0]
      head.headerFields[.secondHost] = nil
    }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .head(var head) = unwrapOutboundIn(data) else {
      return context.write(data, promise: promise)
    }
    for name in Self.ofConnections { head.headerFields[name] = nil }
    // A client says how large the table of a connection's fields may be, and the library keeps and searches as much.
    head.headerFields = HTTPFields(
      head.headerFields.map { field in
        var field = field
        field.indexingStrategy = .avoid
        return field
      })
    context.write(wrapOutboundOut(.head(head)), promise: promise)
  }
}

@available(*, unavailable)
extension HTTP2Fields: Sendable {}
