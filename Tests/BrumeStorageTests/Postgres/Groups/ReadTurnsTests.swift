// Whose read gets a connection next.

import BrumeStorage
import Dispatch
import Testing

@testable import BrumePostgres

@Suite(.timeLimit(.minutes(1))) struct ReadTurnsTests {
  private static func job(_ name: String?, _ number: Int64) -> ReadJob {
    ReadJob(
      plan: .none, asksForIndex: false, name: name, isWanted: { true }, run: { _ in },
      finish: { _ in }, number: number)
  }

  /// Eight connections, and reads of these names in the order of coming.
  private static func turns(_ names: String?...) -> ReadTurns {
    var turns = ReadTurns()
    turns.connections = 8
    for (number, name) in names.enumerated() { turns.add(job(name, Int64(number + 1))) }
    return turns
  }

  private static func all(_ turns: inout ReadTurns) -> [Int64] {
    var taken: [Int64] = []
    while let job = turns.next() { taken.append(job.number) }
    return taken
  }

  @Test func `names take turns after the server itself, and the reads of one keep their order`() {
    var turns = Self.turns("a", "a", "a", "b", nil, "b")
    #expect(turns.count == 6)
    #expect(Self.all(&turns) == [5, 1, 4, 2, 6, 3])
    #expect(turns.count == 0)
  }

  @Test func `who reads already leaves some connections to others`() {
    var turns = Self.turns("a", "a", "a", "a", "a", "a", "a", "a")
    #expect(Self.all(&turns) == [1, 2, 3, 4, 5, 6])
    #expect(!turns.hasNext && !turns.mayBegin("a") && turns.mayBegin("b"))
    turns.add(Self.job("b", 9))
    turns.add(Self.job(nil, 10))
    turns.add(Self.job("b", 11))
    #expect(Self.all(&turns) == [10, 9], "what the server itself needs, and one")
    turns.ended("b", milliseconds: 0)
    turns.ended(nil, milliseconds: 0)
    #expect(Self.all(&turns) == [11])
    turns.ended("a", milliseconds: 0)
    #expect(Self.all(&turns) == [], "there would be one left")
    turns.ended("b", milliseconds: 0)
    #expect(Self.all(&turns) == [7])
  }

  @Test func `who is known for long reads leaves them too, until one is short`() {
    var turns = Self.turns("a", "a", "a", "a", "a", "a")
    #expect(Self.all(&turns).count == 6)
    turns.begins("b")
    turns.ended("b", milliseconds: ReadTurns.long - 1)
    #expect(turns.mayBegin("b"))
    turns.begins("b")
    turns.ended("b", milliseconds: ReadTurns.long)
    #expect(!turns.mayBegin("b") && turns.mayBegin("c"))
    turns.ended("a", milliseconds: nil)
    #expect(turns.mayBegin("b"))
    turns.begins("b")
    turns.ended("b", milliseconds: 0)
    turns.begins("a")
    #expect(turns.mayBegin("b"))
  }

  @Test func `with few connections, or at the end, none is left to others`() {
    var few = ReadTurns()
    few.connections = 3
    for number in 1...3 { few.add(Self.job("a", Int64(number))) }
    #expect(Self.all(&few) == [1, 2, 3])
    var turns = Self.turns("a", "a", "a", "a", "a", "a", "a")
    #expect(Self.all(&turns).count == 6)
    turns.leavesNone = true
    #expect(Self.all(&turns) == [7])
  }

  @Test func `those up to a number are taken in the order of coming, the others stay`() {
    var turns = Self.turns("a", "b", "a", "b", "c")
    #expect(turns.take(through: 3).map(\.number) == [1, 2, 3])
    #expect(turns.count == 2)
    #expect(Self.all(&turns) == [4, 5])
  }

  /// A line with eight threads, all of which sleep.
  private static func sleeping() -> ReadLine {
    var line = ReadLine()
    let threads = (0..<8).map { _ in ReaderThread() }
    for _ in threads { line.threadBegins() }
    for thread in threads { _ = line.next(thread) }
    return line
  }

  private static func begin(_ name: String, _ line: inout ReadLine) throws -> ReaderThread {
    let thread = try #require(try line.add(job(name, 0)))
    #expect(line.next(thread).number == line.last)
    return thread
  }

  @Test func `the end of one read may wake a thread for a second`() throws {
    var line = Self.sleeping()
    func begin(_ name: String) throws -> ReaderThread { try Self.begin(name, &line) }
    let first = try begin("b")
    line.ended(Self.job("b", 0), milliseconds: ReadTurns.long)
    #expect(line.next(first).number == nil)
    for _ in 0..<5 { _ = try begin("a") }
    let thread = try begin("c")
    #expect(try line.add(Self.job("b", 0)) == nil, "two are left to others")
    #expect(try line.add(Self.job("c", 0)) == nil)
    #expect(line.isIdle)
    line.ended(Self.job("c", 0), milliseconds: 0)
    guard case .run(let job, let woken?) = line.next(thread) else {
      Issue.record("nobody is woken")
      return
    }
    #expect(job.name == "b")
    guard case .run(let last, nil) = line.next(woken) else {
      Issue.record("nobody reads")
      return
    }
    #expect(last.name == "c")
  }

  @Test func `a read whose thread slept again as it could not begin wakes one when it can`() throws
  {
    var line = Self.sleeping()
    func begin(_ name: String) throws -> ReaderThread { try Self.begin(name, &line) }
    let slow = try begin("slow")
    line.ended(Self.job("slow", 0), milliseconds: ReadTurns.long)
    #expect(line.next(slow).number == nil)
    let first = try begin("a")
    for name in ["b", "c", "d", "e", "f"] { _ = try begin(name) }
    // Two threads are woken before either looks, and only one of the three reads may begin.
    let woken = [
      try #require(try line.add(Self.job("g", 0))), try #require(try line.add(Self.job("slow", 0))),
    ]
    #expect(try line.add(Self.job("a", 0)) == nil)
    #expect(line.next(woken[0]).number != nil)
    #expect(line.next(woken[1]).number == nil)
    line.ended(Self.job("g", 0), milliseconds: 0)
    #expect(line.next(woken[0]).number == nil)
    line.ended(Self.job("a", 0), milliseconds: 0)
    guard case .run(let job, let other?) = line.next(first) else {
      Issue.record("nobody is woken")
      return
    }
    #expect(job.name == "slow")
    #expect(line.next(other).number == line.last)
  }

  /// On a real database, where each read holds its connection.
  @Test func `a third user reads while two hold all that they may`() async throws {
    let store = try PostgresStore.forTest(readers: 8)
    let gate = DispatchSemaphore(value: 0)
    let (started, start) = AsyncStream<String>.makeStream()
    func underWay(_ count: Int) async -> [String] {
      var found: [String] = []
      for await name in started {
        found.append(name)
        if found.count == count { break }
      }
      return found
    }
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      func read(as name: String, _ count: Int) {
        for _ in 0..<count {
          tasks.addTask {
            try await ReaderName.$current.withValue(ReaderName { name }) {
              try await store.read { transaction in
                _ = try transaction.settings.value(.secret)
                start.yield(name)
                // It may run again, if that took long.
                gate.wait()
                gate.signal()
              }
            }
          }
        }
      }
      read(as: "alice", 20)
      #expect(await underWay(6) == Array(repeating: "alice", count: 6))
      read(as: "bob", 20)
      #expect(await underWay(1) == ["bob"])
      read(as: "carol", 1)
      #expect(await underWay(1) == ["carol"])
      gate.signal()
      try await tasks.waitForAll()
    }
    try await store.close()
  }
}

extension ReadLine.Step {
  /// Of the read that is taken.
  fileprivate var number: Int64? { if case .run(let job, _) = self { job.number } else { nil } }
}
