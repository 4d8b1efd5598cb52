// Repeating a request for zones whose answer was lost, or that the network has doubled: case ZON-20.

import BrumeModel
import BrumeTestKit
import Testing

@testable import BrumeCore

struct ZoneOperationMemoryTests {
  private let trails = EngineFixture.trails

  private func modify(
    _ fixture: EngineFixture, _ operations: [ZoneOperation], id: String? = "op-1",
    in scope: DatabaseScope = .private, as caller: Caller? = nil
  ) async throws -> [ZoneResult] {
    try await fixture.engine.zones.modify(
      operations, operationID: id, in: scope, as: caller ?? fixture.phone)
  }

  @Test(arguments: [nil, "op-1"])
  func `ZON-20 the copy of a deletion leaves the zone that was made since, if it has a name`(
    _ id: String?
  ) async throws {
    let fixture = try await EngineFixture()
    let first = try await modify(fixture, [.init(.delete, trails)], id: id)
    try await fixture.makeZone(trails)
    try await fixture.save(.create("h1"))
    let log = try await fixture.log().count
    let second = try await modify(fixture, [.init(.delete, trails)], id: id)
    #expect(try second.map { try $0.get() } == first.map { try $0.get() })
    #expect(try await (fixture.log().count == log) == (id != nil))
    guard id != nil else { return }
    #expect(try await fixture.exists("h1"))
  }

  @Test func `ZON-20 the copy of a creation makes nothing, and gets the zone as it is now`()
    async throws
  {
    let fixture = try await EngineFixture()
    let lakes = ZoneID(name: "Lakes")
    let first = try await modify(fixture, [.init(.create, lakes)])
    #expect(try first[0].get().isNew)
    try await fixture.save(.create("h1"), zone: lakes)
    let second = try await modify(fixture, [.init(.create, lakes)])
    #expect(try !second[0].get().isNew)
    try await fixture.deleteZone(lakes).get()
    let third = try await modify(fixture, [.init(.create, lakes)])
    #expect(third.map { $0.failure?.error.code } == [.zoneNotFound])
  }

  @Test func `ZON-20 what failed the first time fails again, and in its own place`() async throws {
    let fixture = try await EngineFixture()
    let operations: [ZoneOperation] = [
      .init(.delete, ZoneID(name: "Ghost")), .init(.create, ZoneID(name: "Lakes")),
    ]
    let first = try await modify(fixture, operations)
    #expect(first.map { $0.failure?.error.code } == [.zoneNotFound, nil])
    try await fixture.makeZone(ZoneID(name: "Ghost"))
    let second = try await modify(fixture, operations)
    #expect(second[0].failure?.error == first[0].failure?.error)
    #expect(try second[1].get() == first[1].get())
    #expect(try await fixture.changes(zone: ZoneID(name: "Ghost")).summary.isEmpty)
  }

  @Test func `a name that was used for other zones, or for records, is that of a first try`()
    async throws
  {
    let fixture = try await EngineFixture()
    _ = try await fixture.modify([.create("h1")], id: "op-1")
    _ = try await modify(fixture, [.init(.create, ZoneID(name: "Lakes"))])
    let other = try await modify(fixture, [.init(.delete, ZoneID(name: "Lakes"))])
    #expect(try other.map { try $0.get().deletion } == [.deleted])
    let again = try await modify(fixture, [.init(.create, ZoneID(name: "Rivers"))])
    #expect(try again[0].get().isNew)
    let log = try await fixture.log().count
    #expect(try await fixture.modify([.create("h1")], id: "op-1").allSucceeded)
    #expect(try await fixture.log().count == log)
  }

  @Test func `a name is forgotten after a day`() async throws {
    let fixture = try await EngineFixture()
    _ = try await modify(fixture, [.init(.delete, trails)])
    try await fixture.makeZone(trails)
    fixture.server.clock.advance(by: 86_400_001)
    _ = try await modify(fixture, [.init(.delete, trails)])
    #expect(try await fixture.failure(of: .create("h1")).code == .zoneNotFound)
  }

  @Test func `a repetition carries out what was refused for now, and nothing else`() async throws {
    let fixture = try await EngineFixture()
    let old = ZoneID(name: "Old")
    try await fixture.makeZone(old)
    let key = ZoneKey(database: try fixture.phone.databaseKey(.private), name: old.name)
    try await fixture.save(.create("h1"), zone: old)
    try await fixture.cutShort(old)
    let unfinished = fixture.engine.zoneEmptying.unfinished
    #expect(unfinished.begin([key]) == [key])
    let operations: [ZoneOperation] = [.init(.delete, trails), .init(.create, old)]
    let first = try await modify(fixture, operations)
    #expect(first.map { $0.failure?.error.code } == [nil, .tryAgainLater])
    unfinished.end([key])
    try await fixture.makeZone(trails)
    let second = try await modify(fixture, operations)
    for result in second { _ = try result.get() }
    #expect(try await fixture.changes(zone: old).summary.isEmpty)
    #expect(try await fixture.save(.create("h1")).name == "h1")
  }

  @Test func `ZON-20 the copy of leaving a zone does not leave it again after joining anew`()
    async throws
  {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("root"))
    let share = try await fixture.save(.share("s1", of: "root", open: .readOnly))
    try await fixture.join(share, as: fixture.bob)
    let zone = ZoneID(name: "Trails", ownerName: fixture.phone.user?.name)
    let leave = [ZoneOperation(.delete, zone)]
    let first = try await modify(fixture, leave, in: .shared, as: fixture.bob)
    #expect(try first.map { try $0.get().deletion } == [.deleted])
    let lost = try await modify(fixture, leave, in: .shared, as: fixture.bob)
    #expect(try lost.map { try $0.get() } == first.map { try $0.get() })
    try await fixture.join(share, as: fixture.bob)
    let late = try await modify(fixture, leave, in: .shared, as: fixture.bob)
    #expect(try late.map { try $0.get() } == first.map { try $0.get() })
    let shared = try await fixture.engine.zones.list(in: .shared, as: fixture.bob)
    #expect(shared.map(\.zone.name) == ["Trails"])
  }
}
