// Event loops wait for no disk and no lock (decision 0025): a store that hangs holds up its own caller only.

import BrumeModel
import BrumeServer
import Foundation
import Testing

@Suite struct EventLoopTests {
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
      // Connections take event loops in turn: some of these share the slow one's.
      for _ in 0..<(2 * ProcessInfo.processInfo.activeProcessorCount + 2) {
        let live = try await server.answer(
          "GET /_brume/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(live.hasPrefix("HTTP/1.1 200 "))
        let other = try await server.answer(server.post("changes/database", as: "bob"))
        #expect(other.hasPrefix("HTTP/1.1 200 "), "\(other)")
      }
      server.store.letGo()
      #expect(await slow.read { HeldServer.isWhole($0) }?.hasPrefix("HTTP/1.1 200 ") == true)
    }
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
