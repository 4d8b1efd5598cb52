// A backup that continues an earlier one is what a whole one would be.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@Suite struct BackupIncrementTests {
  @Test(arguments: [StoreEngine.memory, .sqlite])
  func `a chain of backups comes back as the last state, into SQLite and PostgreSQL`(
    engine: StoreEngine
  ) async throws {
    let folder = try TemporaryFolder()
    let store = try engine.open(folder)
    try await FilledStore.fill(store)
    let whole = try await BackupFixture(of: store, id: "B1")
    try await Self.change(store, round: 1)
    let second = try await BackupFixture(of: store, id: "B2")
    try await Self.change(store, round: 2)
    let third = try await BackupFixture(of: store, id: "B3")
    try await store.close()
    let chain = [whole, try second.continuing([whole])]
    let last = try third.continuing(chain)
    #expect(last.bytes.count < third.bytes.count / 4)

    let file = try #require(try last.file(after: chain))
    try file.survey()
    let expected = try third.check()
    #expect(file.report.hash == expected.hash)
    #expect(file.report.counts == expected.counts)
    #expect(file.report.generation == expected.generation)
    let target = try TemporaryFolder()
    #expect(try last.restore(into: target, after: chain) == expected.hash)
    let url = try PostgresServer.shared.get().emptySchema()
    #expect(try last.restore(intoPostgres: url, buckets: 4, after: chain) == expected.hash)
  }

  @Test func `without what it continues, or with another, it is no backup`() async throws {
    let store = MemoryStore(coders: .wireForm)
    try await FilledStore.fill(store)
    let whole = try await BackupFixture(of: store, id: "B1")
    try await Self.change(store, round: 1)
    let second = try await BackupFixture(of: store, id: "B2").continuing([whole])
    try await Self.change(store, round: 2)
    let other = try await BackupFixture(of: store, id: "B3")
    // Its list of files is that of both.
    #expect(throws: StoreError.self) { try second.file(after: [])?.survey() }
    let error = #expect(throws: StoreError.self) { try second.file(after: [other])?.survey() }
    #expect(error?.description.contains("do not make what was backed up") == true)
    #expect(throws: Never.self) { try second.file(after: [whole])?.survey() }
  }

  @Test func `a flipped bit and a missing end are found in a backup that continues another`()
    async throws
  {
    let store = MemoryStore(coders: .wireForm)
    try await FilledStore.fill(store)
    let whole = try await BackupFixture(of: store, id: "B1")
    try await Self.change(store, round: 1)
    let second = try await BackupFixture(of: store, id: "B2").continuing([whole])
    var random = SeededRandom(seed: 12)
    for _ in 0..<60 {
      var damaged = second
      let place = Int.random(in: 0..<second.bytes.count, using: &random)
      damaged.bytes[place] ^= UInt8(1 << Int.random(in: 0..<8, using: &random))
      #expect(throws: StoreError.self, "byte \(place)") {
        try damaged.file(after: [whole])?.survey()
      }
      damaged.bytes = Array(second.bytes.prefix(place))
      #expect(throws: StoreError.self, "cut at \(place)") {
        try damaged.file(after: [whole])?.survey()
      }
    }
  }

  /// Some of everything that can become of rows: they come, change and go.
  private static func change(_ store: any Store, round: Int) async throws {
    try await store.write(in: .everything(of: store)) { transaction in
      let zone = ZoneKey.sample("Trails", owner: "_a1")
      try transaction.putNext("new \(round)", in: zone)
      try transaction.putNext("a", in: zone)
      let sequence = try transaction.sequences.next(in: zone.database)
      try transaction.records.remove(
        RecordKey(zone: zone, name: round == 1 ? "b" : "new 1"), type: "Trail",
        coveringShares: [], sequence: sequence)
      try transaction.notifications.setBadge(10 + round, of: UserID("_a1"), in: .sample)
      try transaction.settings.set(.secret, to: [UInt8(round)])
    }
  }
}
