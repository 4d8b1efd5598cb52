// A participant's change token skips nothing that left his share, by whatever way it left.

import BrumeCore
import BrumeModel
import BrumeTestKit
import Testing

struct ShareTokenTests {
  private func shared(_ fixture: EngineFixture) -> ZoneID {
    ZoneID(name: "Trails", ownerName: fixture.phone.user?.name)
  }

  private func token(_ fixture: EngineFixture) async throws -> String {
    try await fixture.changes(zone: shared(fixture), in: .shared, as: fixture.bob).token
  }

  @Test(arguments: [nil, "other"])
  func `a record that is made again outside of its share makes participants start over`(
    parent: String?
  ) async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    _ = try await fixture.modify([
      .create("child", parent: "root"), .create("other"), .share("s2", of: "other"),
    ])
    try await fixture.join(share, as: fixture.bob)
    let token = try await token(fixture)
    #expect(try await fixture.modify([.delete("child")]).allSucceeded)
    try await fixture.save(.create("child", parent: parent))
    let error = try await fixture.changesFailure(
      since: token, zone: shared(fixture), in: .shared, as: fixture.bob)
    #expect(error.code == .changeTokenExpired)
    let page = try await fixture.changes(zone: shared(fixture), in: .shared, as: fixture.bob)
    #expect(Set(page.summary) == ["+root", "+s1"])
  }

  @Test func `a record that is made again inside its share is one change`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    try await fixture.save(.create("child", parent: "root"))
    try await fixture.join(share, as: fixture.bob)
    let token = try await token(fixture)
    #expect(try await fixture.modify([.delete("child")]).allSucceeded)
    try await fixture.save(.create("child", parent: "root"))
    try await fixture.save(.create("private"))
    let page = try await fixture.changes(
      since: token, zone: shared(fixture), in: .shared, as: fixture.bob)
    #expect(page.summary == ["+child"])
  }

  @Test func `a share of the whole zone that is made again makes participants start over`()
    async throws
  {
    let fixture = try await EngineFixture()
    _ = try await fixture.modify([.create("gone"), .create("left")])
    let first = try await fixture.save(.zoneShare(with: ["bob@example.org"]))
    try await fixture.join(first, as: fixture.bob)
    let token = try await token(fixture)
    for name in [Record.zoneShareName, "gone"] {
      #expect(try await fixture.modify([.delete(name)]).allSucceeded)
    }
    let second = try await fixture.save(.zoneShare(with: ["bob@example.org"]))
    try await fixture.join(second, as: fixture.bob)
    let error = try await fixture.changesFailure(
      since: token, zone: shared(fixture), in: .shared, as: fixture.bob)
    #expect(error.code == .changeTokenExpired)
    let page = try await fixture.changes(zone: shared(fixture), in: .shared, as: fixture.bob)
    #expect(Set(page.summary) == ["+left", "+cloudkit.zoneshare"])
  }
}
