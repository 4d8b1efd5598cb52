// Event loops wait for no disk and no lock (decision 0025): a store that hangs holds up its own caller only.

import BrumeDelivery
import BrumeModel
import BrumeWire
import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOPosix
import Testing

@testable import BrumeServer

@Suite(.timeLimit(.minutes(10))) struct EventLoopTests {
  @Test(arguments: [false, true])
  func `a store that keeps a reader or a writer waiting holds up no other connection`(
    isWrite: Bool
  ) async throws {
    try await HeldServer.live { server in
      if isWrite {
        server.store.stopNextWrite(.blocks)
      } else {
        server.store.stopNextRead(.blocks)
      }
      let slow = try server.connect()
      defer { slow.close() }
      let zone = #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Z"}}}]}"#
      await slow.send(isWrite ? server.post("zones/modify", zone) : server.post("zones/list"))
      #expect(await server.store.happens(.stopped))
      try await Self.everybodyElseIsServed(server)
      server.store.letGo()
      #expect(await slow.read { HeldServer.isWhole($0) }?.hasPrefix("HTTP/1.1 200 ") == true)
    }
  }

  private static func everybodyElseIsServed(_ server: HeldServer) async throws {
    // Connections take event loops in turn: some of these share the slow one's.
    for _ in 0..<(2 * ProcessInfo.processInfo.activeProcessorCount + 2) {
      let live = try await server.answer(
        "GET /_brume/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(live.hasPrefix("HTTP/1.1 200 "))
      let other = try await server.answer(server.post("changes/database", as: "bob"))
      #expect(other.hasPrefix("HTTP/1.1 200 "), "\(other)")
    }
  }

  @Test func `a console that asks whether its operator is still one holds up no connection`()
    async throws
  {
    try await HeldServer.live { server in
      let made = try await server.answer(
        server.admin("POST", "operators/tokens", #"{"name":"ci"}"#))
      let json = try JSON(
        parsing: Array((made.components(separatedBy: "\r\n\r\n").last ?? "").utf8))
      let token = try #require(json["token"]?.string, "\(made)")
      let console = try server.connect()
      defer { console.close() }
      await console.send(server.admin("GET", "events", token: token))
      #expect(await console.read { $0.contains(": what changed") } != nil)
      server.store.stopNextRead(.blocks)
      server.fixture.server.events.note(.pushes)
      #expect(await server.store.happens(.stopped))
      try await Self.everybodyElseIsServed(server)
      server.store.letGo()
      #expect(await console.read { $0.contains("event: changed") } != nil)
    }
  }

  @Test func `a stream that asks whether its user is still signed in holds up no connection`()
    async throws
  {
    try await HeldServer.live { server in
      let streams = server.fixture.server.streamParts.hub
      // What its request reads comes before it has taken its connection.
      server.store.stopNextRead(.blocks, where: { streams.count > 0 })
      let stream = try server.connect()
      defer { stream.close() }
      await stream.send(
        StreamTests.get(StreamTests.streamTarget(server.fixture, "alice", "phone")))
      #expect(await server.store.happens(.stopped))
      try await Self.everybodyElseIsServed(server)
      server.store.letGo()
      #expect(await stream.read { $0.contains(": connected") } != nil)
    }
  }

  @Test func `an export that reads page by page holds up no connection`() async throws {
    try await HeldServer.live { server in
      let request = server.admin("GET", "users/export?user=alice")
      var (count, start) = (0, server.store.reads)
      // What only the first one reads is remembered then.
      for _ in 0..<2 {
        let whole = try server.connect()
        defer { whole.close() }
        await whole.send(request)
        #expect(await whole.read { $0.contains("\"end\"") } != nil)
        (count, start) = (server.store.reads - start, server.store.reads)
      }
      // The last read of an export comes when its answer has begun.
      let last = start + count
      server.store.stopNextRead(.blocks, where: { server.store.reads == last })
      let held = try server.connect()
      defer { held.close() }
      await held.send(request)
      #expect(await server.store.happens(.stopped))
      try await Self.everybodyElseIsServed(server)
      server.store.letGo()
      #expect(await held.read { $0.contains("\"end\"") } != nil)
    }
  }

  @Test func `parts of an answer that others make leave on its event loop`() async throws {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let (places, place) = AsyncStream<Bool>.makeStream()
    try await Workers.background.run(for: "a test") {
      var writer = LoopWriter(
        PlaceWriter { place.yield(loop.inEventLoop) }, on: LoopExecutor(loop: loop))
      try await writer.write(ByteBuffer(string: "a"))
      place.yield(loop.inEventLoop)
      try await writer.finish(nil)
      place.finish()
    }
    #expect(await places.reduce(into: []) { $0.append($1) } == [true, false, true])
  }

  @Test func `what stays on the event loops asks no store`() async throws {
    try await HeldServer.live { server in
      let brief = RouteTable(server.fixture.server).endpoints.filter { $0.work == .brief }
      #expect(brief.count >= 3)
      for endpoint in brief {
        let path = endpoint.path.replacing(":file", with: "x")
        let before = server.store.reads
        _ = try await server.answer("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(server.store.reads == before, "\(endpoint.path)")
      }
    }
  }

  @Test func `who brings much work gets some of the threads, others pass`() async throws {
    let workers = Workers(threads: 2, perLane: 1)
    let (started, start) = AsyncStream<Int>.makeStream()
    let gate = DispatchSemaphore(value: 0)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for number in 0..<3 {
        tasks.addTask {
          try await workers.run(for: "a") {
            start.yield(number)
            Self.wait(gate)
          }
        }
      }
      var starts = started.makeAsyncIterator()
      _ = await starts.next()
      let answer = try await workers.run(for: "b") { "b" }
      #expect(answer == "b")
      for _ in 0..<3 { gate.signal() }
      try await tasks.waitForAll()
    }
  }

  @Test func `all names of one address get some of the threads, another address passes`()
    async throws
  {
    let workers = Workers(threads: 3, perLane: 1, perAddress: 2)
    let (started, start) = AsyncStream<Int>.makeStream()
    let gate = DispatchSemaphore(value: 0)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for number in 0..<6 {
        tasks.addTask {
          try await workers.run(for: "user \(number)", at: "here") {
            start.yield(number)
            Self.wait(gate)
          }
        }
      }
      var starts = started.makeAsyncIterator()
      for _ in 0..<2 { _ = await starts.next() }
      let answer = try await workers.run(for: "user 9", at: "there") { "b" }
      #expect(answer == "b")
      for _ in 0..<6 { gate.signal() }
      try await tasks.waitForAll()
    }
  }

  private static func wait(_ gate: DispatchSemaphore) { gate.wait() }
}

/// Says when it is written to.
private struct PlaceWriter: ResponseBodyWriter {
  let isUsed: @Sendable () -> Void

  mutating func write(_ buffer: ByteBuffer) async throws { isUsed() }
  consuming func finish(_ trailers: HTTPFields?) async throws { isUsed() }
}
