// How a connection ends around answers: what was written leaves, and nothing begins behind the last.

import BrumeModel
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import BrumeServer

@Suite struct ConnectionGuardTests {
  /// A connection with a request, which was read.
  private func connection(_ work: RequestWork? = nil) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel()
    let hosts = AllowedHosts(listener: "localhost", baseURL: nil, others: [])
    let watch = ConnectionGuard(
      limits: ConnectionRules.Limits(), hosts: hosts, uuid: { "A" })
    watch.work = work
    try channel.pipeline.syncOperations.addHandler(watch)
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    try read(channel)
    return channel
  }

  private func read(_ channel: EmbeddedChannel) throws {
    let head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/")
    try channel.writeInbound(HTTPRequestPart.head(head))
    try channel.writeInbound(HTTPRequestPart.end(nil))
  }

  private func answer(_ channel: EmbeddedChannel, _ fields: HTTPFields = [:]) {
    let head = HTTPResponse(status: .ok, headerFields: fields)
    channel.write(HTTPResponsePart.head(head), promise: nil)
    channel.write(HTTPResponsePart.end(nil), promise: nil)
  }

  /// How many parts have left.
  private func sent(_ channel: EmbeddedChannel) throws -> Int {
    var count = 0
    while try channel.readOutbound(as: HTTPResponsePart.self) != nil { count += 1 }
    return count
  }

  @Test func `a connection that is closed behind an answer ends when that has left`() throws {
    let channel = try connection()
    answer(channel)
    let closed = channel.close()
    #expect(channel.isActive)
    channel.flush()
    channel.embeddedEventLoop.run()
    #expect(try sent(channel) == 2)
    #expect(!channel.isActive)
    try closed.wait()
  }

  @Test func `a connection without an answer under way is closed at once`() throws {
    let channel = try connection()
    channel.close(promise: nil)
    #expect(!channel.isActive)
  }

  @Test func `what came with a request whose answer ends the connection does not begin`()
    async throws
  {
    let work = RequestWork(on: globalConcurrentExecutor)
    try answerTwo(work)
    await #expect(throws: RequestWork.ClientGone.self) {
      try await work.run(deadline: 60) { Issue.record("it was worked on") }
    }
  }

  /// Two requests that came together, of which the first ends the connection, and another behind them.
  private func answerTwo(_ work: RequestWork) throws {
    let channel = try connection(work)
    try read(channel)
    answer(channel, [.connection: "close"])
    answer(channel)
    channel.flush()
    #expect(try sent(channel) == 2)
    while try channel.readInbound(as: HTTPRequestPart.self) != nil {}
    try read(channel)
    #expect(try channel.readInbound(as: HTTPRequestPart.self) == nil)
    _ = try? channel.finish()
  }
}
