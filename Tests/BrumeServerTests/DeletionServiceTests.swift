// Deletions of large zones that a server could not finish, and when it looks for them and for old deletions.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeServer

@Suite(.timeLimit(.minutes(5)))
struct DeletionServiceTests {
  private static let day: Milliseconds = 86_400_000
  private static let database = DatabaseKey(
    in: ServerFixture.containerEnvironment, owner: UserID("_alice"))
  private static let zone = ZoneKey(database: database, name: "Large")

  /// A server that remembers deletions for as long as zones live, which is the default.
  @Test func `what a dead server has left of a deleted zone goes when one begins`() async throws {
    let fixture = try await ServerFixture()
    #expect(fixture.server.settings.limits.deletionLifetime == nil)
    let store = fixture.server.store
    try await store.leaveUnfinished(Self.zone)
    try await fixture.live { _ in
      while try await !store.unfinishedZones().isEmpty { await Task.yield() }
      let rows = try await store.read {
        try $0.changes.page(in: Self.zone, after: 0, through: .max, limit: 9)
      }
      #expect(rows.isEmpty)
    }
  }

  @Test func `old deletions are forgotten though a deleted zone cannot be emptied`() async throws {
    let damaged = Mutexed<DamagedZones?>(nil)
    let fixture = try await ServerFixture {
      $0.isClockManual = true
      $0.limits.deletionLifetime = 8 * Self.day
    } wrapping: {
      let store = DamagedZones($0)
      damaged.value = store
      return store
    }
    let store = try #require(damaged.value)
    store.damage(first: 1)
    try await store.leaveUnfinished(Self.zone)
    try await delete("a", in: ZoneKey(database: Self.database, name: "Notes"), store)
    let time = try #require(fixture.server.clock.manual)
    // At the first look the deletion gets a time, at the second it is too old.
    try await run(fixture, looks: 2, now: { time.now }) { time.advance(by: 9 * Self.day) }
    #expect(try await store.unfinishedZones() == [Self.zone])
    let deletions = try await store.read {
      try $0.changes.deletions(
        in: ZoneKey(database: Self.database, name: "Notes"), after: 0, through: .max, limit: 9)
    }
    #expect(deletions.isEmpty)
  }

  @Test func `an operator learns what was forgotten beside what is damaged`() {
    let error = DeletionAdmin.stayed(
      StoreError(.corrupt, "invalid page in block 7"),
      after: DeletionReport(deletions: 12, zones: 3, databases: 4), false)
    #expect(error.code == .internalError)
    #expect(error.reason.hasPrefix("12 deletions of 3 zones are forgotten; some stay"))
    #expect(error.reason.contains("block 7") && error.reason.contains("brume doctor --deep"))
  }

  @Test func `a clock that was ahead holds up no look once it is right`() async throws {
    let fixture = try await ServerFixture()
    let (store, time) = (fixture.server.store, Mutexed(100 * Self.day))
    try await run(fixture, looks: 2, now: { time.value }) {
      time.change { $0 -= 50 * Self.day }
      try await store.leaveUnfinished(Self.zone)
    }
    #expect(try await store.unfinishedZones().isEmpty)
  }

  /// Has the service look so many times, with `between` after each look but the last.
  private func run(
    _ fixture: ServerFixture, looks: Int, now: @escaping @Sendable () -> Milliseconds,
    between: @escaping @Sendable () async throws -> Void
  ) async throws {
    let (server, done) = (fixture.server, Mutexed(0))
    let clock = PushClock(now: now) { _ in
      done.change { $0 += 1 }
      guard done.value < looks else { throw CancellationError() }
      try await between()
    }
    let service = DeletionService(
      memory: server.engine.deletionMemory, zones: server.engine.zoneEmptying,
      leases: server.store.leases, clock: clock, interval: server.settings.limits.deletionSweep,
      metrics: server.metrics, logger: ServerFixture.silent)
    await #expect(throws: CancellationError.self) { try await service.run() }
  }

  /// A record that was there and is deleted.
  private func delete(_ name: String, in zone: ZoneKey, _ store: any Store) async throws {
    try await store.write(in: .database(zone.database)) { transaction in
      let record = Record(name: name, zone: zone.id, type: "Note")
      let sequence = try transaction.sequences.next(in: zone.database)
      try transaction.records.put(record, in: zone, sequence: sequence)
      let last = try transaction.sequences.next(in: zone.database)
      try transaction.records.remove(
        RecordKey(zone: zone, name: name), type: record.type, sequence: last)
      try transaction.zones.put(Zone(key: zone, incarnation: sequence, lastSequence: last))
    }
  }
}
