// Until it is known which protocol a connection speaks, nobody else watches it: a client that connects and
// begins no handshake, or never finishes it, would stay.

import NIOCore
import NIOTLS

/// Closes a connection whose handshake takes too long, or whose server ends before it is over. It leaves when
/// it is.
final class HandshakeLimit: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny
  private let limit: TimeAmount
  private var timer: Scheduled<Void>?

  init(_ limit: TimeAmount) { self.limit = limit }

  func handlerAdded(context: ChannelHandlerContext) {
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    timer = context.eventLoop.scheduleTask(in: limit) { bound.value.close(promise: nil) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case is ChannelShouldQuiesceEvent:
      context.close(promise: nil)
    case TLSUserEvent.handshakeCompleted:
      context.fireUserInboundEventTriggered(event)
      context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    default:
      context.fireUserInboundEventTriggered(event)
    }
  }
}

@available(*, unavailable)
extension HandshakeLimit: Sendable {}
