// How much of a connection is read at once.

import NIOCore
import NIOEmbedded
import Testing

@testable import BrumeServer

@Suite struct ReadTurnTests {
  /// What came further waits until the other connections of the event loop have had their turn.
  @Test func `of a connection is read so much, and once, in its turn`() async throws {
    let server = try await ServerFixture().server
    let loop = try #require(Connections(server).channel { _, _, _ in } as? LoopChannel)
    let channel = EmbeddedChannel()
    try loop.begin(on: channel)
    let times = channel.options.compactMap { $0.value as? UInt }
    #expect(times == [1])
    var buffers = try #require(
      channel.options.compactMap { $0.value as? AdaptiveRecvByteBufferAllocator }.first)
    for _ in 0..<100 { _ = buffers.record(actualReadBytes: 1 << 20) }
    #expect(buffers.nextBufferSize() == LoopChannel.readBytes)
    _ = try? channel.finish()
  }
}
