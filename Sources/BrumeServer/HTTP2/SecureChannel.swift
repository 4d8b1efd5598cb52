// Connections by TLS. Client and server agree in the handshake on HTTP/2 or HTTP/1.1 (ALPN). A connection of
// HTTP/1.1 goes on as one without TLS does; of one of HTTP/2 each stream is served as a connection is.

import BrumeModel
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP2
import NIOHTTPTypesHTTP2
import NIOSSL
import Synchronization

/// Takes connections by TLS.
struct SecureChannel: ServerChildChannel {
  typealias Negotiated = NIONegotiatedHTTPVersion<Accepted, AcceptedHTTP2>

  /// A connection whose protocol is not known yet.
  struct Value: ServerChildChannelValue {
    let negotiated: EventLoopFuture<Negotiated>
    let channel: any Channel
  }

  let requests: LoopChannel
  let identities: TLSIdentities
  let limits: HTTP2Rules.Limits
  let frames: NIOHTTP2Handler.Configuration

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      try requests.begin(on: channel)
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandler(NIOSSLServerHandler(context: identities.context))
      try pipeline.addHandler(HandshakeLimit(.milliseconds(limits.headerMilliseconds)))
    }.flatMap {
      channel.configureHTTP2AsyncSecureUpgrade { channel in
        self.requests.serveHTTP1(on: channel, logger)
      } http2ConnectionInitializer: { channel in
        self.serveHTTP2(on: channel)
      }
    }.map { Value(negotiated: $0, channel: channel) }
  }

  func handle(value: Value, logger: Logger) async {
    do {
      switch try await value.negotiated.get() {
      case .http1_1(let accepted): await requests.handle(value: accepted, logger: logger)
      case .http2(let accepted): try await handle(accepted.serve(), logger)
      }
    } catch {
      logger.trace("a connection by TLS ended", metadata: ["error": "\(error)"])
    }
  }

  private func handle(_ streams: AcceptedHTTP2.Streams, _ logger: Logger) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      for try await stream in streams.inbound {
        group.addTask(operation: { await requests.handle(value: stream, logger: logger) })
      }
    }
  }

  private func serveHTTP2(on channel: any Channel) -> EventLoopFuture<AcceptedHTTP2> {
    channel.eventLoop.makeCompletedFuture {
      let connection = HTTP2Guard(limits: limits)
      let informs = HTTP2Streams(of: connection, on: channel.eventLoop)
      let streams = try channel.pipeline.syncOperations.configureAsyncHTTP2Pipeline(
        mode: .server, streamDelegate: informs, frameDelegate: informs, configuration: frames
      ) { stream in requests.serveStream(on: stream) }
      try channel.pipeline.syncOperations.addHandler(connection)
      return AcceptedHTTP2(streams, channel)
    }
  }
}

/// A connection of HTTP/2 from when its protocol was known. One that nobody gets to serve, because the server
/// ends in that moment, closes itself.
final class AcceptedHTTP2: Sendable {
  typealias Streams = NIOHTTP2Handler.AsyncStreamMultiplexer<Accepted>
  private let streams: Streams
  private let channel: any Channel
  private let isServed = Atomic(false)

  init(_ streams: Streams, _ channel: any Channel) {
    self.streams = streams
    self.channel = channel
  }

  /// Hands the streams to whoever serves them.
  func serve() -> Streams {
    isServed.store(true, ordering: .relaxed)
    return streams
  }

  deinit {
    if !isServed.load(ordering: .relaxed) { channel.close(promise: nil) }
  }
}

extension NIOHTTP2Handler.Configuration {
  /// What one client may have open, hold and send on a connection.
  init(_ limits: Limits) {
    self.init()
    connection.initialSettings = [
      HTTP2Setting(parameter: .maxConcurrentStreams, value: limits.http2Streams),
      HTTP2Setting(parameter: .maxHeaderListSize, value: limits.http2HeaderListBytes),
      HTTP2Setting(parameter: .initialWindowSize, value: limits.http2StreamWindow),
    ]
    connection.targetWindowSize = limits.http2ConnectionWindow
    connection.maximumBufferedControlFrames = limits.http2UnsentFrames
    connection.maximumSequentialEmptyDataFrames = limits.http2EmptyFrames
    connection.controlFrameRateLimit.maximumCount = limits.http2ControlFrames
    connection.controlFrameRateLimit.windowLength = .milliseconds(limits.http2CountedTime)
    stream.streamResetFrameRateLimit.maximumCount = limits.http2Resets
    stream.streamResetFrameRateLimit.windowLength = .milliseconds(limits.http2CountedTime)
    stream.streamErrorRateLimit.maximumCount = limits.http2Resets
    stream.streamErrorRateLimit.windowLength = .milliseconds(limits.http2CountedTime)
    stream.targetWindowSize = limits.http2StreamWindow
    // As a socket's.
    stream.outboundBufferSizeHighWatermark = 65_536
    stream.outboundBufferSizeLowWatermark = 32_768
  }
}
