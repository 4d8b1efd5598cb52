// On which threads the work of somebody runs who has brought much, and on how many.

import BrumeServer
import BrumeStorage
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#endif

@Suite(.timeLimit(.minutes(5))) struct GivingWayTests {
  @Test func `whoever has brought much has fewer threads at once, and others have theirs`()
    async throws
  {
    let much = Much()
    let (workers, givingWay) = much.workers(threads: 4, perLaneGivingWay: 1)
    #expect(try await Self.atOnce("a", on: workers) > 1)
    try await workers.run(for: "a") { much.bring() }
    await Self.counted("a", by: givingWay)
    #expect(try await Self.atOnce("a", on: workers) == 1)
    #expect(try await Self.atOnce("b", on: workers) > 1)
  }

  /// Waits until what was brought is counted: that is after the step, whose task has gone on by then.
  private static func counted(_ name: String, by givingWay: GivingWay) async {
    while !givingWay.isMuch(for: name) { await Task.yield() }
  }

  /// How many steps of one name are seen at once. Without a bound each waits for a second one.
  private static func atOnce(_ name: String, on workers: Workers) async throws -> Int {
    let steps = Steps()
    try await withThrowingTaskGroup { group in
      for _ in 0..<20 { group.addTask { try await workers.run(for: name) { steps.one() } } }
      try await group.waitForAll()
    }
    return steps.most.load(ordering: .relaxed)
  }

  private final class Steps: Sendable {
    private let running = Atomic(0)
    let most = Atomic(0)

    func one() {
      most.max(running.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
      for _ in 0..<1000 where most.load(ordering: .relaxed) < 2 { sched_yield() }
      running.subtract(1, ordering: .relaxed)
    }
  }

  #if os(Linux) && canImport(Glibc)
    @Test func `whoever has brought much gets threads that give way, and others do not`()
      async throws
    {
      let much = Much()
      let (workers, givingWay) = much.workers(threads: 1, perLaneGivingWay: 1)
      let before = try await workers.run(for: "a") {
        much.bring()
        return Self.niceness()
      }
      await Self.counted("a", by: givingWay)
      let after = try await workers.run(for: "a") { Self.niceness() }
      let other = try await workers.run(for: "b") { Self.niceness() }
      #expect(after > before)
      #expect(other == before)
    }

    @Test func `the notifier and delivery never give way, however much they work`() async throws {
      let before = try await Workers.background.run(for: "test") {
        let clocks = GivingWay.Clocks.system
        let began = clocks.processorTime()
        while clocks.processorTime() - began <= RecentWork.much {}
        return Self.niceness()
      }
      let after = try await Workers.background.run(for: "test") { Self.niceness() }
      #expect(after == before)
    }

    private static func niceness() -> Int32 {
      getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
    }
  #endif
}

/// Stands for the processor time of threads: all of it is of the step that brings much.
private final class Much: Sendable {
  private let time = Atomic<Int64>(0)

  func bring() { time.add(RecentWork.much + 1, ordering: .relaxed) }

  func workers(threads: Int, perLaneGivingWay: Int) -> (Workers, GivingWay) {
    let clocks = GivingWay.Clocks { [self] in
      time.load(ordering: .relaxed)
    } now: {
      0
    }
    let givingWay = GivingWay(threads: threads, perLane: perLaneGivingWay, clocks: clocks)
    return (Workers(threads: threads, perLane: threads, givingWay: givingWay), givingWay)
  }
}
