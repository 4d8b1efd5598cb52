// The guard carries out `HTTP2Rules` on a connection of HTTP/2: one timer, no decisions. It notifies the
// connection's streams when the server ends, since events of a connection do not reach them.

import NIOCore
import NIOHTTP2

/// Sits behind the frames of a connection.
final class HTTP2Guard: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame
  typealias OutboundOut = HTTP2Frame

  private let start = NIODeadline.now()
  private var rules: HTTP2Rules
  private var timer: Scheduled<Void>?
  private var timerDue: HTTP2Rules.Instant?
  private var context: ChannelHandlerContext?
  private var streams: [HTTP2StreamID: any Channel] = [:]
  private var lastStream = HTTP2StreamID.rootStream
  /// Whether what was given up last is a stream. The connection is given up with a frame of its own, which comes before
  /// the error too; frames of other kinds come between.
  private var hasJustReset = false

  init(limits: HTTP2Rules.Limits) { rules = HTTP2Rules(limits: limits, openedAt: 0) }

  private var now: HTTP2Rules.Instant { (NIODeadline.now() - start).nanoseconds / 1_000_000 }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    schedule()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer?.cancel()
    self.context = nil
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  /// What the other end did is against the protocol, or too much of something. It has been sent the error: if that ends
  /// one stream, the others go on (RFC 9113, 5.4.2).
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    let endsStream = hasJustReset && error is any NIOHTTP2Error
    hasJustReset = false
    if !endsStream { context.close(promise: nil) }
  }

  fileprivate func wrote(_ frame: HTTP2Frame) {
    switch frame.payload {
    case .rstStream: hasJustReset = true
    case .goAway: hasJustReset = false
    default: break
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case is ChannelShouldQuiesceEvent:
      carryOut(rules.shutDown(at: now))
      for stream in streams.values {
        stream.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
      }
    case ChannelEvent.inputClosed:
      // Without the other half there is no HTTP/2: nothing could be acknowledged.
      context.close(promise: nil)
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    rules.writabilityChanged(isWritable: context.channel.isWritable, at: now)
    schedule()
    context.fireChannelWritabilityChanged()
  }

  fileprivate func opened(_ id: HTTP2StreamID, _ stream: any Channel) {
    rules.streamOpened()
    streams[id] = stream
    lastStream = max(lastStream, id)
  }

  fileprivate func closed(_ id: HTTP2StreamID) {
    guard streams.removeValue(forKey: id) != nil else { return }
    rules.streamClosed(at: now)
    schedule()
  }

  private func carryOut(_ action: HTTP2Rules.Action) {
    switch action {
    case .nothing: break
    case .leave: leave()
    case .close: context?.close(promise: nil)
    }
    schedule()
  }

  /// Requests beyond the last one that is known are not worked on, and clients send them again elsewhere.
  private func leave() {
    let farewell = HTTP2Frame(
      streamID: .rootStream,
      payload: .goAway(lastStreamID: lastStream, errorCode: .noError, opaqueData: nil))
    context?.writeAndFlush(wrapOutboundOut(farewell), promise: nil)
  }

  /// Keeps one timer that is never later than the next due time.
  private func schedule() {
    guard let context, let due = rules.wakeAt else { return }
    if let timerDue, timerDue <= due { return }
    timer?.cancel()
    timerDue = due
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    timer = context.eventLoop.scheduleTask(deadline: start + .milliseconds(due)) {
      bound.value.timeReached()
    }
  }

  private func timeReached() {
    (timer, timerDue) = (nil, nil)
    carryOut(rules.timeReached(now))
  }
}

@available(*, unavailable)
extension HTTP2Guard: Sendable {}

/// Informs the guard of its connection's streams and frames. The library calls it on the connection's event loop.
struct HTTP2Streams: NIOHTTP2StreamDelegate, NIOHTTP2FrameDelegate {
  private let connection: NIOLoopBound<HTTP2Guard>

  init(of connection: HTTP2Guard, on loop: any EventLoop) {
    self.connection = NIOLoopBound(connection, eventLoop: loop)
  }

  func streamCreated(_ id: HTTP2StreamID, channel: any Channel) {
    connection.value.opened(id, channel)
  }

  func streamClosed(_ id: HTTP2StreamID, channel: any Channel) { connection.value.closed(id) }

  func wroteFrame(_ frame: HTTP2Frame) { connection.value.wrote(frame) }
}
