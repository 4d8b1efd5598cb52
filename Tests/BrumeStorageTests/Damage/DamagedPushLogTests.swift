// A page of the push log is damaged: what leaves a line there is done without it.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeSQLite

@Suite struct DamagedPushLogTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  /// A store whose push log has three hundred lines, and a damaged page at its end.
  private func damagedStore() async throws -> SQLiteStore {
    let store = try folder.openSQLite()
    try await store.write(in: .server) { transaction in
      for number in 100..<400 {
        try transaction.pushLog.append(DamageFixture.push(number), limit: 1000)
      }
    }
    try await store.close()
    try folder.damagePage(holding: "line-399")
    return try folder.openSQLite()
  }

  @Test func `work is done without its line, which is noted`() async throws {
    let store = try await damagedStore()
    await #expect(throws: StoreError.self) {
      try await store.write(in: .server) {
        try $0.pushLog.append(DamageFixture.push(400), limit: 1000)
      }
    }
    try await store.writeLogging(in: .server, limit: 1000) { transaction, log in
      try transaction.settings.set(.secret, to: [1, 2, 3])
      try log.append(DamageFixture.push(400))
    }
    #expect(try await store.read { try $0.settings.value(.secret) } == [1, 2, 3])
    #expect((store.damagedRows?.reads ?? 0) >= 3)
    try await store.close()
  }

  @Test func `what failed for another reason is not done without its line`() async throws {
    let store = try folder.openSQLite()
    let runs = Mutexed(0)
    await #expect(throws: BrumeError.self) {
      try await store.writeLogging(in: .server, limit: 1000) { _, log in
        runs.change { $0 += 1 }
        try log.append(DamageFixture.push(1))
        throw BrumeError(.notFound, "no such thing")
      }
    }
    #expect(runs.value == 1)
    try await store.close()
  }
}
