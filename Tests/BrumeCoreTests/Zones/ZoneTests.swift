// Zones: cases ZON.

import BrumeCore
import BrumeModel
import BrumeSchema
import BrumeStorage
import BrumeTestKit
import Testing

struct ZoneTests {
  @Test func `ZON-01 a new zone comes back with what the server gave it`() async throws {
    let lab = try await Lab()
    let zone = try await lab.makeZone(ZoneID(name: "Lakes"))
    #expect(zone.zone.name == "Lakes")
    #expect(zone.zone.ownerName == lab.phone.user?.name)
    #expect(zone.isAtomic)
    #expect(zone.token != nil)
  }

  @Test func `ZON-02 saving a zone again keeps its records`() async throws {
    let lab = try await Lab()
    try await lab.save(.create("h1"))
    let before = try await lab.changes()
    let zone = try await lab.makeZone(Lab.trails)
    #expect(zone.zone.name == "Trails")
    #expect(try await lab.exists("h1"))
    #expect(try await lab.changes(since: before.token).summary == [])
  }

  @Test func `ZON-03 one bad zone in a request does not keep the other from being made`()
    async throws
  {
    let lab = try await Lab()
    let results = try await lab.engine.modifyZones(
      [.init(.create, ZoneID(name: "_bad")), .init(.create, ZoneID(name: "Good"))],
      in: .private, as: lab.phone)
    #expect(results[0].failure?.error.code == .badRequest)
    #expect(try results[1].get().zone.name == "Good")
  }

  @Test func `ZON-04 deleting a zone takes its records and its subscriptions along`() async throws {
    let lab = try await Lab()
    try await lab.save(.create("h1"))
    let token = try await lab.databaseChanges(as: lab.tablet).token
    let scope = SubscriptionScope(
      container: TestContainer.id, environment: .development, scope: .private,
      user: try #require(lab.phone.user))
    let subscription = Subscription(id: "s", kind: .zone(Lab.trails, recordType: nil), info: nil)
    try await lab.server.store.write(in: nil) {
      try $0.put(StoredSubscription(scope: scope, subscription: subscription, birth: 0))
    }
    #expect(try await lab.deleteZone(Lab.trails).get().deletion == .deleted)
    #expect(
      try await lab.databaseChanges(since: token, as: lab.tablet).summary == ["-Trails deleted"])
    let left = try await lab.server.store.read { try $0.subscriptions(in: scope).count }
    #expect(left == 0)
    try await lab.makeZone(Lab.trails)
    #expect(try await lab.exists("h1") == false)
  }

