// A connection's own work (reading requests, writing answers) runs on its event loop.
// What asks the store leaves the loop: `Workers.swift`, by the policy of `RouteTable.swift`.

import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypesHTTP1
import Synchronization

/// HTTP/1.1 connections whose requests begin and end on their event loop.
struct LoopChannel: ServerChildChannel {
  let http: HTTP1Channel

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Accepted> {
    http.setup(channel: channel, logger: logger).flatMapThrowing { value in
      let accepted = Accepted(value)
      let pipeline = channel.pipeline.syncOperations
      try pipeline.handler(type: ConnectionGuard.self).work = accepted.work
      let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
      try pipeline.addHandler(OldHTTP(), position: .before(codec))
      return accepted
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

extension HTTPServerBuilder {
  /// As Hummingbird's own, with requests on their connection's loop.
  static func onLoops(_ configuration: HTTP1Channel.Configuration) -> HTTPServerBuilder {
    .init { LoopChannel(http: HTTP1Channel(responder: $0, configuration: configuration)) }
  }
}

/// A connection from when it was accepted.
///
/// One that nobody gets to serve, because the server ends in that moment, closes itself: NIO ends the
/// process for the asynchronous side of a channel that is only forgotten ("Deinited NIOAsyncWriter
/// without calling finish()").
final class Accepted: ServerChildChannelValue {
  let executor: LoopExecutor
  let work: RequestWork
  private let http: HTTP1Channel.Value
  private let isServed = Atomic(false)

  init(_ http: HTTP1Channel.Value) {
    self.http = http
    executor = LoopExecutor(loop: http.channel.eventLoop)
    work = RequestWork(on: executor)
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
