// A write that takes long is undone when somebody else's comes, and run again after it.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Dispatch
import Synchronization
import Testing

@testable import BrumeSQLite

@Suite struct GivingWayTests {
  private let alice = UserID("alice")
  private let bob = UserID("bob")
  private let folder: TemporaryFolder
  private let clock: Clock
  private let store: SQLiteStore
  private let answers = Answers()

  private final class Answers: Sendable {
    private let given = Mutex<[String]>([])
    private let (stream, added) = AsyncStream.makeStream(of: String.self)
    var all: [String] { given.withLock { $0 } }

    func add(_ answer: String) {
      given.withLock { $0.append(answer) }
      added.yield(answer)
    }

    func until(_ answer: String) async {
      for await given in stream where given == answer { break }
    }
  }

  private final class Clock: Sendable {
    private let time = Mutex<Int64>(0)
    var now: Int64 { time.withLock { $0 } }
    func advance(_ nanoseconds: Int64) { time.withLock { $0 += nanoseconds } }
  }

  init() throws {
    let (folder, clock) = (try TemporaryFolder(), Clock())
    self.folder = folder
    self.clock = clock
    store = try folder.openSQLite(nanoseconds: { clock.now })
  }

  private func job(
    _ name: String, of user: UserID?, isRepeatable: Bool = false,
    _ body: @escaping @Sendable (SQLiteTransaction) throws -> Void
  ) -> WriteJob {
    WriteJob(
      user: user, isRepeatable: isRepeatable,
      run: { transaction in Result { try body(transaction) }.failure },
      finish: { [answers] in answers.add($0 == nil ? name : "failed \(name)") })
  }

  /// A write of two records, between which so much time passes, that waits for `gate` when it runs first.
  private func long(
    _ runs: Runs, of user: UserID?, nanoseconds: Int64 = WriteTurns<WriteJob>.long,
    isRepeatable: Bool = false, swallows: Bool = false
  ) -> WriteJob {
    job("long", of: user, isRepeatable: isRepeatable) { [clock] transaction in
      let isFirst = runs.begin()
      try transaction.putNext("a")
      if isFirst { runs.wait() }
      clock.advance(nanoseconds)
      do { try transaction.putNext("b") } catch { if !swallows { throw error } }
    }
  }

  private final class Runs: Sendable {
    private let number = Mutex(0)
    private let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    var count: Int { number.withLock { $0 } }

    /// Answers whether it is the first time.
    func begin() -> Bool {
      let count = number.withLock { number in
        number += 1
        return number
      }
      if count == 1 { begun.signal() }
      return count == 1
    }
    func wait() { gate.wait() }
    func untilFirst() { begun.wait() }
    func goOn() { gate.signal() }
  }

  /// What is there when all have been answered, the long one too.
  private func end() async throws -> [String] {
    await answers.until("long")
    try await store.write(in: .all) { try $0.settings.set(.secret, to: [1]) }
    let names = try await store.read {
      try $0.changes.page(in: .sample(), after: 0, through: .max, limit: 99).map(\.ownName)
    }
    try await store.close()
    return names
  }

  @Test(arguments: [false, true])
  func `a write that takes long gives way to a short one of somebody else, and is whole after it`(
    swallows: Bool
  ) async throws {
    let runs = Runs()
    try store.writer.add(long(runs, of: bob, swallows: swallows))
    runs.untilFirst()
    try store.writer.add(job("short", of: alice) { try $0.putNext("c") })
    runs.goOn()
    #expect(try await end() == ["c", "a", "b"])
    #expect(answers.all == ["short", "long"])
    #expect(runs.count == 2)
  }

  @Test func `a write that takes long in a group gives way to those who wait for its commit`()
    async throws
  {
    let (first, runs) = (Runs(), Runs())
    try store.writer.add(
      job("short", of: alice) {
        if first.begin() { first.wait() }
        try $0.putNext("c")
      })
    first.untilFirst()
    try store.writer.add(long(runs, of: bob))
    runs.goOn()
    first.goOn()
    #expect(try await end() == ["c", "a", "b"])
    #expect(answers.all == ["short", "long"])
    #expect(runs.count == 2)
  }

