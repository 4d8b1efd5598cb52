// How many zones, shares and subscriptions one user may have, at the last that may be and the next.

import BrumeCore
import BrumeModel
import BrumeTestKit
import Testing

struct CountLimitTests {
  private func fixture(_ change: (inout Limits) -> Void) async throws -> EngineFixture {
    var limits = Limits.apple
    change(&limits)
    return try await EngineFixture(limits: limits)
  }

  @Test func `a database has so many zones and no more`() async throws {
    // "Trails" is there already.
    let fixture = try await fixture { $0.zonesPerDatabase = 3 }
    let operations = ["A", "B", "C"].map { ZoneOperation(.create, ZoneID(name: $0)) }
    let results = try await fixture.engine.zones.modify(operations, in: .private, as: fixture.phone)
    #expect(results.map { $0.failure?.error.code } == [nil, nil, .limitExceeded])
    try await fixture.makeZone(ZoneID(name: "A"))
    let exchange: [ZoneOperation] = [
      .init(.delete, ZoneID(name: "A")), .init(.create, ZoneID(name: "C")),
    ]
    let exchanged = try await fixture.engine.zones.modify(exchange, in: .private, as: fixture.phone)
    #expect(exchanged.allSatisfy { $0.failure == nil })
    try await fixture.makeZone(EngineFixture.trails, as: fixture.bob)
  }

  @Test func `a database has had zones of so many names and no more, and names may be used again`()
    async throws
  {
    // "Trails" is there already.
    let fixture = try await fixture { $0.zoneNamesPerDatabase = 3 }
    func modify(_ operations: [ZoneOperation]) async throws -> [BrumeError?] {
      try await fixture.engine.zones.modify(operations, in: .private, as: fixture.phone)
        .map { $0.failure?.error }
    }
    func zone(_ kind: ZoneOperation.Kind, _ name: String) -> ZoneOperation {
      ZoneOperation(kind, ZoneID(name: name))
    }
    let token = try await fixture.engine.changes.ofDatabase(
      since: nil, limit: nil, in: .private, as: fixture.phone
    ).token
    #expect(try await modify([zone(.create, "A"), zone(.delete, "A")]) == [nil, nil])
    let errors = try await modify([zone(.create, "B"), zone(.delete, "B"), zone(.create, "C")])
    #expect(errors.map { $0?.code } == [nil, nil, .limitExceeded])
    let reason = try #require(errors[2]?.reason)
    #expect(reason.contains("'C'") && reason.contains("3 names") && reason.contains("use the name"))
    #expect(try await modify([zone(.create, "C")]).map { $0?.code } == [.limitExceeded])
    #expect(try await modify([zone(.create, "A"), zone(.delete, "A")]) == [nil, nil])
    let changed = try await fixture.engine.changes.ofDatabase(
      since: token, limit: nil, in: .private, as: fixture.phone)
    #expect(changed.zones.map(\.zone.name) == ["B", "A"], "no token skips a deletion")
    try await fixture.makeZone(EngineFixture.trails, as: fixture.bob)
  }

  @Test func `a user takes part in so many shares and no more`() async throws {
    let fixture = try await fixture { $0.sharesJoinedPerUser = 1 }
    let (_, share) = try await fixture.shareHike(with: "bob")
    try await fixture.save(.create("other"))
    let second = try await fixture.save(.share("s2", of: "other", open: .readOnly))
    try await fixture.join(share, as: fixture.bob)
    try await fixture.join(share, as: fixture.bob)
    let results = try await fixture.engine.shares.accept(
      [.init(value: try #require(second.shortGUID))], as: fixture.bob)
    #expect(results.first?.failure?.error.code == .limitExceeded)
  }

  @Test func `a user who joins many shares at once takes part in so many and no more`() async throws
  {
    let fixture = try await fixture { $0.sharesJoinedPerUser = 2 }
    var requests: [ShortGUIDRequest] = []
    for name in ["a", "b", "c", "d"] {
      try await fixture.save(.create(name))
      let share = try await fixture.save(.share("s" + name, of: name, open: .readOnly))
      requests.append(.init(value: try #require(share.shortGUID)))
    }
    let results = try await fixture.engine.shares.accept(requests, as: fixture.bob)
    #expect(
      results.map { $0.failure?.error.code } == [nil, nil, .limitExceeded, .limitExceeded])
  }

  /// One that counts so many bytes: 256 for itself, 4 for its type, 64 for its condition and those of the value.
  private func subscription(_ id: String, _ bytes: Int) -> Subscription {
    let filter = Filter(
      .equals, .field("title"),
      .string(id + String(repeating: "x", count: bytes - 256 - 4 - 64 - id.utf8.count)))
    return Subscription(
      id: id,
      kind: .query(
        Query(recordType: "Hike", filters: [filter]), zone: nil, firesOn: [.create],
        firesOnce: false), info: nil)
  }

  @Test func `a subscription has a maximum of bytes, and all of a user together`() async throws {
    let fixture = try await fixture {
      $0.subscriptionBytes = 2000
      $0.subscriptionBytesPerUser = 3000
    }
    try await fixture.save(.create("h", ["title": .string("a")]))
    func save(_ id: String, _ bytes: Int) async throws -> BrumeError? {
      try await fixture.engine.subscriptions.modify(
        [.save(subscription(id, bytes))], in: .private, as: fixture.phone
      ).first?.failure?.error
    }
    let large = try await save("a", 2001)
    #expect(large?.code == .limitExceeded && large?.reason.contains("'a' has 2001 bytes") ?? false)
    #expect(try await save("a", 2000) == nil)
    #expect(try await save("b", 600) == nil)
    #expect(try await save("c", 401)?.reason.contains("more than 3000 bytes") ?? false)
    #expect(try await save("c", 400) == nil)
    #expect(try await save("a", 1900) == nil, "one that is saved again does not count twice")
    #expect(try await save("c", 501)?.reason.contains("more than 3000 bytes") ?? false)
    #expect(try await save("c", 500) == nil)
    var noisy = subscription("c", 500)
    noisy.info = NotificationInfo()
    noisy.info?.soundName = "bell"
    let refused = try await fixture.engine.subscriptions.modify(
      [.save(noisy)], in: .private, as: fixture.phone
    ).first?.failure?.error
    #expect(refused?.reason.contains("more than 3000 bytes") ?? false, "texts of pushes count")
  }
}
