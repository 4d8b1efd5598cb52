// How many requests may be under way on one HTTP/2 connection, kept away from the client's connection
// pool, which stumbles when that changes while nothing is under way: it sets the timer of an idle
// connection a second time, and traps in a debug build. Apple does just that: it allows one request until
// it has accepted a signing key, then many; and any server may go down to none for a while.
//
// So the pool is informed of a new limit only while a request is under way, and never of none. What the other
// side does not allow meanwhile, NIO's HTTP/2 handler keeps back, one layer below.

import NIOCore
import NIOHTTP2

final class StreamLimit: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame
  typealias InboundOut = HTTP2Frame

  /// Ours: a connection on which nothing began in this time after it was allowed is given up. The pool
  /// was informed that none are allowed, and has to ask again.
  private static let gracePeriod = TimeAmount.milliseconds(250)

  private var underWay = 0
  private var hasBegun = false
  /// What the pool does not know yet.
  private var pendingLimit: Int?

  /// Puts itself between the protocol and the pool, on a connection whose first settings are known.
  static func add(to channel: any Channel) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      let protocolHandler = try pipeline.handler(type: NIOHTTP2Handler.self)
      try pipeline.addHandler(StreamLimit(), position: .after(protocolHandler))
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    guard case .settings(.settings(let settings)) = frame.payload else {
      return context.fireChannelRead(data)
    }
    forward(settings.filter { $0.parameter != .maxConcurrentStreams }, context)
    guard let limit = settings.last(where: { $0.parameter == .maxConcurrentStreams })?.value else {
      return
    }
    pendingLimit = max(1, limit)
    if limit > 0, !hasBegun { giveUpIfNothingBegins(context) }
    announceSoon(context)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    context.fireUserInboundEventTriggered(event)
    if event is StreamClosedEvent { underWay -= 1 }
    guard event is NIOHTTP2StreamCreatedEvent else { return }
    underWay += 1
    hasBegun = true
    announceSoon(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) { underWay = 0 }

  /// Not at once: the pool would begin more requests amid the beginning of one.
  private func announceSoon(_ context: ChannelHandlerContext) {
    if pendingLimit == nil || underWay == 0 { return }
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    context.eventLoop.assumeIsolated().execute { self.announce(bound.value) }
  }

  private func announce(_ context: ChannelHandlerContext) {
    guard underWay > 0, let limit = pendingLimit else { return }
    pendingLimit = nil
    forward([HTTP2Setting(parameter: .maxConcurrentStreams, value: limit)], context)
  }

  private func forward(_ settings: HTTP2Settings, _ context: ChannelHandlerContext) {
    let frame = HTTP2Frame(streamID: .rootStream, payload: .settings(.settings(settings)))
    context.fireChannelRead(wrapInboundOut(frame))
  }

  private func giveUpIfNothingBegins(_ context: ChannelHandlerContext) {
    let channel = context.channel
    context.eventLoop.assumeIsolated().scheduleTask(in: Self.gracePeriod) {
      if !self.hasBegun { channel.close(promise: nil) }
    }
  }
}
