// Shares as operators list them, and questions about rights.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

struct OperatorSharingTests {
  private func answer(
    _ fixture: EngineFixture, _ action: PermissionQuestion.Action, _ scope: DatabaseScope,
    of user: String? = nil, as reader: String, record: String? = nil, type: String? = nil,
    zone: ZoneID? = EngineFixture.trails
  ) async throws -> PermissionAnswer {
    let view = try await fixture.operatorView(scope, of: user, as: reader)
    return try await fixture.engine.permissionQuestions.answer(
      PermissionQuestion(
        action, zone: scope == .public ? nil : zone, recordName: record, recordType: type),
      in: view)
  }

  @Test func `shares are listed with participants and rights, page by page`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    try await fixture.join(share, as: fixture.bob)
    try await fixture.makeZone(ZoneID(name: "Whole"))
    _ = try await fixture.modify(
      [.create(Record.zoneShareName, type: Record.shareType)], zone: ZoneID(name: "Whole"))
    let view = try await fixture.operatorView(.private, of: "alice")
    let first = try await fixture.engine.shareLists.page(of: view, after: nil, limit: 1)
    let rest = try await fixture.engine.shareLists.page(of: view, after: first.after, limit: 1)
    #expect((first.items + rest.items).map(\.zone.name) == ["Trails", "Whole"])
    #expect(rest.after == nil)
    let shown = try #require(first.items.first)
    #expect(shown.share.rootRecordName == "root")
    let bob = try #require(shown.share.participants.first { $0.identity.user == fixture.bob.user })
    #expect(bob.acceptance == .accepted && bob.permission == .readOnly)
    let wrong = try await fixture.operatorView(.public)
    let error = try await ruleFailure {
      try await fixture.engine.shareLists.page(of: wrong, after: nil, limit: nil)
    }
    #expect(error.reason.contains("private database"))
  }

  @Test func `a participant may read what a read-only share covers and nothing else`() async throws
  {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    try await fixture.save(.create("private"))
    let before = try await answer(
      fixture, .read, .private, of: "alice", as: "bob", record: "root")
    #expect(!before.isAllowed && before.reason.contains("does not exist"))
    try await fixture.join(share, as: fixture.bob)
    let read = try await answer(fixture, .read, .private, of: "alice", as: "bob", record: "root")
    #expect(read.isAllowed && read.shares == [share.name])
    #expect(read.reason.contains("READ_ONLY"))
    let write = try await answer(
      fixture, .write, .private, of: "alice", as: "bob", record: "root")
    #expect(!write.isAllowed && write.reason.contains("read-only"))
    let hidden = try await answer(
      fixture, .read, .private, of: "alice", as: "bob", record: "private")
    #expect(!hidden.isAllowed && hidden.shares == [])
    let below = try await answer(
      fixture, .create, .private, of: "alice", as: "bob", record: "root", type: "Hike")
    #expect(!below.isAllowed)
    let own = try await answer(fixture, .write, .private, of: "alice", as: "alice", record: "root")
    #expect(own.isAllowed)
  }

  @Test func `in the public database the answer names the role`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("p1"), in: .public)
    let read = try await answer(fixture, .read, .public, as: "bob", record: "p1")
    #expect(read.isAllowed && read.reason.contains("_world"))
    let write = try await answer(fixture, .write, .public, as: "bob", record: "p1")
    #expect(!write.isAllowed && write.reason.contains("creator"))
    let creator = try await answer(fixture, .write, .public, as: "alice", record: "p1")
    #expect(creator.isAllowed && creator.reason.contains("_creator"))
    let new = try await answer(fixture, .create, .public, as: "bob", type: "Hike")
    #expect(new.isAllowed && new.reason.contains("_icloud"))
  }

  @Test func `the answer is what the request then meets`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob", .readWrite)
    try await fixture.join(share, as: fixture.bob)
    try await fixture.save(.create("private"))
    let zone = ZoneID(name: "Trails", ownerName: fixture.phone.user?.name)
    for name in ["root", "private"] {
      let said = try await answer(fixture, .read, .private, of: "alice", as: "bob", record: name)
      let done = try await fixture.exists(name, in: .shared, zone: zone, as: fixture.bob)
      #expect(said.isAllowed == done, "\(name)")
    }
  }

  @Test func `a question that names too little says what is missing`() async throws {
    let fixture = try await EngineFixture()
    let noName = try await ruleFailure {
      try await answer(fixture, .read, .private, of: "alice", as: "alice")
    }
    #expect(noName.reason.contains("recordName"))
    let noType = try await ruleFailure { try await answer(fixture, .create, .public, as: "bob") }
    #expect(noType.reason.contains("recordType"))
    let nobody = try await ruleFailure {
      try await fixture.engine.permissionQuestions.answer(
        PermissionQuestion(.read), in: try await fixture.operatorView(.private, of: "alice"))
    }
    #expect(nobody.reason.contains("'as'"))
  }
}
