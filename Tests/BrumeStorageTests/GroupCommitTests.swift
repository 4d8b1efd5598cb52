// Many writes in one commit, and what a failing storage does to them.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import BrumeSQLite

private typealias Gate = DispatchSemaphore

@Suite struct GroupCommitTests {
  let folder: TemporaryFolder
  let store: SQLiteStore
  init() throws {
    folder = try TemporaryFolder()
    store = try folder.openSQLite()
  }

  @Test func `writes that wait while one runs are committed with it`() async throws {
    let events = Events()
    let gate = DispatchSemaphore(value: 0)
    try store.writer.add(events.job("first") { _ in gate.wait() })
    for number in 1...50 {
      try store.writer.add(
        events.job("\(number)") { transaction in
          try transaction.putNext("r\(number)")
          if number == 7 { throw Refusal() }
        })
    }
    gate.signal()
    try await store.write(in: .all) { try $0.settings.set(.secret, to: [1]) }
    let log = events.log.withLock { $0 }
    let firstAnswer = try #require(
      log.firstIndex { $0.hasPrefix("done") || $0.hasPrefix("failed") })
    let runs = log[..<firstAnswer].filter { $0.hasPrefix("ran") }
    #expect(runs.count == 51, "an answer was given before all bodies had run: \(log)")
    #expect(log.filter { $0.hasPrefix("failed") } == ["failed 7"])
    let count = try await store.read {
      try $0.changes.page(in: .sample(), after: 0, through: .max, limit: 99).count
    }
    #expect(count == 49)
    try await store.close()
  }

  @Test func `only a commit of nothing but repeatable writes leaves the disk for later`()
    async throws
  {
    let events = Events()
    let gate = DispatchSemaphore(value: 0)
    let levels = Mutex<[String: Int64]>([:])
    func note(_ name: String) -> @Sendable (SQLiteTransaction) throws -> Void {
      { transaction in
        let level = try transaction.connection.first(SQL("PRAGMA synchronous")) { $0.int(0) }
        levels.withLock { $0[name] = level }
      }
    }
    try store.writer.add(events.job("gate") { _ in gate.wait() })
    try store.writer.add(events.job("joins", isRepeatable: true, note("joins")))
    gate.signal()
    try await store.writeRepeatable(in: .all) { try $0.settings.set(.secret, to: [1]) }
    try store.writer.add(events.job("alone", isRepeatable: true, note("alone")))
    try await store.write(in: .all) { try $0.settings.set(.secret, to: [2]) }
    try store.writer.add(events.job("save", note("save")))
    try await store.write(in: .all) { try $0.settings.set(.secret, to: [3]) }
    #expect(levels.withLock { $0 } == ["joins": 2, "alone": 1, "save": 2])
    try await store.close()
  }

  @Test func `a transaction knows whether writes wait behind it, or before it for its commit`()
    async throws
  {
    #expect(try waits() == [false, true, true])
    try await store.close()
  }

  /// What a write sees when it begins, when another has come, and what that one sees, which shares
  /// the commit.
  private func waits() throws -> [Bool] {
    let events = Events()
    let (begun, gate, ended) = (Gate(value: 0), Gate(value: 0), Gate(value: 0))
    let seen = Mutex<[Bool]>([])
    try store.writer.add(
      events.job("first") { transaction in
        seen.withLock { $0.append(transaction.isAwaited) }
        begun.signal()
        gate.wait()
        seen.withLock { $0.append(transaction.isAwaited) }
      })
    begun.wait()
    try store.writer.add(
      events.job("second") { transaction in
        seen.withLock { $0.append(transaction.isAwaited) }
        ended.signal()
      })
    gate.signal()
    ended.wait()
    return seen.withLock { $0 }
  }

  @Test func `a group has a bound`() async throws {
    let events = Events()
    let gate = DispatchSemaphore(value: 0)
    try store.writer.add(events.job("first") { _ in gate.wait() })
    for number in 1...Writer.groupLimit {
      try store.writer.add(events.job("\(number)") { try $0.putNext("r\(number)") })
    }
    gate.signal()
    try await store.write(in: .all) { try $0.settings.set(.secret, to: [1]) }
    let log = events.log.withLock { $0 }
    #expect(log.firstIndex(of: "done first") == Writer.groupLimit)
    try await store.close()
  }

  @Test func `E1 a full disk refuses writes, and takes them again when there is room`() async throws
  {
    try await store.write(in: .database(.sample())) { try $0.putNext("before") }
    try await store.onWriter { try $0.run(SQL("PRAGMA max_page_count = 1")) }
    let large: [String: FieldValue] = ["b": .bytes(Array(repeating: 7, count: 1 << 20))]
    let error = await #expect(throws: StoreError.self) {
      try await store.write(in: .database(.sample())) { try $0.putNext("large", fields: large) }
    }
    #expect(error?.code == .noRoom)
    try await store.onWriter { try $0.run(SQL("PRAGMA max_page_count = 1000000")) }
    let sequence = try await store.write(in: .database(.sample())) {
      try $0.putNext("after", fields: large)
    }
    #expect(sequence == 2)
    let names = try await store.read {
      try $0.changes.page(in: .sample(), after: 0, through: .max, limit: 9).count
    }
    #expect(names == 2)
    try await store.close()
  }

  @Test func `B11 after a failure of the storage no write is taken, reads go on`() async throws {
    try await store.write(in: .database(.sample())) { try $0.putNext("before") }
    for name in ["fails", "refused"] {
      let error = await #expect(throws: StoreError.self) {
        try await store.write(in: .database(.sample())) { transaction in
          let connection = try #require(transaction as? SQLiteTransaction).connection
          try connection.run(SQL("PRAGMA query_only = ON"))
          // A body that looks away does not save its group.
          _ = try? transaction.putNext(name)
        }
      }
      #expect(error?.code == .unavailable)
    }
    try await store.read { transaction in
      try #expect(transaction.sequences.last(in: .sample()) == 1)
      try #expect(transaction.records.find(RecordKey(zone: .sample(), name: "fails")) == nil)
    }
    try await store.close()
  }

  static let consequences: [(Int32, StorageFailure.Consequence)] = [
    (13, .retry), (10, .stop), (10 | 12 << 8, .stop), (8, .stop), (11, .refuseBody), (26, .stop),
    (14, .stop), (19, .undo), (1, .undo), (5, .undo),
  ]
  @Test(arguments: consequences)
  func `a result code has its consequence`(code: Int32, consequence: StorageFailure.Consequence) {
    #expect(StorageFailure(code: code).consequence == consequence)
  }

  @Test func `what the system says of a failure is in its error`() {
    let error = StorageFailure(code: 10 | 3 << 8, system: EROFS).error
    #expect(error.description.contains(SystemError.reason(EROFS)))
    #expect(!StorageFailure(code: 10).error.description.contains("("))
  }

  @Test(arguments: [(ENOSPC, true), (EDQUOT, true), (EFBIG, true), (EROFS, false), (EIO, false)])
  func `a quota and a limit for sizes of files are a full disk`(number: Int32, isIt: Bool) {
    #expect(SystemError.isLackOfRoom(number) == isIt)
  }
}

