// One connection to a server: parts of requests go out, parts of answers are asked for one by one, so that a
// reader who is slow slows the sender.

import NIOCore
import NIOHTTP1
import NIOPosix

/// A connection for one request at a time.
final class PlainConnection: Sendable {
  private let channel: any Channel
  private let answers: NIOLoopBound<AnswerParts>

  /// Connects. Who cancels waits for no lookup and no handshake of the network.
  static func open(
    to address: PlainAddress, within timeout: TimeAmount, givenUpAfter stall: TimeAmount?
  ) async throws -> PlainConnection {
    let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connectTimeout(timeout)
      .channelOption(.autoRead, value: false)
      .channelInitializer {
        $0.eventLoop.makeCompletedFuture(withResultOf: initializing($0, stall))
      }
    let attempt =
      switch address.place {
      case .host(let name, let port): bootstrap.connect(host: name, port: port)
      case .unixSocket(let path): bootstrap.connect(unixDomainSocketPath: path)
      }
    let wish = attempt.eventLoop.makePromise(of: (any Channel).self)
    attempt.whenComplete { result in
      // Nobody wants it any more if the wish has failed by then; its owner would have to close it.
      wish.futureResult.whenFailure { _ in attempt.whenSuccess { $0.close(promise: nil) } }
      wish.completeWith(result)
    }
    let channel = try await withTaskCancellationHandler {
      try await wish.futureResult.get()
    } onCancel: {
      wish.fail(CancellationError())
    }
    return try await channel.eventLoop.submit { try PlainConnection(channel) }.get()
  }

  private static func initializing(
    _ channel: any Channel, _ stall: TimeAmount?
  ) -> () throws -> Void {
    {
      let pipeline = channel.pipeline.syncOperations
      if let stall { try pipeline.addHandler(IdleStateHandler(allTimeout: stall)) }
      try pipeline.addHTTPClientHandlers()
      try pipeline.addHandler(AnswerParts())
    }
  }

  /// On the channel's own thread.
  private init(_ channel: any Channel) throws {
    self.channel = channel
    let parts = try channel.pipeline.syncOperations.handler(type: AnswerParts.self)
    answers = NIOLoopBound(parts, eventLoop: channel.eventLoop)
  }

  /// Whether another request may be sent on it.
  var isOpen: Bool { channel.isActive }

  func close() { channel.close(promise: nil) }

  /// Closes it after a while of being idle, if nobody has taken it by then.
  ///
  /// - Parameter mayClose: answers whether it is still idle, and takes it away.
  /// - Returns: what is cancelled when somebody takes it.
  func close(
    whenIdleFor time: TimeAmount, _ mayClose: @escaping @Sendable () -> Bool
  ) -> Scheduled<Void> {
    channel.eventLoop.scheduleTask(in: time) { [channel] in
      if mayClose() { channel.close(promise: nil) }
    }
  }

  /// Who cancels ends the connection.
  func send(_ parts: HTTPClientRequestPart...) async throws {
    for part in parts.dropLast() { channel.write(part, promise: nil) }
    if let last = parts.last {
      try await closingIfCancelled { try await channel.writeAndFlush(last) }
    }
  }

  /// The next part of the answer; nil if the connection has ended. Who cancels ends it.
  func next() async throws -> HTTPClientResponsePart? {
    try await closingIfCancelled {
      try await channel.eventLoop.flatSubmit { [channel, answers] in
        let promise = channel.eventLoop.makePromise(of: HTTPClientResponsePart?.self)
        answers.value.ask(promise)
        return promise.futureResult
      }.get()
    }
  }

  /// The channel knows nothing of tasks: its end is what ends a wait.
  private func closingIfCancelled<Value>(
    _ body: () async throws -> Value
  ) async throws -> Value {
    try await withTaskCancellationHandler {
      try await body()
    } onCancel: {
      close()
    }
  }
}

/// Keeps what has arrived until somebody asks. What arrives in one piece is the most that it keeps.
private final class AnswerParts: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  private var arrived: CircularBuffer<HTTPClientResponsePart> = []
  private var waiter: EventLoopPromise<HTTPClientResponsePart?>?
  private var failure: (any Error)?
  private var hasEnded = false
  private var context: ChannelHandlerContext?

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }
  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelActive(context: ChannelHandlerContext) {
    // Also what the other side says before it is asked is noticed, its end above all.
    context.read()
    context.fireChannelActive()
  }

  func ask(_ promise: EventLoopPromise<HTTPClientResponsePart?>) {
    if let part = arrived.popFirst() {
      promise.succeed(part)
      if arrived.isEmpty { context?.read() }
    } else if let failure {
      promise.fail(failure)
    } else if hasEnded {
      promise.succeed(nil)
    } else {
      waiter = promise
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let part = unwrapInboundIn(data)
    guard let waiter else { return arrived.append(part) }
    self.waiter = nil
    waiter.succeed(part)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if arrived.isEmpty { context.read() }
    context.fireChannelReadComplete()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { end(error, context) }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is IdleStateHandler.IdleStateEvent { end(PlainFailure.stalled, context) }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    hasEnded = true
    waiter?.succeed(nil)
    waiter = nil
    context.fireChannelInactive()
  }

  private func end(_ error: any Error, _ context: ChannelHandlerContext) {
    if failure == nil { failure = error }
    waiter?.fail(error)
    waiter = nil
    context.close(promise: nil)
  }
}
