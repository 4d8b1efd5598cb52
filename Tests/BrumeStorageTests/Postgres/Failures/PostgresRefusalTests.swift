// Statements that the server refuses, and bodies that end its sessions.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Dispatch
import Testing

@testable import BrumePostgres

@Suite(.timeLimit(.minutes(5))) struct PostgresRefusalTests {
  /// PostgreSQL's texts have no U+0000, and the key of an index row has room for 2,704 bytes.
  private static let long: String = {
    var random = SeededRandom(seed: 1)
    return String(
      (0..<9000).map { _ in Character(UnicodeScalar(UInt8(33 + random.next(below: 90)))) })
  }()

  @Test(arguments: ["nul\u{0}", long])
  func `a write that the server refuses fails alone, the others of its group are committed`(
    name: String
  ) async throws {
    let store = try PostgresStore.forTest(writers: 1, readers: 1)
    let saver = Saver()
    let gate = DispatchSemaphore(value: 0)
    await withTaskGroup(of: Void.self) { group in
      group.addTask(operation: {
        // Until it ends, all others gather. It may run again.
        _ = try? await store.write(in: .database(.sample())) { _ in
          gate.wait()
          gate.signal()
        }
      })
      for number in 0..<10 {
        group.addTask(operation: {
          await saver.save(number == 5 ? name : "r\(number)", in: store)
        })
      }
      gate.signal()
      await group.waitForAll()
    }
    #expect(saver.answer(name) == .refused)
    #expect(saver.savedCount == 9)
    #expect(try await saver.faults(in: store) == [])
    try await store.close()
  }

  @Test func `a write whose plan names something damaged fails alone`() async throws {
    let url = try PostgresServer.shared.get().emptySchema()
    let store = try PostgresStore.forTest(url: url, writers: 1, readers: 1)
    let damaged = ZoneKey.sample(owner: "_damaged")
    try await store.write(in: .database(damaged.database)) {
      try $0.zones.put(Zone(key: damaged, incarnation: 1, lastSequence: 0))
    }
    try Connection.forTest(url).simple("UPDATE zones SET deletion = 'x' WHERE incarnation = 1")
    let saver = Saver()
    let gate = DispatchSemaphore(value: 0)
    let (answers, answered) = AsyncStream.makeStream(of: (any Error)?.self)
    await withTaskGroup(of: Void.self) { group in
      group.addTask(operation: {
        // Until it ends, all others gather. It may run again.
        _ = try? await store.write(in: .database(.sample())) { _ in
          gate.wait()
          gate.signal()
        }
      })
      for number in 0..<10 {
        group.addTask(operation: { await saver.save("r\(number)", in: store) })
      }
      group.addTask(operation: {
        do {
          try await store.write(
            in: .database(damaged.database), reading: ReadPlan { [.zone(damaged)] }
          ) { _ in }
          answered.yield(nil)
        } catch {
          answered.yield(error)
        }
      })
      gate.signal()
      await group.waitForAll()
    }
    for await error in answers {
      #expect((error as? StoreError)?.code == .corrupt)
      break
    }
    #expect(saver.savedCount == 10)
    #expect(try await saver.faults(in: store) == [])
    try await store.close()
  }

  @Test func `a write that ends the server's session each time is given up, and others go on`()
    async throws
  {
    let store = try PostgresStore.forTest(writers: 1, readers: 1)
    let error = await #expect(throws: StoreError.self) {
      try await store.write(in: .database(.sample())) { transaction in
        try transaction.putNext("lost")
        let postgres = try #require(transaction as? PostgresTransaction)
        postgres.session.run(SQL("SELECT pg_terminate_backend(pg_backend_pid())"))
      }
    }
    #expect(error?.code == .unreachable)
    let saver = Saver()
    await saver.save("next", in: store)
    #expect(saver.answer("next") == .saved(1))
    #expect(try await saver.faults(in: store) == [])
    try await store.close()
  }

  @Test func `a refused read does no harm to the next`() async throws {
    let store = try PostgresStore.forTest(readers: 1)
    let key = RecordKey(zone: .sample(), name: "a")
    try await store.write(in: .database(.sample())) { try $0.putNext("a") }
    await #expect(throws: StoreError.self) {
      _ = try await store.read {
        try $0.records.find(RecordKey(zone: .sample(), name: "nul\u{0}"))
      }
    }
    #expect(try await store.read { try $0.records.find(key) } != nil)
    try await store.close()
  }
}
