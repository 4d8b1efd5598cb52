// A large zone goes in steps, and is gone from the first on.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeCore

struct ZoneEmptyingTests {
  private static let large = ZoneWriter.room + 1

  private func fill(_ fixture: EngineFixture, _ zone: ZoneID, _ count: Int) async throws {
    try await fixture.makeZone(zone)
    for start in stride(from: 0, to: count, by: 200) {
      let some = (start..<min(count, start + 200)).map { RecordOperation.create("r\($0)") }
      #expect(try await fixture.modify(some, zone: zone).allSucceeded)
    }
  }

  /// Rows that a zone still has, whether it is there or not.
  private func rows(_ fixture: EngineFixture, _ zone: ZoneID) async throws -> Int {
    let key = ZoneKey(database: try fixture.phone.databaseKey(.private), name: zone.name)
    return try await fixture.server.store.read {
      try $0.changes.page(in: key, after: 0, through: .max, limit: 10_000).count
    }
  }

  @Test(arguments: [large - 1, large, 2 * large])
  func `ZON-04 a zone goes with all its rows, however many they are`(count: Int) async throws {
    let fixture = try await EngineFixture()
    let zone = ZoneID(name: "Large")
    try await fill(fixture, zone, count)
    try await fixture.modify([.delete("r0")], zone: zone).first?.get()
    let result = try await fixture.deleteZone(zone).get()
    #expect(result.deletion == .deleted)
    #expect(try await rows(fixture, zone) == 0)
    try await fixture.makeZone(zone)
    #expect(try await fixture.changes(zone: zone).summary.isEmpty)
  }

  @Test func `ZON-12 an operator's purge leaves no rows either`() async throws {
    let fixture = try await EngineFixture()
    let (large, user) = (ZoneID(name: "Large"), try #require(fixture.phone.user))
    try await fill(fixture, large, Self.large)
    let place = fixture.phone.containerEnvironment
    try await fixture.engine.zoneAdministration.purge("Large", of: user, in: place)
    #expect(try await rows(fixture, large) == 0)
    try await fill(fixture, large, Self.large)
    try await fixture.engine.zoneAdministration.resetEncryptedData(of: user, in: place)
    #expect(try await rows(fixture, large) == 0)
  }

  @Test func `ZON-12 what a purged default zone held counts for its user no more`() async throws {
    let fixture = try await EngineFixture()
    let store = fixture.server.store
    let alice = try #require(try await store.read { try $0.users.find(named: "alice") })
    func records() async throws -> Int64? {
      try await fixture.engine.storageReports.report(on: alice).users.first?.size.records
    }
    try await fixture.save(.create("r"), zone: nil)
    #expect(try await records() == 1)
    try await fixture.engine.zoneAdministration.purge(
      ZoneID.defaultName, of: alice.id, in: fixture.phone.containerEnvironment)
    #expect(try await records() == 0)
  }

  @Test func `what a deletion that was cut short has left is gone for everybody, and goes later`()
    async throws
  {
    let fixture = try await EngineFixture()
    let zone = ZoneID(name: "Large")
    try await fill(fixture, zone, 3)
    try await fixture.cutShort(zone)
    let failure = try await fixture.failure(of: .create("new"), zone: zone)
    #expect(failure.code == .userDeletedZone || failure.code == .zoneNotFound)
    // Who makes it again takes away first what is left.
    try await fixture.makeZone(zone)
    #expect(try await fixture.changes(zone: zone).summary.isEmpty)
  }

  @Test func `a zone is made again in the request that deletes it, however large it was`()
    async throws
  {
    let fixture = try await EngineFixture()
    let zone = ZoneID(name: "Large")
    try await fill(fixture, zone, Self.large)
    let results = try await fixture.engine.zones.modify(
      [.init(.delete, zone), .init(.create, zone)], in: .private, as: fixture.phone)
    for result in results { _ = try result.get() }
    #expect(try await rows(fixture, zone) == 0)
    #expect(try await fixture.changes(zone: zone).summary.isEmpty)
  }

  @Test func `what a request that was given up has left goes without it`() async throws {
    let fixture = try await EngineFixture()
    let zone = ZoneID(name: "Large")
    let key = ZoneKey(database: try fixture.phone.databaseKey(.private), name: zone.name)
    try await fill(fixture, zone, 2 * Self.large)
    try await fixture.cutShort(zone)
    let emptying = fixture.engine.zoneEmptying
    let isDone = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await emptying.finishOrHandOver([key])
    }.value
    #expect(!isDone)
    #expect(try await rows(fixture, zone) > 0)
    try await emptying.finishUnfinished()
    #expect(try await rows(fixture, zone) == 0)
  }

