// Deleting a user: what goes, what others notice, what stays.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

struct UserRemovalTests {
  private func subscribe(_ fixture: EngineFixture, _ id: String) async throws {
    let results = try await fixture.engine.subscriptions.modify(
      [.save(Subscription(id: id, kind: .zone(EngineFixture.trails, recordType: nil), info: nil))],
      in: .private, as: fixture.phone)
    _ = try #require(results.first).get()
  }

  @Test func `a report says what would go and changes nothing`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    try await fixture.join(share, as: fixture.bob)
    try await subscribe(fixture, "s")
    let report = try await fixture.engine.userRemovals.report(on: "alice")
    #expect(!report.isDone)
    let place = try #require(report.places.first)
    #expect(report.places.count == 1)
    #expect(place.zones == 1 && place.subscriptions == 1)
    #expect(place.devices == 1 && place.participants == 1)
    #expect(
      try await fixture.engine.userRemovals.report(on: "bob").places.map(\.joinedShares) == [1])
    #expect(try await fixture.exists("root"))
    #expect(try await fixture.engine.accounts.user(named: "alice") != nil)
  }

  @Test func `nothing of the user is left, and the name is free again`() async throws {
    let fixture = try await EngineFixture()
    let alice = try #require(fixture.phone.user)
    try await subscribe(fixture, "s")
    try await fixture.save(.create("h1"))
    _ = try await fixture.modify([.create("h2")], id: "remembered")
    try await fixture.server.store.write(in: .everything(of: fixture.server.store)) {
      try $0.users.link(ProviderIdentity(issuer: "https://i", subject: "a"), to: alice)
      try $0.notifications.setBadge(3, of: alice, in: TestContainer.development)
    }
    let removal = try await fixture.engine.userRemovals.remove("alice")
    #expect(removal.isDone && removal.user == alice)
    try await fixture.server.store.read { store in
      #expect(try store.users.find(alice) == nil)
      #expect(try store.users.linked(to: .init(issuer: "https://i", subject: "a")) == nil)
      #expect(try store.devices.all(of: alice).isEmpty)
      #expect(try store.notifications.badge(of: alice, in: TestContainer.development) == 0)
      for database in try store.zones.databases(of: alice) {
        #expect(try store.zones.all(in: database).isEmpty)
      }
      for scope in DatabaseScope.allCases {
        let place = SubscriptionScope(in: TestContainer.development, scope: scope, user: alice)
        #expect(try store.subscriptions.all(in: place).isEmpty)
      }
      for slot in 0..<Limits.apple.rememberedOperations {
        #expect(try store.settings.value(.operation(user: alice, id: String(slot))) == nil)
      }
    }
    let again = try await fixture.server.user("alice")
    #expect(again.id != alice)
    let view = try await fixture.operatorView(.private, of: "alice")
    let zones = try await fixture.engine.zoneLists.page(of: view, after: nil, limit: nil)
    #expect(zones.items.map(\.zone.name) == ["_defaultZone"])
  }

  @Test func `whoever had joined the user's shares learns that the zone is gone`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    try await fixture.join(share, as: fixture.bob)
    let token = try await fixture.databaseChanges(in: .shared, as: fixture.bob).token
    _ = try await fixture.engine.userRemovals.remove("alice")
    let page = try await fixture.databaseChanges(since: token, in: .shared, as: fixture.bob)
    #expect(page.summary == ["-Trails deleted"])
    #expect(try await fixture.engine.zones.list(in: .shared, as: fixture.bob).isEmpty)
  }

  @Test func `the owner of a share that the user had joined sees that they left`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    try await fixture.join(share, as: fixture.bob)
    let token = try await fixture.changes().token
    _ = try await fixture.engine.userRemovals.remove("bob")
    #expect(try await fixture.changes(since: token).summary.contains("+s1"))
    let left = try await fixture.fetch("s1").shareDetails?.participant(
      try #require(fixture.bob.user))
    #expect(left?.acceptance != .accepted)
    #expect(try await fixture.exists("root"), "the owner's records stay")
  }

  @Test func `a share through which the user saw nothing any more is left too`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    try await fixture.join(share, as: fixture.bob)
    var lowered = RecordOperation.update(try await fixture.fetch("s1"))
    lowered.record.participants = try await fixture.fetch("s1").shareDetails?.participants.map {
      var participant = $0
      if participant.role != .owner { participant.permission = .none }
      return participant
    }
    try await fixture.save(lowered)
    let user = try #require(fixture.bob.user)
    let before = try await fixture.fetch("s1").shareDetails?.participant(user)
    #expect(before?.permission == SharePermission.none)
    _ = try await fixture.engine.userRemovals.remove("bob")
    #expect(try await fixture.fetch("s1").shareDetails?.participant(user) == nil)
  }

  @Test func `public records that the user made stay readable`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("p1"), in: .public, as: fixture.bob)
    _ = try await fixture.engine.userRemovals.remove("bob")
    #expect(try await fixture.exists("p1", in: .public))
  }

  @Test func `what the user's devices said of their saves stays in nobody's zone`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob", .readWrite)
    try await fixture.join(share, as: fixture.bob)
    let (alice, bob) = (fixture.phone, fixture.bob)
    let home = ZoneID(name: ZoneID.defaultName)
    let joined = ZoneID(name: "Trails", ownerName: alice.user?.name)
    try await fixture.say(.create("p1"), in: .public, zone: nil, as: bob)
    try await fixture.say(.create("b1"), in: .private, zone: home, as: bob)
    try await fixture.say(.force("root"), in: .shared, zone: joined, as: bob)
    try await fixture.say(.force("root"), in: .private, zone: joined, as: alice)
    let places = [
      ClientDataPlace(owner: nil, zone: home, of: bob),
      ClientDataPlace(owner: bob, zone: home, of: bob), ClientDataPlace(owner: alice, of: bob),
    ]
    for place in places { #expect(try await fixture.isKept(place)) }
    _ = try await fixture.engine.userRemovals.remove("bob")
    for place in places { #expect(try await !fixture.isKept(place)) }
    #expect(try await fixture.isKept(ClientDataPlace(owner: alice, of: alice)))
  }

  @Test func `what everybody's devices said of their saves goes with the zone`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob", .readWrite)
    try await fixture.join(share, as: fixture.bob)
    let joined = ZoneID(name: "Trails", ownerName: fixture.phone.user?.name)
    try await fixture.say(.force("root"), in: .shared, zone: joined, as: fixture.bob)
    try await fixture.say(.force("root"), in: .private, zone: joined, as: fixture.phone)
    _ = try await fixture.deleteZone(EngineFixture.trails).get()
    for user in [fixture.phone, fixture.bob] {
      #expect(try await !fixture.isKept(ClientDataPlace(owner: fixture.phone, of: user)))
    }
  }

  @Test func `the user of a server-to-server key stays until the key is revoked`() async throws {
    let fixture = try await EngineFixture()
    let bob = try #require(fixture.bob.user)
    let key = ServerKey(
      id: "k1", name: "backend", in: TestContainer.development, publicKey: "", user: bob)
    try await fixture.server.store.write(in: .server) { try $0.credentials.put(key) }
    let error = try await ruleFailure { try await fixture.engine.userRemovals.remove("bob") }
    #expect(error.reason.contains("brume key revoke k1"))
    #expect(try await fixture.engine.accounts.user(named: "bob") != nil)
  }

  @Test func `a user who is not there cannot be deleted`() async throws {
    let fixture = try await EngineFixture()
    let error = try await ruleFailure { try await fixture.engine.userRemovals.remove("eve") }
    #expect(error.code == .notFound)
  }
}
