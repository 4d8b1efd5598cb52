// How many requests may be under way on one HTTP/2 connection, kept away from the client's connection
// pool, which stumbles when that changes while nothing is under way: it sets the timer of an idle
// connection a second time, and traps in a debug build. Apple does just that: it allows one request until
// it has accepted a signing key, then many; and any server may go down to none for a while.
//
// So the pool is told once, by the first request, of more than there ever are at once. The limit itself
// holds one layer below: NIO's HTTP/2 handler keeps back what the other side does not allow yet.

import NIOCore
import NIOHTTP2

final class StreamLimit: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame
  typealias InboundOut = HTTP2Frame

  /// Ours: far beyond what the delivery queue has under way.
  private static let told = 100_000
  /// Ours: a connection on which nothing began in this time after it was allowed is given up. The pool
  /// was told that none are allowed, and has to ask again.
  private static let patience = TimeAmount.milliseconds(250)

  private var underWay = 0
  private var hasBegun = false
  private var hasTold = false

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
    let others = settings.filter { $0.parameter != .maxConcurrentStreams }
    let limit = settings.last { $0.parameter == .maxConcurrentStreams }?.value ?? 0
    if limit > 0, !hasBegun { giveUpIfNothingBegins(context) }
    pass(others, context)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    context.fireUserInboundEventTriggered(event)
    if event is StreamClosedEvent { underWay -= 1 }
    guard event is NIOHTTP2StreamCreatedEvent else { return }
    underWay += 1
    hasBegun = true
    // Not at once: the pool would begin more requests amid the beginning of this one.
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    if !hasTold { context.eventLoop.assumeIsolated().execute { self.tell(bound.value) } }
  }

  func handlerRemoved(context: ChannelHandlerContext) { hasTold = true }

  private func tell(_ context: ChannelHandlerContext) {
    guard !hasTold, underWay > 0 else { return }
    hasTold = true
    pass([HTTP2Setting(parameter: .maxConcurrentStreams, value: Self.told)], context)
  }

  private func pass(_ settings: HTTP2Settings, _ context: ChannelHandlerContext) {
    let frame = HTTP2Frame(streamID: .rootStream, payload: .settings(.settings(settings)))
    context.fireChannelRead(wrapInboundOut(frame))
  }

  private func giveUpIfNothingBegins(_ context: ChannelHandlerContext) {
    let channel = context.channel
    context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) {
      if !self.hasBegun { channel.close(promise: nil) }
    }
  }
}
