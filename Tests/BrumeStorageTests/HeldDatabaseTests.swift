// What becomes of writes while another program holds the database.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Dispatch
import GRDB
import Synchronization
import Testing

@testable import BrumeSQLite

@Suite struct HeldDatabaseTests {
  private let clock: Clock
  private let folder: TemporaryFolder
  private let store: SQLiteStore

  /// Holds the writer's thread before it begins a transaction, where it looks at its clock.
  private final class Clock: Sendable {
    private let isArmed = Mutex(false)
    private let (held, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))

    func now() -> Int64 {
      let holds = isArmed.withLock { isArmed in
        defer { isArmed = false }
        return isArmed
      }
      if holds {
        held.signal()
        gate.wait()
      }
      return 0
    }
    func holdNext() { isArmed.withLock { $0 = true } }
    func untilHeld() { held.wait() }
    func goOn() { gate.signal() }
  }

  init() throws {
    let (folder, clock) = (try TemporaryFolder(), Clock())
    (self.folder, self.clock) = (folder, clock)
    store = try folder.openSQLite(busySeconds: 0, nanoseconds: { clock.now() })
  }

  /// Another program that has begun to write.
  private func holder() throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let holder = try DatabaseQueue(
      path: folder.path + "/data/brume.sqlite", configuration: configuration)
    try holder.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE") }
    return holder
  }

  private func write(_ name: String, isRepeatable: Bool) async throws {
    if isRepeatable {
      try await store.writeRepeatable(in: .all) { try $0.putNext(name) }
    } else {
      try await store.write(in: .all) { try $0.putNext(name) }
    }
  }

  @Test(arguments: [false, true])
  func `a write is refused, and taken when the other program has ended its own`(
    isRepeatable: Bool
  ) async throws {
    let holder = try holder()
    for _ in 0..<2 {
      let error = await #expect(throws: StoreError.self) {
        try await write("refused", isRepeatable: isRepeatable)
      }
      // The server would end with `unavailable`.
      #expect(error?.code == .unreachable)
      #expect(error?.description.contains("another program") == true)
    }
    try holder.inDatabase { try $0.execute(sql: "ROLLBACK") }
    try await write("taken", isRepeatable: isRepeatable)
    try await store.read { transaction in
      try #expect(transaction.sequences.last(in: .sample()) == 1)
      try #expect(transaction.records.find(RecordKey(zone: .sample(), name: "taken")) != nil)
    }
    try await store.close()
  }

  @Test func `who waits behind a write that cannot begin is refused with it`() async throws {
    let holder = try holder()
    #expect(try codesOfTwo() == [.unreachable, .unreachable])
    try holder.inDatabase { try $0.execute(sql: "ROLLBACK") }
    try await write("taken", isRepeatable: false)
    try await store.close()
  }

  /// What two writes are answered of which the second waits when the first begins.
  private func codesOfTwo() throws -> [StoreError.Code?] {
    let answered = DispatchSemaphore(value: 0)
    let codes = Mutex<[StoreError.Code?]>([])
    let job = WriteJob(isRepeatable: false, run: { _ in nil }) { error in
      codes.withLock { $0.append((error as? StoreError)?.code) }
      answered.signal()
    }
    clock.holdNext()
    try store.writer.add(job)
    clock.untilHeld()
    try store.writer.add(job)
    clock.goOn()
    for _ in 0..<2 { answered.wait() }
    return codes.withLock { $0 }
  }
}
