// How a stream gets its connection. A request that lasts for hours would keep its task, its buffers
// and the web framework's state for as long; ten thousand idle devices would cost ten thousand times
// that. So the stream moves into the connection, takes out what it does not need, and the request's
// task ends. The task then closes what it believes to be its own; the stream keeps that from happening.

import Hummingbird
import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import NIOHTTPTypesHTTP2

/// A stream's handler in the pipeline of its connection. It is used on the connection's event loop only.
final class StreamHandler: ChannelDuplexHandler {
  /// Ours: bytes that wait in the connection from which on a stream reads its mailbox only when they have left, and
  /// below which it goes on.
  private static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 4096, high: 16_384)
  typealias InboundIn = Never
  typealias InboundOut = Never
  typealias OutboundIn = Never
  typealias OutboundOut = Never

  /// Ends the request's task after its stream has taken the connection. Nobody gets to see it.
  struct TakenOver: Error {}

  /// What the connection speaks.
  private(set) var framing = StreamFraming.chunks
  private var context: ChannelHandlerContext?
  private var stream: StreamConnection?
  /// Whether the request's task has let go of the connection.
  private var requestHasLeft = false

  /// Takes out of the pipeline what a stream does not need: nothing that a handler of HTTP does is needed any more.
  ///
  /// - Throws: what NIO throws if the pipeline is not that of a connection that is open.
  func moveIn(to channel: any NIOCore.Channel, for stream: StreamConnection) throws {
    let codec = try? channel.pipeline.syncOperations.context(
      handlerType: HTTP2FramePayloadToHTTPServerCodec.self)
    if let codec { try moveIntoStream(codec, channel) } else { try moveIntoConnection(channel) }
    self.stream = stream
  }

  /// The stream of HTTP/2 is this one's alone; the connection goes on for others.
  private func moveIntoStream(_ codec: ChannelHandlerContext, _ channel: any NIOCore.Channel) throws
  {
    let pipeline = channel.pipeline.syncOperations
    let fields = try pipeline.context(handlerType: HTTP2Fields.self)
    framing = .frames
    try pipeline.addHandler(self, position: .first)
    for context in [codec, fields] { pipeline.removeHandler(context: context, promise: nil) }
  }

  /// Next to the socket, or to TLS.
  private func moveIntoConnection(_ channel: any NIOCore.Channel) throws {
    let pipeline = channel.pipeline.syncOperations
    let idle = [
      try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self),
      try pipeline.context(handlerType: HTTPResponseEncoder.self),
      try pipeline.context(handlerType: HTTP1ToHTTPServerCodec.self),
      try pipeline.context(handlerType: HTTPConnectionStateHandler.self),
    ]
    let encoder = try pipeline.handler(type: HTTPResponseEncoder.self)
    try pipeline.addHandler(self, position: .before(encoder))
    for context in idle { pipeline.removeHandler(context: context, promise: nil) }
    try? channel.syncOptions?.setOption(
      .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 64))
    try? channel.syncOptions?.setOption(.writeBufferWaterMark, value: Self.waterMark)
  }

  /// Writes a part of the answer, in `framing`. The way through the web framework's handlers costs more than
  /// the rest of a push's work here.
  func write(_ part: NIOAny, promise: EventLoopPromise<Void>?) {
    guard let context else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    context.writeAndFlush(part, promise: promise)
  }

  /// Closes the connection, if the stream is still on it.
  func close() { context?.close(promise: nil) }

  // MARK: From the pipeline

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    context.read()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    stream?.leave()
    stream = nil
    self.context = nil
  }

  /// A client has nothing to say after its request.
  func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

  /// Asks for more here, because the request's task, which is asked otherwise, is no more.
  func channelReadComplete(context: ChannelHandlerContext) { context.read() }

  func channelInactive(context: ChannelHandlerContext) {
    stream?.leave()
    context.fireChannelInactive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case is ChannelShouldQuiesceEvent: stream?.finish()
    // This distinguishes a client that has gone from one that only has nothing more to say.
    case ChannelEvent.inputClosed: stream?.breakSilence()
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if requestHasLeft { return context.close(mode: mode, promise: promise) }
    if mode == .all { requestHasLeft = true }
    promise?.succeed()
  }
}