private struct Refusal: Error {}

/// What happened to jobs, in order.
private final class Events: Sendable {
  let log = Mutex<[String]>([])

  func job(
    _ name: String, isRepeatable: Bool = false,
    _ body: @escaping @Sendable (SQLiteTransaction) throws -> Void
  ) -> WriteJob {
    WriteJob(
      isRepeatable: isRepeatable,
      run: { transaction in
        defer { self.add("ran \(name)") }
        do {
          try body(transaction)
          return nil
        } catch {
          return error
        }
      },
      finish: { self.add($0 == nil ? "done \(name)" : "failed \(name)") })
  }

  private func add(_ event: String) { log.withLock { $0.append(event) } }
}

@Suite struct WriteTurnsTests {
  private let alice = UserID("alice")
  private let bob = UserID("bob")

  @Test func `users take turns, and each one's writes keep their order`() {
    var turns = WriteTurns<String>()
    for job in ["b1", "b2", "b3"] { turns.add(job, of: bob) }
    turns.add("a1", of: alice)
    turns.add("server", of: nil)
    turns.add("a2", of: alice)
    let taken = (0..<7).map { _ in turns.next() }
    #expect(taken == ["b1", "a1", "server", "b2", "a2", "b3", nil])
    #expect(turns.count == 0)
  }

