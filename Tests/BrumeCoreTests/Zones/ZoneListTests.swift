// What operators see of containers and zones, and whose eyes they may see it with.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

struct ZoneListTests {
  @Test func `an operator sees the zones of a user page by page, with their last change`()
    async throws
  {
    let fixture = try await EngineFixture()
    for name in ["Caves", "Lakes"] { try await fixture.makeZone(ZoneID(name: name)) }
    try await fixture.save(.create("h1"))
    let view = try await fixture.operatorView(.private, of: "alice")
    let lists = fixture.engine.zoneLists
    let first = try await lists.page(of: view, after: nil, limit: 2)
    #expect(first.items.map(\.zone.name) == ["Caves", "Lakes"])
    #expect(first.items.map(\.changed) == [nil, nil])
    let rest = try await lists.page(of: view, after: first.after, limit: 2)
    #expect(rest.items.map(\.zone.name) == ["Trails", "_defaultZone"])
    #expect(rest.after == nil)
    #expect([nil, 199, 200, 201].map { Limits.apple.listPage($0) } == [200, 199, 200, 200])
    #expect(rest.items[0].changed == ManualClock.start)
    #expect(rest.items[0].sequence > first.items[1].sequence)
    #expect(rest.items[1].sequence == 0)
  }

  @Test func `a page of zones goes on where it ended though the zone is gone`() async throws {
    let fixture = try await EngineFixture()
    for name in ["Caves", "Lakes"] { try await fixture.makeZone(ZoneID(name: name)) }
    let view = try await fixture.operatorView(.private, of: "alice")
    let first = try await fixture.engine.zoneLists.page(of: view, after: nil, limit: 1)
    try await fixture.deleteZone(ZoneID(name: "Caves"))
    let next = try await fixture.engine.zoneLists.page(of: view, after: first.after, limit: 1)
    #expect(next.items.map(\.zone.name) == ["Lakes"])
  }

  @Test func `with another user's eyes an operator sees only what is shared`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.makeZone(ZoneID(name: "Secret"))
    let view = try await fixture.operatorView(.private, of: "alice", as: "bob")
    func seen() async throws -> [String] {
      try await fixture.engine.zoneLists.page(of: view, after: nil, limit: nil).items
        .map(\.zone.name)
    }
    #expect(try await seen() == [])
    let (_, share) = try await fixture.shareHike(with: "bob")
    try await fixture.join(share, as: fixture.bob)
    #expect(try await seen() == ["Trails"])
  }

  @Test func `containers are those that somebody wrote to or has a token for`() async throws {
    let fixture = try await EngineFixture()
    let other = ContainerEnvironment(ContainerID("iCloud.org.example.other"), .production)
    _ = try await fixture.engine.apiTokens.create(name: "web", in: other)
    try await fixture.save(.create("h1"))
    try await fixture.save(.create("p1"), in: .public)
    let containers = try await fixture.engine.containers.all()
    #expect(containers.map(\.containerEnvironment) == [other, TestContainer.development])
    #expect(containers.map(\.apiTokens) == [1, 0])
    #expect(containers.map(\.databases) == [0, 2])
    #expect(containers[1].recordTypes == 2, "Hike and Users")
  }

  @Test func `a view that names nobody says whom to name`() async throws {
    let fixture = try await EngineFixture()
    let nobody = try await ruleFailure { try await fixture.operatorView(.private) }
    #expect(nobody.code == .badRequest && nobody.reason.contains("'user'"))
    let unknown = try await ruleFailure { try await fixture.operatorView(.private, of: "eve") }
    #expect(unknown.code == .notFound && unknown.reason.contains("brume user create eve"))
  }
}

extension EngineFixture {
  /// What an operator names, opened.
  func operatorView(
    _ scope: DatabaseScope, of user: String? = nil, as reader: String? = nil
  ) async throws -> OpenedView {
    try await engine.operatorViews.open(
      OperatorView(scope, of: user, as: reader), in: TestContainer.development,
      requestID: "operator")
  }
}