  @Test(arguments: ["short", "of one user", "of the server", "repeatable", "after much was undone"])
  func `it goes on when it is`(kind: String) async throws {
    let runs = Runs()
    var job = long(
      runs, of: kind == "of the server" ? nil : bob,
      nanoseconds: WriteTurns<WriteJob>.long - (kind == "short" ? 1 : 0),
      isRepeatable: kind == "repeatable")
    if kind == "after much was undone" { job.undone = Writer.undoneLimit }
    try store.writer.add(job)
    runs.untilFirst()
    try store.writer.add(self.job("short", of: kind == "of one user" ? bob : alice) { _ in })
    runs.goOn()
    #expect(try await end() == ["a", "b"])
    #expect(answers.all == ["long", "short"])
    #expect(runs.count == 1)
  }

  @Test func `nobody gives way to whoever writes long himself, nor to work of the server`()
    async throws
  {
    for _ in 0..<WriteTurns<WriteJob>.longInARow {
      try await store.write(in: .all.asked(by: alice)) { [clock] _ in
        clock.advance(WriteTurns<WriteJob>.long)
      }
    }
    let runs = Runs()
    try store.writer.add(long(runs, of: bob))
    runs.untilFirst()
    try store.writer.add(job("again", of: alice) { _ in })
    try store.writer.add(job("server", of: nil) { _ in })
    try store.writer.add(job("repeatable", of: UserID("carol"), isRepeatable: true) { _ in })
    runs.goOn()
    #expect(try await end() == ["a", "b"])
    #expect(runs.count == 1)
  }

  @Test func `whom a write has given way to gives way to nobody that writes long`() async throws {
    let (runs, clock) = (Runs(), clock)
    let shorts = Runs()
    try store.writer.add(long(runs, of: bob))
    runs.untilFirst()
    try store.writer.add(
      job("short", of: alice) { transaction in
        _ = shorts.begin()
        try transaction.putNext("c")
        clock.advance(WriteTurns<WriteJob>.long)
        try transaction.putNext("d")
      })
    runs.goOn()
    #expect(try await end() == ["c", "d", "a", "b"])
    #expect(shorts.count == 1)
  }

  @Test func `a write of whoever has kept the writer much gives way soon, and between two rows`()
    async throws
  {
    try await store.write(in: .all.asked(by: bob)) { [clock] transaction in
      for name in ["r1", "r2", "r3"] { try transaction.putNext(name) }
      clock.advance(RecentWork.most)
    }
    let runs = Runs()
    let rows = Mutex(0)
    try store.writer.add(
      job("long", of: bob) { [clock] transaction in
        let isFirst = runs.begin()
        if isFirst { runs.wait() }
        try transaction.connection.each(SQL("SELECT name FROM records"), { _ in }) { _ in
          rows.withLock { $0 += 1 }
          if isFirst { clock.advance(WriteTurns<WriteJob>.soon) }
          return true
        }
      })
    runs.untilFirst()
    try store.writer.add(job("short", of: alice) { try $0.putNext("c") })
    runs.goOn()
    _ = try await end()
    #expect(answers.all == ["short", "long"])
    #expect(rows.withLock { $0 } == 1 + 4, "one row, and then all of them")
  }

  @Test func `who comes all the time undoes only so much of a write`() async throws {
    let runs = Runs()
    let (writer, clock) = (store.writer, clock)
    let shorts = (0..<5).map { _ in job("short", of: alice) { _ in } }
    try writer.add(
      job("long", of: bob) { transaction in
        _ = runs.begin()
        try writer.add(shorts[runs.count - 1])
        clock.advance(Writer.undoneLimit / 4)
        try transaction.putNext("a")
      })
    #expect(try await end() == ["a"])
    #expect(runs.count == 5)
    #expect(answers.all == ["short", "short", "short", "short", "long", "short"])
  }

  @Test func `who has kept the writer much loses only so much of a write, bit by bit`()
    async throws
  {
    let runs = Runs()
    let (writer, clock) = (store.writer, clock)
    try await store.write(in: .all.asked(by: bob)) { _ in clock.advance(RecentWork.most) }
    let most = Int(Writer.undoneLimit / WriteTurns<WriteJob>.soon)
    let shorts = (0...most).map { _ in job("short", of: alice) { _ in } }
    try writer.add(
      job("long", of: bob) { transaction in
        _ = runs.begin()
        try writer.add(shorts[runs.count - 1])
        clock.advance(WriteTurns<WriteJob>.soon)
        try transaction.putNext("a")
      })
    #expect(try await end() == ["a"])
    #expect(runs.count == most + 1)
  }
}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}

extension StoredChange {
  fileprivate var ownName: String {
    switch self {
    case .changed(let record): record.name
    case .deleted(let deletion): deletion.name
    }
  }
}
