// Requests run on the event loop that their connection lives on. A request is short, and each change
// of threads on its way costs more than most of what it does. What may take long leaves the loop:
// `offLoop`.

import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypesHTTP1

/// HTTP/1.1 connections whose requests stay on their event loop.
struct LoopChannel: ServerChildChannel {
  let http: HTTP1Channel

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
    http.setup(channel: channel, logger: logger).flatMapThrowing { value in
      let pipeline = channel.pipeline.syncOperations
      let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
      try pipeline.addHandler(OldHTTP(), position: .before(codec))
      return value
    }
  }

  func handle(value: HTTP1Channel.Value, logger: Logger) async {
    let executor = LoopExecutor(loop: value.channel.eventLoop)
    await withTaskExecutorPreference(executor) {
      await http.handle(value: value, logger: logger)
    }
  }
}

extension HTTPServerBuilder {
  /// As Hummingbird's own, with requests on their connection's loop.
  static func onLoops(_ configuration: HTTP1Channel.Configuration) -> HTTPServerBuilder {
    .init { LoopChannel(http: HTTP1Channel(responder: $0, configuration: configuration)) }
  }
}

/// Runs tasks on one event loop.
private final class LoopExecutor: TaskExecutor {
  private let loop: any EventLoop

  init(loop: any EventLoop) { self.loop = loop }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    loop.execute { job.runSynchronously(on: executor) }
  }
}

/// Runs what may take long on Swift's own threads, so that other connections of the loop go on.
func offLoop<Value: Sendable>(
  _ body: @concurrent @Sendable () async throws -> Value
) async throws -> Value {
  try await withTaskExecutorPreference(globalConcurrentExecutor) { try await body() }
}
