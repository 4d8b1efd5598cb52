// Many writes in one commit, and what a failing storage does to them.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Dispatch
import Synchronization
import Testing

@testable import BrumeSQLite

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
    try await store.write(in: nil) { try $0.set(.secret, to: [1]) }
    let log = events.log.withLock { $0 }
    let firstAnswer = try #require(
      log.firstIndex { $0.hasPrefix("done") || $0.hasPrefix("failed") })
    let runs = log[..<firstAnswer].filter { $0.hasPrefix("ran") }
    #expect(runs.count == 51, "an answer was given before all bodies had run: \(log)")
    #expect(log.filter { $0.hasPrefix("failed") } == ["failed 7"])
    let count = try await store.read {
      try $0.changes(in: .sample(), after: 0, through: .max, limit: 99).count
    }
    #expect(count == 49)
    try await store.close()
  }

  @Test func `a group has a bound`() async throws {
    let events = Events()
    let gate = DispatchSemaphore(value: 0)
    try store.writer.add(events.job("first") { _ in gate.wait() })
    for number in 1...Writer.groupLimit {
      try store.writer.add(events.job("\(number)") { try $0.putNext("r\(number)") })
    }
    gate.signal()
    try await store.write(in: nil) { try $0.set(.secret, to: [1]) }
    let log = events.log.withLock { $0 }
    #expect(log.firstIndex(of: "done first") == Writer.groupLimit)
    try await store.close()
  }

  @Test func `E1 a full disk refuses writes, and takes them again when there is room`() async throws
  {
    try await store.write(in: .sample()) { try $0.putNext("before") }
    try await store.onWriter { try $0.run(SQL("PRAGMA max_page_count = 1")) }
    let large: [String: FieldValue] = ["b": .bytes(Array(repeating: 7, count: 1 << 20))]
    let error = await #expect(throws: StoreError.self) {
      try await store.write(in: .sample()) { try $0.putNext("large", fields: large) }
    }
    #expect(error?.code == .unavailable)
    try await store.onWriter { try $0.run(SQL("PRAGMA max_page_count = 1000000")) }
    let sequence = try await store.write(in: .sample()) { try $0.putNext("after", fields: large) }
    #expect(sequence == 2)
    let names = try await store.read {
      try $0.changes(in: .sample(), after: 0, through: .max, limit: 9).count
    }
    #expect(names == 2)
    try await store.close()
  }

  @Test func `B11 after a failure of the storage no write is taken, reads go on`() async throws {
    try await store.write(in: .sample()) { try $0.putNext("before") }
    for name in ["fails", "refused"] {
      let error = await #expect(throws: StoreError.self) {
        try await store.write(in: .sample()) { transaction in
          let connection = try #require(transaction as? SQLiteTransaction).connection
          try connection.run(SQL("PRAGMA query_only = ON"))
          // A body that looks away does not save its group.
          _ = try? transaction.putNext(name)
        }
      }
      #expect(error?.code == .unavailable)
    }
    try await store.read { transaction in
      try #expect(transaction.lastSequence(in: .sample()) == 1)
      try #expect(transaction.record(RecordKey(zone: .sample(), name: "fails")) == nil)
    }
    try await store.close()
  }

  static let consequences: [(Int32, StorageFailure.Consequence)] = [
    (13, .retry), (10, .stop), (10 | 12 << 8, .stop), (8, .stop), (11, .stop), (26, .stop),
    (14, .stop), (19, .undo), (1, .undo), (5, .undo),
  ]
  @Test(arguments: consequences)
  func `a result code has its consequence`(code: Int32, consequence: StorageFailure.Consequence) {
    #expect(StorageFailure(code: code).consequence == consequence)
  }
}

private struct Refusal: Error {}

/// What happened to jobs, in order.
private final class Events: Sendable {
  let log = Mutex<[String]>([])

  func job(
    _ name: String, _ body: @escaping @Sendable (SQLiteTransaction) throws -> Void
  ) -> WriteJob {
    WriteJob(
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

@Suite struct WriteQueueTests {
  @Test func `jobs leave in the order in which they came`() {
    var queue = WriteQueue<Int>()
    #expect(queue.add(1) == .accepted(wakeWriter: false))
    #expect(queue.add(2) == .accepted(wakeWriter: false))
    #expect(queue.nextForGroup() == 1)
    #expect(queue.add(3) == .accepted(wakeWriter: false))
    #expect([queue.nextForGroup(), queue.nextForGroup(), queue.nextForGroup()] == [2, 3, nil])
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

  @Test func `failing hands back who waits, in order, and refuses for good`() {
    var queue = WriteQueue<Int>()
    for job in 1...3 { _ = queue.add(job) }
    _ = queue.nextForGroup()
    _ = queue.add(4)
    let error = StoreError(.unavailable, "gone")
    #expect(queue.fail(error) == [2, 3, 4])
    #expect(queue.add(5) == .refused(error))
    guard case .end = queue.next() else { return #expect(Bool(false), "the end") }
  }
}
