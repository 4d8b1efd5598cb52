// A connection's own work (reading requests, writing answers) runs on its event loop.
// What asks the store leaves the loop: `Workers.swift`, by the policy of `RouteTable.swift`.

import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypesHTTP1
import NIOHTTPTypesHTTP2
import Synchronization

/// Connections of HTTP/1.1, and streams of HTTP/2, whose requests begin and end on their event loop.
struct LoopChannel: ServerChildChannel {
  let http: HTTP1Channel
  /// Made for each connection: what counts it.
  let limitOfAddress: @Sendable () -> ConnectionLimitHandler
  /// Made for each connection, and for each stream of HTTP/2: what watches its requests.
  let makeGuard: @Sendable () -> ConnectionGuard

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Accepted> {
    channel.eventLoop.makeCompletedFuture {
      try begin(on: channel)
    }.flatMap { serveHTTP1(on: channel, logger) }
  }

  /// Ours: what is read of a connection before it is another's turn on its event loop. A client that sends without a pause
  /// what is small and costs much, such as frames and chunks of one byte, keeps the others waiting for as long as all that
  /// was read of it takes.
  static let readBytes = 16_384

  /// What holds for a connection whatever it speaks.
  ///
  /// - Throws: if it is closed already.
  func begin(on channel: any Channel) throws {
    let buffers = AdaptiveRecvByteBufferAllocator(
      minimum: 64, initial: 2048, maximum: Self.readBytes)
    try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
    try channel.syncOptions?.setOption(.recvAllocator, value: buffers)
    try channel.pipeline.syncOperations.addHandler(limitOfAddress())
  }

  /// Makes a connection one of HTTP/1.1.
  func serveHTTP1(on channel: any Channel, _ logger: Logger) -> EventLoopFuture<Accepted> {
    http.setup(channel: channel, logger: logger).flatMapThrowing { value in
      let pipeline = channel.pipeline.syncOperations
      let watch = makeGuard()
      let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
      try pipeline.addHandler(OldHTTP(), position: .before(codec))
      try pipeline.addHandler(AbsoluteTarget(), position: .before(codec))
      try pipeline.addHandler(watch, position: .after(codec))
      return Accepted(value, watchedBy: watch)
    }
  }

  /// Makes a stream of HTTP/2 one that is served like a connection.
  func serveStream(on channel: any Channel) -> EventLoopFuture<Accepted> {
    channel.eventLoop.makeCompletedFuture {
      let watch = makeGuard()
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandlers(HTTP2FramePayloadToHTTPServerCodec(), HTTP2Fields(), watch)
      let value = try HTTP1Channel.Value(wrappingChannelSynchronously: channel)
      return Accepted(value, watchedBy: watch)
    }
  }

  func handle(value accepted: Accepted, logger: Logger) async {
    await withTaskExecutorPreference(accepted.executor) {
      await RequestWork.$current.withValue(accepted.work) {
        await http.handle(value: accepted.serve(), logger: logger)
      }
    }
  }
}

/// A connection from when it was accepted, or a stream of HTTP/2 from when it was opened.
///
/// One that nobody gets to serve, because the server ends in that moment, closes itself: NIO ends the
/// process for the asynchronous side of a channel that is only forgotten ("Deinited NIOAsyncWriter
/// without calling finish()").
final class Accepted: ServerChildChannelValue {
  let executor: LoopExecutor
  let work: RequestWork
  private let http: HTTP1Channel.Value
  private let isServed = Atomic(false)

  /// - Parameter watch: informs the work when its client has gone, or its time is over.
  init(_ http: HTTP1Channel.Value, watchedBy watch: ConnectionGuard) {
    self.http = http
    executor = LoopExecutor(loop: http.channel.eventLoop)
    work = RequestWork(on: executor)
    watch.work = work
  }

  var channel: any Channel { http.channel }

  /// Hands the connection to whoever finishes it.
  func serve() -> HTTP1Channel.Value {
    isServed.store(true, ordering: .relaxed)
    return http
  }

  deinit {
    if isServed.load(ordering: .relaxed) { return }
    // Nobody waits for it: the connection's loop lives longer than its connections.
    let http = http
    Task(executorPreference: executor) { try? await http.executeThenClose { _, _ in } }
  }
}

/// Runs tasks on one event loop.
final class LoopExecutor: TaskExecutor {
  private let loop: any EventLoop

  init(loop: any EventLoop) { self.loop = loop }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    loop.execute { job.runSynchronously(on: executor) }
  }
}