  @Test func `ZON-05 deleting a zone that is not there says so`() async throws {
    let lab = try await Lab()
    #expect(
      try await lab.deleteZone(ZoneID(name: "Ghost")).failure?.error.code == .zoneNotFound)
  }

  @Test func `ZON-06 looking up a missing zone fails for that zone only`() async throws {
    let lab = try await Lab()
    let results = try await lab.engine.lookupZones(
      [Lab.trails, ZoneID(name: "Ghost")], in: .private, as: lab.phone)
    #expect(try results[0].get().zone.name == "Trails")
    #expect(results[1].failure?.error.code == .zoneNotFound)
  }

  @Test func `ZON-07 looking up three of five zones gives exactly those`() async throws {
    let lab = try await Lab()
    for name in ["A", "B", "C", "D"] { try await lab.makeZone(ZoneID(name: name)) }
    let wanted = ["A", "C", "Trails"].map { ZoneID(name: $0) }
    let results = try await lab.engine.lookupZones(wanted, in: .private, as: lab.phone)
    #expect(try results.map { try $0.get().zone.name } == ["A", "C", "Trails"])
  }

  @Test func `ZON-08 a new user has the default zone before any write`() async throws {
    let lab = try await Lab()
    let zones = try await lab.engine.listZones(in: .private, as: lab.bob)
    #expect(zones.map(\.zone.name) == ["_defaultZone"])
    #expect(zones[0].isAtomic == false)
    #expect(zones[0].token == nil)
  }

  @Test(arguments: [DatabaseScope.public, .shared])
  func `ZON-09 ZON-10 zones are made in the private database only`(_ scope: DatabaseScope)
    async throws
  {
    let lab = try await Lab()
    let error = try await ruleFailure {
      try await lab.engine.modifyZones(
        [.init(.create, ZoneID(name: "Z"))], in: scope, as: lab.phone)
    }
    #expect(error.code == .badDatabase)
  }

  @Test func `ZON-12 after a purge calls say that the user deleted the zone`() async throws {
    let lab = try await Lab()
    let token = try await lab.databaseChanges().token
    try await lab.engine.purgeZone(
      "Trails", of: try #require(lab.phone.user), container: TestContainer.id,
      environment: .development)
    #expect(try await lab.failure(of: .create("h1")).code == .userDeletedZone)
    #expect(try await lab.changesFailure(since: nil).code == .userDeletedZone)
    #expect(try await lab.databaseChanges(since: token).summary == ["-Trails purged"])
  }

  @Test func `ZON-13 after a deletion by another device calls say that the zone is missing`()
    async throws
  {
    let lab = try await Lab()
    try await lab.deleteZone(Lab.trails, as: lab.tablet)
    #expect(try await lab.failure(of: .create("h1")).code == .zoneNotFound)
    #expect(try await lab.changesFailure(since: nil).code == .zoneNotFound)
  }

  @Test func `ZON-14 a reset of encrypted data is told with the error and in the feed`()
    async throws
  {
    let lab = try await Lab()
    let token = try await lab.databaseChanges().token
    try await lab.engine.resetEncryptedData(
      of: try #require(lab.phone.user), container: TestContainer.id, environment: .development)
    let error = try await lab.failure(of: .create("h1"))
    #expect(error.code == .zoneNotFound)
    #expect(error.didResetEncryptedData)
    #expect(
      try await lab.databaseChanges(since: token).summary == ["-Trails encryptedDataReset"])
  }

  @Test func `ZON-15 a purged zone can be made again`() async throws {
    let lab = try await Lab()
    try await lab.engine.purgeZone(
      "Trails", of: try #require(lab.phone.user), container: TestContainer.id,
      environment: .development)
    try await lab.makeZone(Lab.trails)
    try await lab.save(.create("h1"))
    #expect(try await lab.changes().summary == ["+h1"])
  }

  @Test func `ZON-16 a token of an earlier life of a zone is expired`() async throws {
    let lab = try await Lab()
    try await lab.save(.create("old"))
    let token = try await lab.changes().token
    try await lab.deleteZone(Lab.trails)
    try await lab.makeZone(Lab.trails)
    try await lab.save(.create("new"))
    #expect(try await lab.changesFailure(since: token).code == .changeTokenExpired)
    #expect(try await lab.changes().summary == ["+new"])
  }

  @Test func `ZON-17 the default zone is in no change feed`() async throws {
    let lab = try await Lab()
    try await lab.save(.create("h1"), zone: nil)
    #expect(try await lab.databaseChanges().summary == ["+Trails"])
    let error = try await lab.changesFailure(since: nil, zone: ZoneID(name: ZoneID.defaultName))
    #expect(error.code == .badRequest)
    #expect(error.reason.hasPrefix("cannot get changes in default zone"))
  }

  @Test func `ZON-18 each listed custom zone has a token that works and is atomic`() async throws {
    let lab = try await Lab()
    try await lab.save(.create("h1"))
    let zones = try await lab.engine.listZones(in: .private, as: lab.phone)
    #expect(zones.map(\.zone.name) == ["_defaultZone", "Trails"])
    #expect(zones[1].isAtomic)
    try await lab.save(.create("h2"))
    #expect(try await lab.changes(since: zones[1].token).summary == ["+h2"])
  }

  @Test func `ZON-19 looking up no zone or an empty name is refused`() async throws {
    let lab = try await Lab()
    let none = try await ruleFailure {
      try await lab.engine.lookupZones([], in: .private, as: lab.phone)
    }
    #expect(none.code == .badRequest)
    let empty = try await lab.engine.lookupZones([ZoneID(name: "")], in: .private, as: lab.phone)
    #expect(empty[0].failure?.error.code == .badRequest)
  }

  @Test func `the default zone cannot be deleted`() async throws {
    let lab = try await Lab()
    let result = try await lab.deleteZone(ZoneID(name: ZoneID.defaultName))
    #expect(result.failure?.error.code == .badRequest)
  }

  @Test func `containers and environments do not see each other`() async throws {
    let lab = try await Lab()
    try await lab.save(.create("h1"))
    let elsewhere = Caller(
      container: ContainerID("iCloud.org.example.other"), environment: .development,
      user: lab.phone.user, device: nil, kind: .user, requestID: "r")
    let production = try await lab.server.device("phone", of: "alice", environment: .production)
    for caller in [elsewhere, production] {
      let zones = try await lab.engine.listZones(in: .private, as: caller)
      #expect(zones.map(\.zone.name) == ["_defaultZone"])
      #expect(try await lab.changesFailure(since: nil, as: caller).code == .zoneNotFound)
    }
  }

  @Test func `a private database needs a signed-in user`() async throws {
    let lab = try await Lab()
    let anonymous = lab.server.anonymous()
    let error = try await ruleFailure {
      try await lab.engine.listZones(in: .private, as: anonymous)
    }
    #expect(error.code == .authenticationRequired)
  }
}
