// Whoever has a thread of the server finds a connection of the store to read with, and says in whose name it reads.

import BrumeStorage
import Dispatch
import Testing

@testable import BrumeServer

@Suite(.timeLimit(.minutes(1))) struct ReadingThreadsTests {
  /// Reads that hold their connection until they are let go.
  private struct HeldReads: Sendable {
    let store: any Store
    let workers: Workers
    let gate = DispatchSemaphore(value: 0)
    private let started: AsyncStream<Void>
    private let start: AsyncStream<Void>.Continuation

    init(store: any Store, workers: Workers) {
      (self.store, self.workers) = (store, workers)
      (started, start) = AsyncStream.makeStream()
    }

    func read(as name: String) async throws {
      try await workers.run(for: name) {
        try await store.read { transaction in
          _ = try transaction.settings.value(.secret)
          start.yield()
          gate.wait()
        }
      }
    }

    /// How many are under way, once there are so many; fewer when the time is over.
    func underWay(_ count: Int) async -> Int {
      var found = 0
      for await _ in started {
        found += 1
        if found == count { break }
      }
      return found
    }
  }

  private func sqlite() async throws -> any Store {
    try await ServerFixture { $0.engine = .sqlite }.server.store
  }

  @Test func `as many reads are under way as threads may ask for`() async throws {
    let all = Workers.readingThreads
    let reads = HeldReads(store: try await sqlite(), workers: Workers(threads: all, perLane: all))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for _ in 0..<all { tasks.addTask { try await reads.read(as: "all") } }
      #expect(await reads.underWay(all) == all)
      for _ in 0..<all { reads.gate.signal() }
      try await tasks.waitForAll()
    }
    try await reads.store.close()
  }

  @Test func `a third user reads while two hold all that they may`() async throws {
    let most = Workers.threadsPerLane
    let workers = Workers(threads: Workers.threads, perLane: most)
    let reads = HeldReads(store: try await sqlite(), workers: workers)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for name in ["alice", "bob"] {
        for _ in 0..<3 * most { tasks.addTask { try await reads.read(as: name) } }
      }
      #expect(await reads.underWay(2 * most) == 2 * most)
      tasks.addTask { try await reads.read(as: "carol") }
      #expect(await reads.underWay(1) == 1, "of the others none may begin")
      for _ in 0..<6 * most + 1 { reads.gate.signal() }
      try await tasks.waitForAll()
    }
    try await reads.store.close()
  }

  @Test func `a request reads in its own name, which may change, the server's own work in none`()
    async throws
  {
    let clocks = GivingWay.Clocks(processorTime: { 0 }, now: { 0 })
    let requests = Workers(
      threads: 2, perLane: 2, givingWay: GivingWay(threads: 2, perLane: 2, clocks: clocks))
    let names = try await requests.run(for: "address") { lane in
      let before = ReaderName.current?.now()
      await lane.move(to: "user")
      return [before, ReaderName.current?.now()]
    }
    #expect(names == ["address", "user"])
    let own = try await Workers(threads: 1, perLane: 1).run(for: "notifier") {
      ReaderName.current?.now()
    }
    #expect(own == nil)
  }
}
