// Requests whose clients went: before their work began, or within.

import BrumeModel
import NIOCore
import NIOEmbedded
import NIOHTTP2
import Testing

@testable import BrumeServer

@Suite struct GoneClientTests {
  private static let never: @Sendable () async throws -> Void = { Issue.record("it was worked on") }

  @Test(arguments: [60, nil]) func `work whose client has gone before does not begin`(
    deadline: Int?
  ) async {
    let work = RequestWork(on: globalConcurrentExecutor)
    work.end(.clientGone)
    for _ in 0..<2 {
      await #expect(throws: RequestWork.ClientGone.self) {
        try await work.run(deadline: deadline, Self.never)
      }
    }
  }

  @Test func `who closed his own side before gets what is answered at once, and no poll begins`()
    async throws
  {
    let work = RequestWork(on: globalConcurrentExecutor)
    work.end(.clientSilent)
    #expect(try await work.run(deadline: 60) { 1 } == 1)
    await #expect(throws: RequestWork.ClientGone.self) {
      try await work.run(deadline: nil, Self.never)
    }
  }

  @Test(arguments: [RequestWork.End.clientGone, .clientSilent])
  func `work that is cancelled because its client went says so`(end: RequestWork.End) async {
    let work = RequestWork(on: globalConcurrentExecutor)
    await #expect(throws: RequestWork.ClientGone.self) {
      try await work.run(deadline: 60) {
        work.end(end)
        try Task.checkCancellation()
      }
    }
  }

  @Test func `the time of a request ends that one, and not the next on its connection`()
    async throws
  {
    let work = RequestWork(on: globalConcurrentExecutor)
    await #expect(throws: RefusedRequest.self) {
      try await work.run(deadline: 60) {
        work.end(.outOfTime)
        try Task.checkCancellation()
      }
    }
    #expect(try await work.run(deadline: 60) { 1 } == 1)
  }

  @Test func `who reads a body learns of a connection that broke that its client went`() throws {
    let errors: [any Error] = [
      IOError(errnoCode: 104, reason: "read"),
      NIOHTTP2Errors.streamClosed(streamID: 1, errorCode: .cancel),
    ]
    for error in errors {
      let channel = EmbeddedChannel()
      let hosts = AllowedHosts(listener: "localhost", baseURL: nil, others: [])
      try channel.pipeline.syncOperations.addHandler(
        ConnectionGuard(limits: ConnectionRules.Limits(), hosts: hosts, uuid: { "A" }))
      channel.pipeline.fireErrorCaught(error)
      #expect(throws: RequestWork.ClientGone.self) { try channel.throwIfErrorCaught() }
      _ = try? channel.finish()
    }
  }

  @Test func `a request whose client went is no failure`() async throws {
    try await ServerFixture().routes { client in
      let usage = client.fixture.server.usage
      let before = usage.report(.hour).total
      usage.request(
        RequestFacts.Known(), status: RequestLine.clientGone, microseconds: 1)
      let total = usage.report(.hour).total
      #expect(total[.requests] == before[.requests] + 1)
      #expect(total[.failed] == before[.failed] && total[.refused] == before[.refused])
    }
  }
}
