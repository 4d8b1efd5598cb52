// What may not reach the HTTP client, which traps at it.

import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import BrumePush

@Suite struct AnswerCheckTests {
  private final class Client: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    var parts: [HTTPClientResponsePart] = []
    var errors: [any Error] = []
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      parts.append(unwrapInboundIn(data))
    }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { errors.append(error) }
  }
  private let channel = EmbeddedChannel()
  private let client = Client()

  init() throws {
    try channel.pipeline.syncOperations.addHandlers([AnswerCheck(), client])
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 443)).wait()
  }

  private func head(_ status: Int) -> HTTPClientResponsePart {
    .head(HTTPResponseHead(version: .http1_1, status: .init(statusCode: status)))
  }
  private let body = HTTPClientResponsePart.body(ByteBuffer(string: "x"))
  private let end = HTTPClientResponsePart.end(nil)

  private func come(_ parts: [HTTPClientResponsePart]) throws {
    for part in parts { try channel.writeInbound(part) }
    channel.embeddedEventLoop.run()
  }

  @Test func `answers pass, one after the other, with what comes before them`() throws {
    let parts = [
      head(200), body, body, end, head(103), head(100), head(404), end, head(599), end, head(999),
      end, head(101), end,
    ]
    try come(parts)
    #expect(client.parts == parts)
    #expect(client.errors.isEmpty && channel.isActive)
  }

  @Test(arguments: [0, 1, 99, 1000])
  func `a status that is none ends the connection, and nothing after it counts:`(status: Int)
    throws
  {
    try come([head(200), end])
    try come([head(status), body, end, head(200), end])
    #expect(client.parts == [head(200), end])
    #expect(client.errors.count == 1 && client.errors.first is AnswerCheck.NoAnswer)
    #expect(!channel.isActive)
  }

  @Test(arguments: [[103], []])
  func `an answer that ends, or says something, before it has a status is none:`(before: [Int])
    throws
  {
    for part in [body, end] {
      let fixture = try Self()
      try fixture.come(before.map { fixture.head($0) } + [part, fixture.head(200)])
      #expect(fixture.client.parts == before.map { fixture.head($0) })
      #expect(fixture.client.errors.count == 1 && !fixture.channel.isActive)
    }
  }

  @Test func `a second status within an answer is none`() throws {
    try come([head(200), head(200), end])
    #expect(client.parts == [head(200)])
    #expect(client.errors.count == 1 && !channel.isActive)
  }
}
