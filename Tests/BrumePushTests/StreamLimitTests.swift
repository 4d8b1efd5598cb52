// Apple allows one request, then many, then perhaps none: the connection pool must not hear of it.

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
  private struct World {
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

  @Test func `the pool hears of the newest limit while a request is under way, never of none`()
    throws
  {
    let world = try World()
    try world.limit(1000)
    try world.limit(7)
    #expect(world.pool.limits == [])
    world.begin(1)
    // Not amid the beginning of a request.
    #expect(world.pool.limits == [])
    #expect(world.pool.began == 1)
    world.channel.embeddedEventLoop.run()
    #expect(world.pool.limits == [7])
    try world.limit(0)
    #expect(world.pool.limits == [7, 1])
    world.end(1)
    // Nothing is under way.
    try world.limit(5)
    try world.limit(9)
    #expect(world.pool.limits == [7, 1])
    world.begin(3)
    world.channel.embeddedEventLoop.run()
    world.begin(5)
    world.channel.embeddedEventLoop.run()
    #expect(world.pool.limits == [7, 1, 9])
    world.pass(60_000)
    #expect(world.channel.isActive)
  }

  @Test func `a request that ended at once tells the pool nothing, the next one does`() throws {
    let world = try World()
    try world.limit(7)
    world.begin(1)
    world.end(1)
    world.channel.embeddedEventLoop.run()
    #expect(world.pool.limits == [])
    world.begin(3)
    world.channel.embeddedEventLoop.run()
    #expect(world.pool.limits == [7])
  }

  @Test func `all else that the other side sets reaches the pool`() throws {
    let world = try World()
    let window = HTTP2Setting(parameter: .initialWindowSize, value: 1 << 20)
    try world.say(window, HTTP2Setting(parameter: .maxConcurrentStreams, value: 0))
    #expect(world.pool.others == [[window]])
    #expect(world.pool.limits == [])
  }

  @Test func `a connection that allowed nothing and then something is given up if nothing begins`()
    throws
  {
    let world = try World()
    try world.limit(0)
    world.pass(60_000)
    #expect(world.channel.isActive)
    try world.limit(5)
    world.pass(249)
    #expect(world.channel.isActive)
    world.pass(1)
    #expect(!world.channel.isActive)
  }

  @Test func `a connection on which something begins in time is kept`() throws {
    let world = try World()
    try world.limit(5)
    world.begin(1)
    world.end(1)
    world.pass(60_000)
    #expect(world.channel.isActive)
  }
}
