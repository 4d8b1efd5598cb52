// Who reads what, and what becomes of a read whose thread gets no connection.

import BrumeStorage
import Testing

@testable import BrumePostgres

@Suite struct ReadLineTests {
  /// Two threads: the first has a connection. Both have a read, which are numbered from 1.
  private struct Fixture {
    var line = ReadLine()
    let connected = ReaderThread()
    let other = ReaderThread()
    var second: ReadJob

    init() throws {
      for _ in 0..<2 { line.threadBegins() }
      line.note(connected, isConnected: true)
      second = ReadLineTests.job
      for _ in 0..<2 { _ = try line.add(second) }
      guard case .run(let first, _) = line.next(connected), first.number == 1,
        case .run(let next, _) = line.next(other)
      else { throw StoreError(.corrupt, "no read for a thread") }
      second = next
    }
  }

  private static let job = ReadJob(
    plan: .none, asksForIndex: false, isWanted: { true }, run: { _ in }, finish: { _ in })

  /// The number of the read that a thread takes; nil: it sleeps.
  private func taken(_ step: ReadLine.Step) -> Int64? {
    if case .run(let job, _) = step { job.number } else { nil }
  }

  @Test func `a read without a connection goes to who has one, once`() throws {
    var fixture = try Fixture()
    #expect(fixture.line.hand(fixture.second)?.count == 0, "the other one is at work")
    #expect(taken(fixture.line.next(fixture.other)) == nil, "it would not get it either")
    guard case .run(let handed, _) = fixture.line.next(fixture.connected) else {
      Issue.record("nobody takes the read")
      return
    }
    #expect(handed.number == 2 && handed.isHanded)
    #expect(!fixture.line.mayHand(handed))
    #expect(fixture.line.hand(handed) == nil)
  }

  @Test func `whoever has a connection and sleeps is woken for it`() throws {
    var fixture = try Fixture()
    #expect(taken(fixture.line.next(fixture.connected)) == nil)
    let woken = fixture.line.hand(fixture.second)
    #expect(woken?.count == 1 && woken?.first === fixture.connected)
    #expect(taken(fixture.line.next(fixture.connected)) == 2)
  }

  @Test(arguments: [false, true])
  func `when nobody has a connection any more, the last who is awake takes what was handed over`(
    loserIsFirst: Bool
  ) throws {
    var fixture = try Fixture()
    _ = fixture.line.hand(fixture.second)
    #expect(!fixture.line.isHopeless)
    fixture.line.note(fixture.connected, isConnected: false)
    #expect(fixture.line.isHopeless)
    let order =
      loserIsFirst
      ? [fixture.connected, fixture.other] : [fixture.other, fixture.connected]
    #expect(taken(fixture.line.next(order[0])) == nil)
    #expect(taken(fixture.line.next(order[1])) == 2)
  }

  @Test func `where nobody has a connection, or is there, a read is handed to nobody`() throws {
    var fixture = try Fixture()
    fixture.line.note(fixture.connected, isConnected: false)
    #expect(fixture.line.hand(fixture.second) == nil)
    var alone = ReadLine()
    alone.threadBegins()
    _ = try alone.add(Self.job)
    #expect(taken(alone.next(fixture.other)) == 1)
    alone.note(fixture.connected, isConnected: true)
    #expect(alone.hand(Self.job) == nil)
  }

  @Test func `a read behind one that is handed over wakes another thread`() throws {
    var fixture = try Fixture()
    _ = fixture.line.hand(fixture.second)
    #expect(taken(fixture.line.next(fixture.other)) == nil)
    let woken = try fixture.line.add(Self.job)
    #expect(woken === fixture.other)
    guard case .run(let job, let wake) = fixture.line.next(fixture.connected) else {
      Issue.record("nobody takes the read")
      return
    }
    #expect(job.number == 2 && wake == nil, "the other one is on its way")
    #expect(taken(fixture.line.next(fixture.other)) == 3)
  }

  @Test func `who waits is refused together only if nobody has a connection`() throws {
    var fixture = try Fixture()
    _ = fixture.line.hand(fixture.second)
    _ = try fixture.line.add(Self.job)
    #expect(fixture.line.takeHopeless(through: 3).isEmpty)
    fixture.line.note(fixture.connected, isConnected: false)
    #expect(fixture.line.takeHopeless(through: 2).map(\.number) == [2])
    #expect(fixture.line.takeHopeless(through: 3).map(\.number) == [3])
  }

  @Test func `what is left of the reads that were handed over wakes who sleeps`() throws {
    var line = ReadLine()
    let threads = (0..<3).map { _ in ReaderThread() }
    for _ in threads { line.threadBegins() }
    line.note(threads[0], isConnected: true)
    for _ in threads { _ = try line.add(Self.job) }
    var jobs: [ReadJob] = []
    for thread in threads { if case .run(let job, _) = line.next(thread) { jobs.append(job) } }
    for (job, thread) in zip(jobs, threads).dropFirst() {
      #expect(line.hand(job) != nil)
      #expect(taken(line.next(thread)) == nil)
    }
    line.note(threads[0], isConnected: false)
    #expect(line.takeHopeless(through: 1).isEmpty)
    line.ended(jobs[0], milliseconds: nil)
    guard case .run(let job, let woken?) = line.next(threads[0]) else {
      Issue.record("nobody is woken")
      return
    }
    #expect(job.number == 2)
    #expect(taken(line.next(woken)) == 3)
  }

  @Test func `a line that is closed serves what waits, and ends its threads`() throws {
    var fixture = try Fixture()
    _ = fixture.line.hand(fixture.second)
    #expect(taken(fixture.line.next(fixture.other)) == nil)
    #expect(fixture.line.close().count == 1)
    #expect(taken(fixture.line.next(fixture.other)) == 2)
    for thread in [fixture.connected, fixture.other] {
      guard case .end = fixture.line.next(thread) else {
        Issue.record("a thread does not end")
        return
      }
    }
    #expect(throws: StoreError.self) { try fixture.line.add(Self.job) }
  }
}
