// What happens when the write-ahead log cannot be copied into the database, and when a page of it is damaged.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Dispatch
import Foundation
import GRDB
import Synchronization
import Testing

@testable import BrumeSQLite

@Suite struct LogCopyTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  static let outcomes: [(Int32, LogCopy)] = [
    (0, .done), (5, .done), (5 | 1 << 8, .done), (6, .done), (13, .noRoom),
    (10, .failed(StorageFailure(code: 10))),
    (10 | 4 << 8, .failed(StorageFailure(code: 10 | 4 << 8))),
    (11, .failed(StorageFailure(code: 11))), (7, .failed(StorageFailure(code: 7))),
  ]
  @Test(arguments: outcomes)
  func `a result code says whether the log may be copied again`(code: Int32, copy: LogCopy) {
    #expect(LogCopy(code: code) == copy)
  }

  @Test func `a copy beside that fails is reported, and is the last`() throws {
    let path = folder.path + "/log.sqlite"
    let database = try Self.logOfLostPages(path)
    let reported = Mutex<[LogCopy]>([])
    let checkpointer = Checkpointer(path: path)
    #expect(checkpointer.start { copy in reported.withLock { $0.append(copy) } })
    #expect(!checkpointer.committed(pages: CheckpointPlan.pages))
    _ = checkpointer.waitForCopy()
    #expect(!checkpointer.committed(pages: CheckpointPlan.mostPages))
    checkpointer.close()
    let copies = reported.withLock { $0 }
    guard copies.count == 1, case .failed = copies[0] else {
      return #expect(Bool(false), "one failure, not \(copies)")
    }
    try database.close()
  }

  /// A database whose log lacks its pages, so that they cannot be copied.
  private static func logOfLostPages(_ path: String) throws -> DatabaseQueue {
    let database = try DatabaseQueue(path: path)
    try database.writeWithoutTransaction { database in
      _ = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
      _ = try Int.fetchOne(database, sql: "PRAGMA wal_autocheckpoint = 0")
      try database.execute(sql: "CREATE TABLE lost (content)")
      for _ in 0..<50 { try database.execute(sql: "INSERT INTO lost VALUES (zeroblob(3000))") }
    }
    let log = try #require(FileHandle(forWritingAtPath: path + "-wal"))
    try log.truncate(atOffset: 100)
    try log.close()
    return database
  }

  @Test func `B11 after a copy that failed no write is taken, and the next start has the log`()
    async throws
  {
    let store = try folder.openSQLite()
    try await store.write(in: .database(.sample())) { try $0.putNext("before") }
    store.writer.copied(.failed(StorageFailure(code: 10)))
    let error = await #expect(throws: StoreError.self) {
      try await store.write(in: .database(.sample())) { try $0.putNext("refused") }
    }
    #expect(error?.code == .unavailable)
    #expect(try await store.read { try $0.sequences.last(in: .sample()) } == 1)
    let size = try folder.sizeOfLog()
    try await store.close()
    #expect(size > 0)
    #expect(try folder.sizeOfLog() == size)
    let again = try folder.openSQLite()
    #expect(try await again.read { try $0.sequences.last(in: .sample()) } == 1)
    try await again.close()
  }

  @Test func `a disk without room for the copy takes writes as long as the log grows`() async throws
  {
    let store = try folder.openSQLite()
    store.writer.copied(.noRoom)
    try await store.write(in: .database(.sample())) { try $0.putNext("one") }
    try await store.close()
    let again = try folder.openSQLite()
    #expect(try await again.read { try $0.sequences.last(in: .sample()) } == 1)
    try await again.close()
  }
}

@Suite struct DamagedPageTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private static let kilobyte: [String: FieldValue] = [
    "b": .bytes(Array(repeating: 7, count: 1000))
  ]

  /// A store of thirty records, of which one page is damaged that has the twentieth.
  private func damagedStore() async throws -> SQLiteStore {
    let store = try folder.openSQLite()
    try await store.write(in: .all) { transaction in
      for number in 10..<40 { try transaction.putNext("alice-\(number)", fields: Self.kilobyte) }
    }
    try await store.close()
    try folder.damagePage(holding: "alice-20")
    return try folder.openSQLite()
  }

  @Test func `a write that meets a damaged page is refused, and no other`() async throws {
    let store = try await damagedStore()
    for round in 0..<2 {
      let error = await #expect(throws: StoreError.self) {
        try await store.write(in: .all) { try $0.putNext("alice-20") }
      }
      #expect(error?.code == .corrupt)
      try await store.write(in: .all) { try $0.putNext("bob-\(round)") }
    }
    // A body that looks away is not saved either.
    await #expect(throws: StoreError.self) {
      try await store.write(in: .all) {
        _ = try? $0.putNext("alice-20")
        try $0.putNext("bob-2")
      }
    }
    try await store.read { transaction in
      for (name, isThere) in [("bob-0", true), ("bob-1", true), ("bob-2", false)] {
        let found = try transaction.records.find(RecordKey(zone: .sample(), name: name))
        #expect((found != nil) == isThere, "\(name)")
      }
    }
    try await store.close()
  }

  @Test func `who shares a commit with a write that meets a damaged page is saved`() async throws {
    let store = try await damagedStore()
    #expect(try together(store) == ["bob-0": true, "alice-20": false, "bob-1": true])
    try await store.read { transaction in
      for name in ["bob-0", "bob-1"] {
        try #expect(transaction.records.find(RecordKey(zone: .sample(), name: name)) != nil)
      }
    }
    try await store.close()
  }

  /// Which of three writes succeed that are committed together.
  private func together(_ store: SQLiteStore) throws -> [String: Bool] {
    let (gate, answered) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let outcomes = Mutex<[String: Bool]>([:])
    for name in ["bob-0", "alice-20", "bob-1"] {
      try store.writer.add(
        WriteJob(
          isRepeatable: false,
          run: { transaction in
            if name == "bob-0" { gate.wait() }
            do { try transaction.putNext(name) } catch { return error }
            return nil
          },
          finish: { error in
            outcomes.withLock { $0[name] = error == nil }
            answered.signal()
          }))
    }
    // The first waits each time that it runs: with the second, and again without it.
    for _ in 0..<2 { gate.signal() }
    for _ in 0..<3 { answered.wait() }
    return outcomes.withLock { $0 }
  }
}
