// Apple allows one request, then many, then perhaps none: the connection pool must not notice.

import NIOCore
import NIOEmbedded
import NIOHTTP2
import Testing

@testable import BrumePush

@Suite struct StreamLimitTests {
  /// What the pool's side of the connection sees.
  private final class Pool: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    var limits: [Int] = []
    var others: [HTTP2Settings] = []
    var began = 0
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard case .settings(.settings(let settings)) = unwrapInboundIn(data).payload else { return }
      let own = settings.filter { $0.parameter == .maxConcurrentStreams }
      limits += own.map(\.value)
      others.append(settings.filter { $0.parameter != .maxConcurrentStreams })
    }
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if event is NIOHTTP2StreamCreatedEvent { began += 1 }
    }
  }
  private struct Fixture {
    let channel = EmbeddedChannel()
    let pool = Pool()
    init() throws {
      try channel.pipeline.syncOperations.addHandlers([StreamLimit(), pool])
      try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 443)).wait()
    }
    func say(_ settings: HTTP2Setting...) throws {
      try channel.writeInbound(
        HTTP2Frame(streamID: .rootStream, payload: .settings(.settings(settings))))
      channel.embeddedEventLoop.run()
    }
    func limit(_ value: Int) throws {
      try say(HTTP2Setting(parameter: .maxConcurrentStreams, value: value))
    }
    func begin(_ id: Int) {
      channel.pipeline.fireUserInboundEventTriggered(
        NIOHTTP2StreamCreatedEvent(
          streamID: HTTP2StreamID(id), localInitialWindowSize: 1, remoteInitialWindowSize: 1))
    }
    func end(_ id: Int) {
      channel.pipeline.fireUserInboundEventTriggered(
        StreamClosedEvent(streamID: HTTP2StreamID(id), reason: nil))
    }
    func pass(_ milliseconds: Int64) {
      channel.embeddedEventLoop.advanceTime(by: .milliseconds(milliseconds))
    }
  }

  @Test func `the pool gets the newest limit while a request is under way, never none`()
    throws
  {
    let fixture = try Fixture()
    try fixture.limit(1000)
    try fixture.limit(7)
    #expect(fixture.pool.limits == [])
    fixture.begin(1)
    // Not amid the beginning of a request.
    #expect(fixture.pool.limits == [])
    #expect(fixture.pool.began == 1)
    fixture.channel.embeddedEventLoop.run()
    #expect(fixture.pool.limits == [7])
    try fixture.limit(0)
    #expect(fixture.pool.limits == [7, 1])
    fixture.end(1)
    // Nothing is under way.
    try fixture.limit(5)
    try fixture.limit(9)
    #expect(fixture.pool.limits == [7, 1])
    fixture.begin(3)
    fixture.channel.embeddedEventLoop.run()
    fixture.begin(5)
    fixture.channel.embeddedEventLoop.run()
    #expect(fixture.pool.limits == [7, 1, 9])
    fixture.pass(60_000)
    #expect(fixture.channel.isActive)
  }

  @Test func `a request that ended at once does not inform the pool, the next one does`() throws {
    let fixture = try Fixture()
    try fixture.limit(7)
    fixture.begin(1)
    fixture.end(1)
    fixture.channel.embeddedEventLoop.run()
    #expect(fixture.pool.limits == [])
    fixture.begin(3)
    fixture.channel.embeddedEventLoop.run()
    #expect(fixture.pool.limits == [7])
  }

  @Test func `all else that the other side sets reaches the pool`() throws {
    let fixture = try Fixture()
    let window = HTTP2Setting(parameter: .initialWindowSize, value: 1 << 20)
    try fixture.say(window, HTTP2Setting(parameter: .maxConcurrentStreams, value: 0))
    #expect(fixture.pool.others == [[window]])
    #expect(fixture.pool.limits == [])
  }

  @Test func `a connection that allowed nothing and then something is given up if nothing begins`()
    throws
  {
    let fixture = try Fixture()
    try fixture.limit(0)
    fixture.pass(60_000)
    #expect(fixture.channel.isActive)
    try fixture.limit(5)
    fixture.pass(249)
    #expect(fixture.channel.isActive)
    fixture.pass(1)
    #expect(!fixture.channel.isActive)
  }

  @Test func `a connection on which something begins in time is kept`() throws {
    let fixture = try Fixture()
    try fixture.limit(5)
    fixture.begin(1)
    fixture.end(1)
    fixture.pass(60_000)
    #expect(fixture.channel.isActive)
  }
}
