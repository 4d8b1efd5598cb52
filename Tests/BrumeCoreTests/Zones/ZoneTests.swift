// Zones: cases ZON.

import BrumeCore
import BrumeModel
import BrumeSchema
import BrumeStorage
import BrumeTestKit
import Testing

struct ZoneTests {
  @Test func `ZON-01 a new zone comes back with what the server gave it`() async throws {
    let fixture = try await EngineFixture()
    let zone = try await fixture.makeZone(ZoneID(name: "Lakes"))
    #expect(zone.zone.name == "Lakes")
    #expect(zone.zone.ownerName == fixture.phone.user?.name)
    #expect(zone.isAtomic)
    #expect(zone.token != nil)
  }

  @Test func `ZON-02 saving a zone again keeps its records`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1"))
    let before = try await fixture.changes()
    let zone = try await fixture.makeZone(EngineFixture.trails)
    #expect(zone.zone.name == "Trails")
    #expect(try await fixture.exists("h1"))
    #expect(try await fixture.changes(since: before.token).summary == [])
  }

  @Test func `ZON-03 one bad zone in a request does not keep the other from being made`()
    async throws
  {
    let fixture = try await EngineFixture()
    let results = try await fixture.engine.zones.modify(
      [.init(.create, ZoneID(name: "_bad")), .init(.create, ZoneID(name: "Good"))],
      in: .private, as: fixture.phone)
    #expect(results[0].failure?.error.code == .badRequest)
    #expect(try results[1].get().zone.name == "Good")
  }

  @Test func `ZON-04 deleting a zone takes its records and its subscriptions along`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1"))
    let token = try await fixture.databaseChanges(as: fixture.tablet).token
    let scope = SubscriptionScope(
      in: TestContainer.development, scope: .private, user: try #require(fixture.phone.user))
    let subscription = Subscription(
      id: "s", kind: .zone(EngineFixture.trails, recordType: nil), info: nil)
    try await fixture.server.store.write(in: .all) {
      try $0.subscriptions.put(
        StoredSubscription(
          scope: scope, subscription: subscription, starts: LogPositions(0, in: .only)))
    }
    #expect(try await fixture.deleteZone(EngineFixture.trails).get().deletion == .deleted)
    #expect(
      try await fixture.databaseChanges(since: token, as: fixture.tablet).summary == [
        "-Trails deleted"
      ])
    let left = try await fixture.server.store.read { try $0.subscriptions.all(in: scope).count }
    #expect(left == 0)
    try await fixture.makeZone(EngineFixture.trails)
    #expect(try await fixture.exists("h1") == false)
  }

  @Test func `ZON-05 deleting a zone that is not there says so`() async throws {
    let fixture = try await EngineFixture()
    #expect(
      try await fixture.deleteZone(ZoneID(name: "Ghost")).failure?.error.code == .zoneNotFound)
  }

  @Test func `ZON-05 deleting a zone that the user purged says that he deleted it`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.makeZone(ZoneID(name: "Kept"))
    try await fixture.engine.zoneAdministration.purge(
      "Trails", of: try #require(fixture.phone.user), in: TestContainer.development)
    let results = try await fixture.engine.zones.modify(
      [.init(.delete, EngineFixture.trails), .init(.delete, ZoneID(name: "Kept"))], in: .private,
      as: fixture.phone)
    #expect(results.map { $0.failure?.error.code } == [.userDeletedZone, nil])
  }

  @Test func `ZON-06 looking up a missing zone fails for that zone only`() async throws {
    let fixture = try await EngineFixture()
    let results = try await fixture.engine.zones.lookup(
      [EngineFixture.trails, ZoneID(name: "Ghost")], in: .private, as: fixture.phone)
    #expect(try results[0].get().zone.name == "Trails")
    #expect(results[1].failure?.error.code == .zoneNotFound)
  }

  @Test func `ZON-07 looking up three of five zones gives exactly those`() async throws {
    let fixture = try await EngineFixture()
    for name in ["A", "B", "C", "D"] { try await fixture.makeZone(ZoneID(name: name)) }
    let wanted = ["A", "C", "Trails"].map { ZoneID(name: $0) }
    let results = try await fixture.engine.zones.lookup(wanted, in: .private, as: fixture.phone)
    #expect(try results.map { try $0.get().zone.name } == ["A", "C", "Trails"])
  }

  @Test func `ZON-08 a new user has the default zone before any write`() async throws {
    let fixture = try await EngineFixture()
    let zones = try await fixture.engine.zones.list(in: .private, as: fixture.bob)
    #expect(zones.map(\.zone.name) == ["_defaultZone"])
    #expect(zones[0].isAtomic == false)
    #expect(zones[0].token == nil)
  }

  @Test(arguments: [DatabaseScope.public, .shared])
  func `ZON-09 ZON-10 zones are made in the private database only`(_ scope: DatabaseScope)
    async throws
  {
    let fixture = try await EngineFixture()
    let error = try await ruleFailure {
      try await fixture.engine.zones.modify(
        [.init(.create, ZoneID(name: "Z"))], in: scope, as: fixture.phone)
    }
    #expect(error.code == .badDatabase)
  }

  @Test func `ZON-12 after a purge calls say that the user deleted the zone`() async throws {
    let fixture = try await EngineFixture()
    let token = try await fixture.databaseChanges().token
    try await fixture.engine.zoneAdministration.purge(
      "Trails", of: try #require(fixture.phone.user), in: TestContainer.development)
    #expect(try await fixture.failure(of: .create("h1")).code == .userDeletedZone)
    #expect(try await fixture.changesFailure(since: nil).code == .userDeletedZone)
    #expect(try await fixture.databaseChanges(since: token).summary == ["-Trails purged"])
  }

  @Test func `ZON-13 after a deletion by another device calls say that the zone is missing`()
    async throws
  {
    let fixture = try await EngineFixture()
    try await fixture.deleteZone(EngineFixture.trails, as: fixture.tablet)
    #expect(try await fixture.failure(of: .create("h1")).code == .zoneNotFound)
    #expect(try await fixture.changesFailure(since: nil).code == .zoneNotFound)
  }

  @Test func `ZON-14 a reset of encrypted data is reported with the error and in the feed`()
    async throws
  {
    let fixture = try await EngineFixture()
    let token = try await fixture.databaseChanges().token
    try await fixture.engine.zoneAdministration.resetEncryptedData(
      of: try #require(fixture.phone.user), in: TestContainer.development
    )
    let error = try await fixture.failure(of: .create("h1"))
    #expect(error.code == .zoneNotFound)
    #expect(error.didResetEncryptedData)
    #expect(
      try await fixture.databaseChanges(since: token).summary == ["-Trails encryptedDataReset"])
  }

  @Test func `ZON-15 a purged zone can be made again`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.engine.zoneAdministration.purge(
      "Trails", of: try #require(fixture.phone.user), in: TestContainer.development)
    try await fixture.makeZone(EngineFixture.trails)
    try await fixture.save(.create("h1"))
    #expect(try await fixture.changes().summary == ["+h1"])
  }

  @Test func `ZON-16 a token of an earlier incarnation of a zone is expired`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("old"))
    let token = try await fixture.changes().token
    try await fixture.deleteZone(EngineFixture.trails)
    try await fixture.makeZone(EngineFixture.trails)
    try await fixture.save(.create("new"))
    #expect(try await fixture.changesFailure(since: token).code == .changeTokenExpired)
    #expect(try await fixture.changes().summary == ["+new"])
  }

  @Test func `ZON-16 its owner sees that a zone is new until something is saved in it`()
    async throws
  {
    let fixture = try await EngineFixture()
    func trails() async throws -> ZoneState? {
      try await fixture.engine.zones.list(in: .private, as: fixture.phone).last
    }
    #expect(try await trails()?.isNew == true)
    try await fixture.save(.create("h1"))
    #expect(try await trails()?.isNew == false)
  }

  @Test func `ZON-17 the default zone is in no change feed`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1"), zone: nil)
    #expect(try await fixture.databaseChanges().summary == ["+Trails"])
    let error = try await fixture.changesFailure(since: nil, zone: ZoneID(name: ZoneID.defaultName))
    #expect(error.code == .badRequest)
    #expect(error.reason.hasPrefix("cannot get changes in default zone"))
  }

  @Test func `ZON-18 each listed custom zone has a token that works and is atomic`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1"))
    let zones = try await fixture.engine.zones.list(in: .private, as: fixture.phone)
    #expect(zones.map(\.zone.name) == ["_defaultZone", "Trails"])
    #expect(zones[1].isAtomic)
    try await fixture.save(.create("h2"))
    #expect(try await fixture.changes(since: zones[1].token).summary == ["+h2"])
  }

  @Test func `ZON-19 looking up no zone or an empty name is refused`() async throws {
    let fixture = try await EngineFixture()
    let none = try await ruleFailure {
      try await fixture.engine.zones.lookup([], in: .private, as: fixture.phone)
    }
    #expect(none.code == .badRequest)
    let empty = try await fixture.engine.zones.lookup(
      [ZoneID(name: "")], in: .private, as: fixture.phone)
    #expect(empty[0].failure?.error.code == .badRequest)
  }

  @Test func `the default zone cannot be deleted`() async throws {
    let fixture = try await EngineFixture()
    let result = try await fixture.deleteZone(ZoneID(name: ZoneID.defaultName))
    #expect(result.failure?.error.code == .badRequest)
  }

  @Test func `containers and environments do not see each other`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1"))
    let elsewhere = Caller(
      in: ContainerEnvironment(ContainerID("iCloud.org.example.other"), .development),
      user: fixture.phone.user, device: nil, kind: .user, requestID: "r")
    let production = try await fixture.server.device("phone", of: "alice", environment: .production)
    for caller in [elsewhere, production] {
      let zones = try await fixture.engine.zones.list(in: .private, as: caller)
      #expect(zones.map(\.zone.name) == ["_defaultZone"])
      #expect(try await fixture.changesFailure(since: nil, as: caller).code == .zoneNotFound)
    }
  }

  @Test func `a private database needs a signed-in user`() async throws {
    let fixture = try await EngineFixture()
    let anonymous = fixture.server.anonymous()
    let error = try await ruleFailure {
      try await fixture.engine.zones.list(in: .private, as: anonymous)
    }
    #expect(error.code == .authenticationRequired)
  }
}