  @Test func `a zone that one request empties is left to it by the others`() async throws {
    let fixture = try await EngineFixture()
    let zone = ZoneID(name: "Large")
    let key = ZoneKey(database: try fixture.phone.databaseKey(.private), name: zone.name)
    try await fill(fixture, zone, 3)
    try await fixture.cutShort(zone)
    let unfinished = fixture.engine.zoneEmptying.unfinished
    #expect(unfinished.begin([key]) == [key])
    let create = ZoneOperation(.create, zone)
    let refused = try await fixture.engine.zones.modify(
      [create], in: .private, as: fixture.phone)
    #expect(refused.map { $0.failure?.error.code } == [.tryAgainLater])
    #expect(try await rows(fixture, zone) == 3)
    unfinished.end([key])
    try await fixture.makeZone(zone)
    #expect(try await rows(fixture, zone) == 0)
  }

  @Test func `rows of deleted zones are looked for`() async throws {
    let fixture = try await EngineFixture()
    let zone = ZoneID(name: "Large")
    try await fill(fixture, zone, 3)
    try await fixture.cutShort(zone)
    #expect(try await fixture.engine.zoneEmptying.sweep() == 1)
    #expect(try await rows(fixture, zone) == 0)
    #expect(try await fixture.engine.zoneEmptying.sweep() == 0)
  }

  @Test func `what is in a zone that was made again stays`() async throws {
    let fixture = try await EngineFixture()
    let zone = ZoneID(name: "Large")
    let key = ZoneKey(database: try fixture.phone.databaseKey(.private), name: zone.name)
    try await fill(fixture, zone, Self.large)
    try await fixture.deleteZone(zone).get()
    try await fill(fixture, zone, Self.large)
    try await fixture.engine.zoneEmptying.finish([key])
    #expect(try await rows(fixture, zone) == Self.large)
  }

  @Test func `two who empty a zone at once take no more at a time than one`() async throws {
    let fixture = try await EngineFixture()
    let zone = ZoneID(name: "Large")
    let key = ZoneKey(database: try fixture.phone.databaseKey(.private), name: zone.name)
    try await fill(fixture, zone, 3 * Self.large)
    try await fixture.cutShort(zone)
    let first = (0..<Self.large).map { "r\($0)" }
    let left = try await fixture.server.store.write(in: .database(key.database)) { transaction in
      for name in first {
        let record = RecordKey(zone: key, name: name)
        guard let stored = try transaction.records.find(record) else { continue }
        try transaction.records.remove(record, type: stored.type, sequence: stored.sequence)
      }
      _ = try transaction.records.forgetDeletions(of: first, in: key, through: .max)
      // As somebody who has read the same names does now.
      let isDone = try transaction.remove(first, in: key)
      let rows = try transaction.changes.page(in: key, after: 0, through: .max, limit: 10_000)
      return isDone ? 0 : rows.count
    }
    #expect(left == 2 * Self.large)
  }

  @Test func `ZON-04 no query finds what a deleted zone still has`() async throws {
    let fixture = try await EngineFixture()
    let zone = ZoneID(name: "Large")
    try await fill(fixture, zone, 3)
    try await fixture.cutShort(zone)
    let page = try await fixture.engine.queries.run(
      QueryRequest(query: Query(recordType: "Hike"), zoneWide: true), in: .private,
      as: fixture.phone)
    #expect(page.records.isEmpty)
  }
}

extension EngineFixture {
  /// As after the first write of a deletion, and then the server ended.
  func cutShort(_ zone: ZoneID) async throws {
    let key = ZoneKey(database: try phone.databaseKey(.private), name: zone.name)
    try await server.store.write(in: .database(key.database)) { transaction in
      var gone = try transaction.zones.live(key)
      gone.lastSequence = try transaction.sequences.next(in: key.database)
      gone.deletion = .deleted
      try transaction.zones.put(gone)
    }
  }
}