  @Test func `who writes long joins nobody that waits for a commit, and has the next turn`() {
    var turns = WriteTurns<String>()
    turns.ran(bob, nanoseconds: WriteTurns<String>.long, now: 0)
    turns.add("b0", of: bob)
    #expect(turns.nextToJoin { _ in true } == "b0", "once may be chance")
    turns.ran(bob, nanoseconds: WriteTurns<String>.long, now: 0)
    turns.add("b1", of: bob)
    turns.add("a1", of: alice)
    let joined = (0..<2).map { _ in turns.nextToJoin { _ in true } }
    #expect(joined == ["a1", nil])
    #expect(turns.next() == "b1")
    turns.ran(bob, nanoseconds: WriteTurns<String>.long - 1, now: 0)
    turns.add("b2", of: bob)
    #expect(turns.nextToJoin { _ in true } == "b2")
  }

  @Test func `only so many users are remembered for writing long`() {
    var turns = WriteTurns<Int>()
    for number in 0...WriteTurns<Int>.longUsersLimit {
      for _ in 0..<WriteTurns<Int>.longInARow {
        turns.ran(UserID("u\(number)"), nanoseconds: WriteTurns<Int>.long, now: 0)
      }
      turns.add(number, of: UserID("u\(number)"))
    }
    var joined: [Int] = []
    for _ in 0...WriteTurns<Int>.longUsersLimit {
      if let job = turns.nextToJoin({ _ in true }) { joined.append(job) } else { _ = turns.next() }
    }
    #expect(joined == Array(0..<WriteTurns<Int>.longUsersLimit), "all but the last are forgotten")
  }

  @Test func `whoever has lately kept the writer much gives way sooner, to those who have not`() {
    var turns = WriteTurns<String>()
    let carol = UserID("carol")
    #expect(turns.patience(of: bob, with: [alice], at: 0) == WriteTurns<String>.long)
    turns.ran(bob, nanoseconds: RecentWork.most, now: 0)
    turns.ran(carol, nanoseconds: RecentWork.most, now: 0)
    let soon = WriteTurns<String>.soon
    #expect(turns.patience(of: bob, with: [carol, alice], at: 0) == soon)
    #expect(turns.patience(of: bob, with: [carol], at: 0) == WriteTurns<String>.long)
    #expect(turns.patience(of: alice, with: [bob], at: 0) == WriteTurns<String>.long)
    #expect(turns.patience(of: bob, with: [nil], at: 0) == WriteTurns<String>.long, "the server")
    #expect(turns.patience(of: bob, with: [alice], at: 2_000_000_000) == WriteTurns<String>.long)
  }

  @Test func `what was undone counts as time for which the writer was kept`() {
    var turns = WriteTurns<String>()
    turns.putBack("b1", of: bob, nanoseconds: RecentWork.most, now: 0)
    #expect(turns.next() == "b1")
    #expect(turns.patience(at: 0) { _ in true } == nil, "nobody waits")
    turns.add("a1", of: alice)
    #expect(turns.patience(at: 0) { $0 == "a2" } == nil, "none of which it is so")
    #expect(turns.patience(at: 0) { $0 == "a1" } == WriteTurns<String>.soon)
  }

  @Test func `a group is committed after its time, though others wait`() async throws {
    let folder = try TemporaryFolder()
    let clock = Mutex<Int64>(0)
    let store = try folder.openSQLite(nanoseconds: { clock.withLock { $0 } })
    let events = Events()
    let gate = Gate(value: 0)
    try store.writer.add(
      events.job("first") { _ in
        gate.wait()
        clock.withLock { $0 += Writer.groupTimeLimit }
      })
    try store.writer.add(events.job("second") { _ in })
    gate.signal()
    try await store.write(in: .all) { try $0.settings.set(.secret, to: [1]) }
    #expect(Array(events.log.withLock { $0 }.prefix(2)) == ["ran first", "done first"])
    try await store.close()
  }
}

@Suite struct WriteQueueTests {
  @Test func `jobs leave in the order in which they came`() {
    var queue = WriteQueue<Int>()
    #expect(queue.add(1) == .accepted(wakeWriter: false))
    #expect(queue.add(2) == .accepted(wakeWriter: false))
    #expect(queue.nextForGroup({ _ in true }) == 1)
    #expect(queue.add(3) == .accepted(wakeWriter: false))
    let rest = (0..<3).map { _ in queue.nextForGroup { _ in true } }
    #expect(rest == [2, 3, nil])
  }

