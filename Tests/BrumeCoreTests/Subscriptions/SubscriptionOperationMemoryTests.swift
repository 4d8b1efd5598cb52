// Repeating a request for subscriptions whose answer was lost, or that the network has doubled: case SUB-28.

import BrumeCore
import BrumeModel
import BrumeTestKit
import Testing

struct SubscriptionOperationMemoryTests {
  /// - Parameter type: of the records that it watches.
  private func watch(_ id: String, _ type: String = "Hike") -> SubscriptionOperation {
    .save(
      Subscription(
        id: id, kind: .zone(EngineFixture.trails, recordType: type), info: NotificationInfo()))
  }

  private func modify(
    _ fixture: EngineFixture, _ operations: [SubscriptionOperation], id: String? = "op-1",
    in scope: DatabaseScope = .private
  ) async throws -> [SubscriptionResult] {
    try await fixture.engine.subscriptions.modify(
      operations, operationID: id, in: scope, as: fixture.phone)
  }

  private func all(
    _ fixture: EngineFixture, in scope: DatabaseScope = .private
  ) async throws -> [Subscription] {
    try await fixture.engine.subscriptions.list(in: scope, as: fixture.phone)
  }

  @Test(arguments: [nil, "op-1"])
  func `SUB-28 the copy of a deletion leaves what was saved under the ID since, if it has a name`(
    _ id: String?
  ) async throws {
    let fixture = try await EngineFixture()
    _ = try await modify(fixture, [watch("a")], id: nil)
    let first = try await modify(fixture, [.delete(id: "a")], id: id)
    #expect(try first.map { try $0.get() } == [.deleted(id: "a")])
    _ = try await modify(fixture, [watch("a")], id: nil)
    let log = try await fixture.log().count
    let second = try await modify(fixture, [.delete(id: "a")], id: id)
    #expect(try second.map { try $0.get() } == first.map { try $0.get() })
    #expect(try await (fixture.log().count == log) == (id != nil))
    let left: [String] = id == nil ? [] : ["a"]
    #expect(try await all(fixture).map(\.id) == left)
  }

  @Test func `SUB-28 the copy of a save undoes no later change, and makes none again that is gone`()
    async throws
  {
    let fixture = try await EngineFixture()
    let save = [watch("a", "Hike")]
    _ = try await modify(fixture, save)
    _ = try await modify(fixture, [watch("a", "Note")], id: nil)
    let changed = try await all(fixture)
    let log = try await fixture.log().count
    let second = try await modify(fixture, save)
    #expect(try second.map { try $0.get() } == changed.map { SubscriptionOutcome.saved($0) })
    #expect(try await all(fixture) == changed)
    #expect(try await fixture.log().count == log)
    _ = try await modify(fixture, [.delete(id: "a")], id: nil)
    let third = try await modify(fixture, save)
    let found = try await fixture.engine.subscriptions.lookup(
      ["a"], in: .private, as: fixture.phone)
    #expect(third.map { $0.failure?.error.code } == [.notFound])
    #expect(third.map { $0.failure?.error } == found.map { $0.failure?.error })
    #expect(try await all(fixture).isEmpty)
  }

  @Test(arguments: DatabaseScope.allCases)
  func `SUB-28 each database knows its own requests`(_ scope: DatabaseScope) async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1"), in: .public)
    func save(in scope: DatabaseScope) -> [SubscriptionOperation] {
      let hikes = Subscription.Kind.query(
        Query(recordType: "Hike"), zone: nil, firesOn: [.create], firesOnce: false)
      let kind = scope == .public ? hikes : .database(recordType: nil)
      return [.save(Subscription(id: "a", kind: kind, info: NotificationInfo()))]
    }
    for other in DatabaseScope.allCases where other != scope {
      _ = try await modify(fixture, save(in: other), in: other)
    }
    let first = try await modify(fixture, save(in: scope), in: scope)
    _ = try await modify(fixture, [.delete(id: "a")], id: nil, in: scope)
    let log = try await fixture.log().count
    let second = try await modify(fixture, save(in: scope), in: scope)
    #expect(try await fixture.log().count == log)
    #expect(first.map { $0.failure?.error.code } == [nil])
    #expect(second.map { $0.failure?.error.code } == [.notFound])
    for each in DatabaseScope.allCases {
      #expect(try await all(fixture, in: each).isEmpty == (each == scope))
    }
  }

  @Test func `SUB-28 what failed the first time fails again, and in its own place`() async throws {
    let fixture = try await EngineFixture()
    let operations: [SubscriptionOperation] = [.delete(id: "ghost"), watch("a")]
    let first = try await modify(fixture, operations)
    #expect(first.map { $0.failure?.error.code } == [.notFound, nil])
    _ = try await modify(fixture, [watch("ghost", "Note")], id: nil)
    let second = try await modify(fixture, operations)
    #expect(second[0].failure?.error == first[0].failure?.error)
    #expect(try second[1].get() == first[1].get())
    #expect(try await all(fixture).map(\.id) == ["a", "ghost"])
  }

  @Test func `a save without an ID gets the same ID when it is repeated`() async throws {
    let fixture = try await EngineFixture()
    let first = try await modify(fixture, [watch("")])
    let second = try await modify(fixture, [watch("")])
    #expect(try second.map { try $0.get() } == first.map { try $0.get() })
    #expect(try await all(fixture).map { SubscriptionOutcome.saved($0) } == [first[0].get()])
  }

  @Test func `a name that was used for other subscriptions, or for zones, is that of a first try`()
    async throws
  {
    let fixture = try await EngineFixture()
    _ = try await fixture.engine.zones.modify(
      [.init(.create, ZoneID(name: "a"))], operationID: "op-1", in: .private, as: fixture.phone)
    _ = try await modify(fixture, [watch("a")])
    _ = try await modify(fixture, [watch("b", "Note")])
    _ = try await modify(fixture, [.delete(id: "b")])
    #expect(try await all(fixture).map(\.id) == ["a"])
  }

  @Test func `a name of a request for subscriptions is forgotten after a day`() async throws {
    let fixture = try await EngineFixture()
    _ = try await modify(fixture, [watch("a")])
    _ = try await modify(fixture, [.delete(id: "a")], id: nil)
    fixture.server.clock.advance(by: 86_400_001)
    _ = try await modify(fixture, [watch("a")])
    #expect(try await all(fixture).map(\.id) == ["a"])
  }
}
