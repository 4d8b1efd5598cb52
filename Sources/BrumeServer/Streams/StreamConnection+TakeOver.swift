// How a stream gets its connection. A request that lasts for hours would keep its task, its buffers
// and the web framework's state for as long; ten thousand idle devices would cost ten thousand times
// that. So the stream moves into the connection, takes out what it does not need, and the request's
// task ends. The task then closes what it believes to be its own; the stream keeps that from happening.

import Hummingbird
import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

extension StreamConnection {
  /// Ends the request's task after its stream has taken the connection. Nobody gets to see it.
  struct TakenOver: Error {}

  /// Moves in and begins to serve. To be called when the head of the answer is written; throw
  /// `TakenOver` next.
  func takeOver() async throws {
    try await channel.eventLoop.submit {
      try self.moveIn()
      self.start()
    }.get()
  }

  /// Next to the socket: nothing that another handler does is needed any more.
  private func moveIn() throws {
    let pipeline = channel.pipeline.syncOperations
    let idle = [
      try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self),
      try pipeline.context(handlerType: HTTPResponseEncoder.self),
      try pipeline.context(handlerType: HTTP1ToHTTPServerCodec.self),
      try pipeline.context(handlerType: HTTPConnectionStateHandler.self),
    ]
    try pipeline.addHandler(self, position: .first)
    for context in idle { pipeline.removeHandler(context: context, promise: nil) }
    try? channel.syncOptions?.setOption(
      .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 64))
  }

  /// Writes a part of the answer, which is in chunks since the server says HTTP/1.1 and no length.
  /// The way through the web framework's handlers costs more than the rest of a push's work here.
  func write(_ part: ByteBuffer, promise: EventLoopPromise<Void>?) {
    guard let context else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    context.writeAndFlush(wrapOutboundOut(.byteBuffer(part)), promise: promise)
  }
}

extension StreamConnection: ChannelDuplexHandler {
  typealias InboundIn = Never
  typealias InboundOut = Never
  typealias OutboundIn = Never
  typealias OutboundOut = IOData

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    context.read()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    leave()
    self.context = nil
  }

  /// A client has nothing to say after its request.
  func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

  /// Asks for more here, because the request's task, which is asked otherwise, is no more.
  func channelReadComplete(context: ChannelHandlerContext) { context.read() }

  func channelInactive(context: ChannelHandlerContext) {
    leave()
    context.fireChannelInactive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case is ChannelShouldQuiesceEvent: finish()
    // Shows a client that has gone from one that only has nothing more to say.
    case ChannelEvent.inputClosed: breakSilence()
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if requestHasLeft { return context.close(mode: mode, promise: promise) }
    if mode == .all { requestHasLeft = true }
    promise?.succeed()
  }
}
