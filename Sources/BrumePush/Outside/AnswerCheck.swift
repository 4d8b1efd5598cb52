// The check stops answers that are none before they reach the HTTP client, which traps when an answer ends that
// never had a status from 200 up: whoever gives us an address to call could end the server with one
// "000".

import NIOCore
import NIOHTTP1
import NIOHTTP2

final class AnswerCheck: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias InboundOut = HTTPClientResponsePart

  struct NoAnswer: Error, CustomStringConvertible {
    let description = "what came is no HTTP answer"
  }
  private enum State {
    case waiting, answered, broken
  }
  private var state = State.waiting

  /// On an HTTP/1 connection, between the parser and the client.
  static func add(to connection: any Channel) -> EventLoopFuture<Void> {
    add(to: connection, after: ByteToMessageHandler<HTTPResponseDecoder>.self)
  }

  /// On one request of an HTTP/2 connection.
  static func add(toStream stream: any Channel) -> EventLoopFuture<Void> {
    add(to: stream, after: HTTP2FramePayloadToHTTP1ClientCodec.self)
  }

  private static func add<Parser: ChannelHandler>(
    to channel: any Channel, after parser: Parser.Type
  ) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandler(
        AnswerCheck(), position: .after(pipeline.handler(type: Parser.self)))
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if state == .broken { return }
    guard let next = next(unwrapInboundIn(data)) else {
      state = .broken
      context.fireErrorCaught(NoAnswer())
      return context.close(promise: nil)
    }
    state = next
    context.fireChannelRead(data)
  }

  /// Nil if it may not come now.
  private func next(_ part: HTTPClientResponsePart) -> State? {
    switch part {
    case .head(let head):
      guard state == .waiting, (100...999).contains(head.status.code) else { return nil }
      // What comes before the answer; 101 would be one, though nobody asked for it.
      return head.status.code < 200 && head.status != .switchingProtocols ? .waiting : .answered
    case .body: return state == .answered ? .answered : nil
    case .end: return state == .answered ? .waiting : nil
    }
  }
}
