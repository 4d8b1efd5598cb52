// What was let in before its user was deleted or signed out writes nothing when its turn comes after.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

struct EndedSessionTests {
  private typealias Write = () async throws -> Void

  private let fixture: EngineFixture
  /// Bob's phone, in a session that stands when the test begins.
  private let caller: Caller
  private let address: String

  init() async throws {
    let fixture = try await EngineFixture()
    try await fixture.makeZone(EngineFixture.trails, as: fixture.bob)
    try await fixture.save(.create("root"))
    let share = try await fixture.save(.share("s1", of: "root", open: .readOnly))
    address = try #require(share.shortGUID)
    let account = try #require(try await fixture.engine.accounts.user(named: "bob"))
    caller = Caller(
      in: fixture.bob.containerEnvironment, user: account.id, device: fixture.bob.device,
      kind: .user, epoch: account.tokenEpoch, requestID: "r")
    self.fixture = fixture
  }

  /// Each kind of request that writes.
  private var writes: [(name: String, call: Write)] {
    let (engine, fixture, caller) = (fixture.engine, fixture, caller)
    let shares = [ShortGUIDRequest(value: address)]
    let late = Subscription(
      id: "late", kind: .zone(EngineFixture.trails, recordType: nil), info: nil)
    return [
      ("records", { _ = try await fixture.modify([.create("late")], as: caller) }),
      ("zones", { _ = try await fixture.makeZone(ZoneID(name: "Late"), as: caller) }),
      (
        "subscriptions",
        { _ = try await engine.subscriptions.modify([.save(late)], in: .private, as: caller) }
      ),
      ("shares", { _ = try await engine.shares.accept(shares, as: caller) }),
      ("devices", { _ = try await engine.devices.register(as: caller) }),
      (
        "courier tokens",
        {
          _ = try await engine.devices.createCourierToken(
            environment: .development, clientID: nil, as: caller)
        }
      ),
      ("badge", { try await engine.notifications.setBadge(7, as: caller) }),
      (
        "marks",
        { _ = try await engine.notifications.markRead([KeptNotificationID("n")], as: caller) }
      ),
      ("leaving devices", { try await engine.devices.unregister(as: caller) }),
    ]
  }

  private func isJoined() async throws -> Bool {
    let details = try await fixture.fetch("s1").shareDetails
    return details?.participant(try #require(caller.user)) != nil
  }

  @Test func `who is signed in writes`() async throws {
    for write in writes { try await write.call() }
    #expect(try await fixture.exists("late", as: fixture.bob))
    #expect(try await isJoined())
  }

  @Test func `who was signed out meanwhile writes nothing`() async throws {
    try await fixture.engine.accounts.signOutEverywhere(try #require(caller.user))
    for write in writes {
      let error = try await ruleFailure { try await write.call() }
      #expect(error.code == .authenticationRequired, "\(write.name)")
    }
    #expect(try await !fixture.exists("late", as: fixture.bob))
    #expect(try await !isJoined())
    let zones = try await fixture.engine.zones.list(in: .private, as: fixture.bob)
    #expect(!zones.contains { $0.zone.name == "Late" })
  }

  @Test func `who was deleted meanwhile leaves nothing`() async throws {
    let user = try #require(caller.user)
    _ = try await fixture.engine.userRemovals.remove("bob")
    for write in writes {
      let error = try await ruleFailure { try await write.call() }
      #expect(error.code == .authenticationRequired, "\(write.name)")
    }
    #expect(try await !isJoined())
    try await fixture.server.store.read { store in
      for database in try store.zones.databases(of: user) {
        #expect(try store.zones.all(in: database).isEmpty)
      }
      for scope in DatabaseScope.allCases {
        let place = SubscriptionScope(in: TestContainer.development, scope: scope, user: user)
        #expect(try store.subscriptions.all(in: place).isEmpty)
      }
      #expect(try store.devices.all(of: user).isEmpty)
      #expect(try store.notifications.badge(of: user, in: TestContainer.development) == 0)
    }
  }
}