  @Test func `a group takes nobody past the first that it does not accept`() {
    var queue = WriteQueue<Int>()
    for job in 1...3 { _ = queue.add(job) }
    let taken = (0..<3).map { _ in queue.nextForGroup { $0 != 2 } }
    #expect(taken == [1, nil, nil])
    let rest = (0..<2).map { _ in queue.nextForGroup { _ in true } }
    #expect(rest == [2, 3])
  }

  @Test func `only a sleeping writer is woken, and once`() {
    var queue = WriteQueue<Int>()
    guard case .sleep = queue.next() else { return #expect(Bool(false), "an empty queue") }
    #expect(queue.add(1) == .accepted(wakeWriter: true))
    #expect(queue.add(2) == .accepted(wakeWriter: false))
    let woken = queue.close()
    #expect(!woken)
  }

  @Test func `closing serves who waits and refuses who comes`() {
    var queue = WriteQueue<Int>()
    _ = queue.add(1)
    let woken = queue.close()
    #expect(!woken)
    #expect(queue.add(2) == .refused(.closed))
    guard case .run(1) = queue.next(), case .end = queue.next() else {
      return #expect(Bool(false), "the waiting job, then the end")
    }
  }

  @Test func `refusing hands back who waits, in order, and takes who comes`() {
    var queue = WriteQueue<Int>()
    for job in 1...3 { _ = queue.add(job) }
    #expect(queue.refuseAll() == [1, 2, 3])
    #expect(queue.isEmpty)
    #expect(queue.add(4) == .accepted(wakeWriter: false))
  }

  @Test func `failing hands back who waits, in order, and refuses for good`() {
    var queue = WriteQueue<Int>()
    for job in 1...3 { _ = queue.add(job) }
    _ = queue.nextForGroup { _ in true }
    _ = queue.add(4)
    let error = StoreError(.unavailable, "gone")
    #expect(queue.fail(error) == [2, 3, 4])
    #expect(queue.add(5) == .refused(error))
    guard case .end = queue.next() else { return #expect(Bool(false), "the end") }
  }
}

@Suite struct TurnTests {
  /// A queue whose writer has slept after so many commits with one write each.
  private func queue(afterAlone count: Int) -> WriteQueue<Int> {
    var queue = WriteQueue<Int>()
    for _ in 0..<count { queue.groupEnded(count: 1, nanoseconds: 1000) }
    _ = queue.next()
    return queue
  }
  private let alone = WriteQueue<Int>.aloneBeforeRunningHere

  @Test func `a write that has been alone for a while runs where it is`() {
    var queue = queue(afterAlone: alone - 1)
    #expect(queue.add(1) == .accepted(wakeWriter: true))
    queue = self.queue(afterAlone: alone)
    #expect(queue.add(1) == .yourTurn)
  }

  @Test func `who comes while a caller has the turn waits, and the writer goes on with it`() {
    var queue = queue(afterAlone: alone)
    _ = queue.add(1)
    #expect(queue.add(2) == .accepted(wakeWriter: false))
    guard case .sleep = queue.next() else { return #expect(Bool(false), "two at once") }
    queue.groupEnded(count: 1, nanoseconds: 1000)
    let woken = queue.turnEnded()
    #expect(woken)
    guard case .run(2) = queue.next() else { return #expect(Bool(false), "the one who waits") }
    // They met, so the next does not run where it is.
    queue.groupEnded(count: 1, nanoseconds: 1000)
    _ = queue.next()
    #expect(queue.add(3) == .accepted(wakeWriter: true))
  }

  @Test func `work of the server's own changes nothing about who may run where it is`() {
    var queue = queue(afterAlone: alone)
    // A save came while it ran, and was alone.
    queue.groupEnded(count: 3, nanoseconds: WriteQueue<Int>.slowCommit, wasOwnWork: true)
    #expect(queue.add(1) == .yourTurn)
    queue = self.queue(afterAlone: alone - 1)
    queue.groupEnded(count: 1, nanoseconds: 1000, wasOwnWork: true)
    #expect(queue.add(1) == .accepted(wakeWriter: true))
  }

  @Test func `a slow disk is waited for by the writer's thread only`() {
    var queue = WriteQueue<Int>()
    for _ in 0..<alone {
      queue.groupEnded(count: 1, nanoseconds: WriteQueue<Int>.slowCommit)
    }
    _ = queue.next()
    #expect(queue.add(1) == .accepted(wakeWriter: true))
  }

  @Test func `closing while a caller has the turn ends the writer after it`() {
    var queue = queue(afterAlone: alone)
    _ = queue.add(1)
    let wokenAtOnce = queue.close()
    #expect(!wokenAtOnce)
    let wokenAfterwards = queue.turnEnded()
    #expect(wokenAfterwards)
    guard case .end = queue.next() else { return #expect(Bool(false), "the end") }
  }
}

@Suite struct CheckpointPlanTests {
  @Test func `a long log is copied beside the writer, and what came meanwhile by it`() {
    var plan = CheckpointPlan()
    #expect(plan.committed(pages: CheckpointPlan.pages - 1) == .nothing)
    #expect(plan.committed(pages: CheckpointPlan.pages) == .copyBeside)
    #expect(plan.committed(pages: CheckpointPlan.pages + 9) == .nothing)
    plan.copiedBeside()
    #expect(plan.committed(pages: CheckpointPlan.pages + 18) == .copyHere)
    #expect(plan.committed(pages: 9) == .nothing)
  }

  @Test func `a log without end is copied by the writer, whatever it costs`() {
    var plan = CheckpointPlan()
    _ = plan.committed(pages: CheckpointPlan.pages)
    #expect(plan.committed(pages: CheckpointPlan.mostPages) == .copyHere)
  }

  @Test func `after a copy that failed there is none any more`() {
    var plan = CheckpointPlan()
    _ = plan.committed(pages: CheckpointPlan.pages)
    plan.failed()
    // The thread beside was at work while the writer's own copy failed.
    plan.copiedBeside()
    #expect(plan.committed(pages: CheckpointPlan.mostPages) == .nothing)
  }

  @Test func `work that waits for the copy goes on when the writer has to finish it`() throws {
    let checkpointer = Checkpointer(path: try TemporaryFolder().path + "/brume.sqlite")
    #expect(!checkpointer.waitForCopy())
    #expect(checkpointer.start { _ in })
    #expect(!checkpointer.committed(pages: CheckpointPlan.pages))
    _ = checkpointer.waitForCopy()
    #expect(checkpointer.committed(pages: CheckpointPlan.pages + 9))
    checkpointer.close()
  }
}

@Suite struct IndexBuildTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private static func query(_ value: Int64) -> EngineQuery {
    EngineQuery(
      database: .sample(), zone: "Trails",
      query: Query(recordType: "Trail", filters: [Filter(.equals, .field("n"), .int64(value))]),
      after: nil, limit: 99, candidateLimit: 9999)
  }

  @Test func `an index that grows beside several queries answers right all the while`() async throws
  {
    // A query waits for at least ten steps of two records; the type has fifty.
    let store = try folder.openSQLite(indexStep: 2)
    try await store.write(in: .database(.sample())) { transaction in
      for number in 0..<50 {
        try transaction.putNext("r\(number)", fields: ["n": .int64(Int64(number % 5))])
      }
      try transaction.zones.put(Zone(key: .sample(), incarnation: 1, lastSequence: 50))
    }
    for round in 0..<4 {
      let found = try await store.read { try $0.queries.matching(Self.query(3)).records.count }
      #expect(found == 10 + round, "round \(round)")
      let isBuilt = try await store.onWriter { connection in
        try connection.exists(SQL("SELECT 1 FROM wanted_fields WHERE built_to IS NULL")) { _ in }
      }
      // Sooner if the work goes on beside; not later.
      if round >= 2 { #expect(isBuilt) }
      try await store.write(in: .database(.sample())) {
        try $0.putNext("new\(round)", fields: ["n": .int64(3)])
      }
    }
    try await store.close()
  }

  @Test func `a field that no query asked for costs a save no row of the index`() async throws {
    let store = try folder.openSQLite()
    try await store.write(in: .database(.sample())) { transaction in
      try transaction.putNext("a", fields: ["n": .int64(1), "s": .string("x")])
      try transaction.zones.put(Zone(key: .sample(), incarnation: 1, lastSequence: 1))
    }
    func rows() async throws -> Int64? {
      try await store.onWriter { connection in
        try connection.first(SQL("SELECT count(*) FROM query_index")) { $0.int(0) }
      }
    }
    #expect(try await rows() == 0)
    _ = try await store.read { try $0.queries.matching(Self.query(1)) }
    #expect(try await rows() == 1)
    try await store.close()
  }
}
