// What a participant sees and may do: cases SHR-10 to SHR-19, SHR-21, SHR-27, SHR-35,
// CHG-30, QRY-20.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

struct SharedDatabaseTests {
  private func shared(_ fixture: EngineFixture) -> ZoneID {
    ZoneID(name: "Trails", ownerName: fixture.phone.user?.name)
  }

  @Test func `SHR-10 after accepting, root, share and descendants are there and nothing else`()
    async throws
  {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    _ = try await fixture.modify([
      .create("child", parent: "root"), .create("grandchild", parent: "child"),
      .create("private"),
    ])
    #expect(try await fixture.engine.zones.list(in: .shared, as: fixture.bob).isEmpty)
    let metadata = try await fixture.join(share, as: fixture.bob)
    #expect(metadata.scope == .shared)
    #expect(metadata.zone.ownerName == fixture.phone.user?.name)
    #expect(metadata.rootRecord?.name == "root")
    #expect(metadata.acceptance == .accepted)
    let page = try await fixture.changes(zone: shared(fixture), in: .shared, as: fixture.bob)
    #expect(Set(page.summary) == ["+s1", "+root", "+child", "+grandchild"])
    #expect(
      try await fixture.exists("private", in: .shared, zone: shared(fixture), as: fixture.bob)
        == false)
    let zones = try await fixture.engine.zones.list(in: .shared, as: fixture.bob)
    #expect(zones.map(\.zone) == [shared(fixture)])
  }

  @Test func `SHR-11 a participant's child lands in the owner's zone`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob", .readWrite)
    try await fixture.join(share, as: fixture.bob)
    let results = try await fixture.modify(
      [.create("leaf", parent: "child"), .create("child", parent: "root")], in: .shared,
      zone: shared(fixture), as: fixture.bob)
    #expect(results.allSucceeded)
    let child = try await fixture.fetch("child")
    #expect(child.created?.user == fixture.bob.user)
    #expect(try await fixture.exists("leaf"))
  }

  @Test func `SHR-12 a record without a shared parent is not the participant's to make`()
    async throws
  {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob", .readWrite)
    try await fixture.save(.create("private"))
    try await fixture.join(share, as: fixture.bob)
    func failure(_ operation: RecordOperation) async throws -> BrumeError.Code {
      try await fixture.failure(of: operation, in: .shared, zone: shared(fixture), as: fixture.bob)
        .code
    }
    #expect(try await failure(.create("x")) == .accessDenied)
    // As under a parent that is not there.
    #expect(try await failure(.create("x", parent: "private")) == .validatingReferenceError)
    #expect(try await failure(.create("x", parent: "missing")) == .validatingReferenceError)
    #expect(try await fixture.exists("x") == false)
  }

  @Test func `SHR-13 DEL-12 a read-only participant changes nothing`() async throws {
    let fixture = try await EngineFixture()
    let (root, share) = try await fixture.shareHike(with: "bob")
    try await fixture.save(.create("child", parent: "root"))
    try await fixture.join(share, as: fixture.bob)
    let operations: [RecordOperation] = [
      .create("x", parent: "root"), .update(root, ["km": .int64(1)]), .delete("child"),
    ]
    for operation in operations {
      let error = try await fixture.failure(
        of: operation, in: .shared, zone: shared(fixture), as: fixture.bob)
      #expect(error.code == .accessDenied)
    }
    #expect(try await fixture.exists("child"))
  }

  @Test func `SHR-13 who may only read a whole zone changes nothing in it`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1"))
    try await fixture.join(
      try await fixture.save(.zoneShare(with: ["bob@example.org"])), as: fixture.bob)
    let operations: [RecordOperation] = [
      .create("x"), .force("h1", ["km": .int64(1)]), .delete("h1"),
    ]
    for operation in operations {
      let error = try await fixture.failure(
        of: operation, in: .shared, zone: shared(fixture), as: fixture.bob)
      #expect(error.code == .accessDenied)
    }
    #expect(try await fixture.fetch("h1").fields == [:])
    #expect(try await !fixture.exists("x"))
  }

  @Test func `SHR-14 lowered rights count at once`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob", .readWrite)
    try await fixture.join(share, as: fixture.bob)
    try await fixture.save(
      .force("root", ["km": .int64(1)]), in: .shared, zone: shared(fixture), as: fixture.bob)
    let current = try await fixture.fetch("s1")
    var operation = RecordOperation.update(current)
    operation.record.participants = current.shareDetails?.participants.map { participant in
      var lowered = participant
      lowered.permission = .readOnly
      return lowered
    }
    let saved = try await fixture.save(operation)
    #expect(saved.shareDetails?.participants.last?.acceptance == .accepted)
    let error = try await fixture.failure(
      of: .force("root", ["km": .int64(2)]), in: .shared, zone: shared(fixture), as: fixture.bob)
    #expect(error.code == .accessDenied)
  }

  @Test func `SHR-15 anybody with the address joins an open share and may write`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("root"))
    let share = try await fixture.save(.share("s1", of: "root", open: .readWrite))
    let eve = try await fixture.server.device("eve-phone", of: "eve")
    let metadata = try await fixture.join(share, as: eve)
    #expect(metadata.role == .publicUser)
    try await fixture.save(
      .force("root", ["km": .int64(1)]), in: .shared, zone: shared(fixture), as: eve)
    #expect(try await fixture.fetch("root").fields["km"] == .int64(1))
  }

  @Test func `SHR-15 who came by the address may do what it gives now`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("root"))
    let share = try await fixture.save(.share("s1", of: "root", open: .readWrite))
    try await fixture.join(share, as: fixture.bob)
    var operation = RecordOperation.update(try await fixture.fetch("s1"))
    operation.record.publicPermission = .readOnly
    let changed = try await fixture.save(operation)
    #expect(changed.shareDetails?.participants.last?.permission == .readOnly)
    let error = try await fixture.failure(
      of: .force("root", ["km": .int64(1)]), in: .shared, zone: shared(fixture), as: fixture.bob)
    #expect(error.code == .accessDenied)
    #expect(try await fixture.exists("root", in: .shared, zone: shared(fixture), as: fixture.bob))
  }

  @Test(arguments: [Participant.Role.privateUser, .publicUser, nil])
  func `who came by the address stays when the save that closes it invites him, and goes otherwise`(
    _ role: Participant.Role?
  ) async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("root"))
    let share = try await fixture.save(.share("s1", of: "root", open: .readOnly))
    try await fixture.join(share, as: fixture.bob)
    var operation = RecordOperation.update(try await fixture.fetch("s1"))
    operation.record.publicPermission = SharePermission.none
    operation.record.participants = role.map { role in
      [
        Participant(
          id: "invited", role: role, permission: .readWrite, acceptance: .invited,
          identity: UserIdentity(user: fixture.bob.user))
      ]
    }
    let closed = try await fixture.save(operation)
    let bob = closed.shareDetails?.participants.first { $0.role != .owner }
    #expect(bob?.role == (role == .privateUser ? .privateUser : nil))
    #expect(bob?.acceptance == (role == .privateUser ? .accepted : nil))
    #expect(bob?.permission == (role == .privateUser ? .readWrite : nil))
    let isThere = try? await fixture.exists(
      "root", in: .shared, zone: shared(fixture), as: fixture.bob)
    #expect((isThere ?? false) == (role == .privateUser))
  }

  @Test func `SHR-17 a participant leaves by deleting the share`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    try await fixture.join(share, as: fixture.bob)
    let token = try await fixture.databaseChanges(in: .shared, as: fixture.bob).token
    let results = try await fixture.modify(
      [.delete("s1")], in: .shared, zone: shared(fixture), as: fixture.bob)
    #expect(results.allSucceeded)
    #expect(
      try await fixture.databaseChanges(since: token, in: .shared, as: fixture.bob).summary
        == ["-Trails deleted"])
    #expect(try await fixture.exists("root"))
    let left = try await fixture.fetch("s1")
    #expect(left.shareDetails?.participant(try #require(fixture.bob.user)) == nil)
  }

  @Test func `SHR-17 a participant leaves by deleting the zone, and the owner keeps everything`()
    async throws
  {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob", .readWrite)
    try await fixture.save(.create("other"))
    let second = try await fixture.save(.share("s2", of: "other", with: ["bob@example.org"]))
    try await fixture.join(share, as: fixture.bob)
    try await fixture.join(second, as: fixture.bob)
    let token = try await fixture.databaseChanges(in: .shared, as: fixture.bob).token
    let delete = ZoneOperation(.delete, shared(fixture))
    let left = try await fixture.engine.zones.modify([delete], in: .shared, as: fixture.bob)
    #expect(try left.map { try $0.get().deletion } == [.deleted])
    #expect(
      try await fixture.databaseChanges(since: token, in: .shared, as: fixture.bob).summary
        == ["-Trails deleted"])
    for name in ["root", "s1", "other", "s2"] { #expect(try await fixture.exists(name)) }
    let bob = try #require(fixture.bob.user)
    for name in ["s1", "s2"] {
      #expect(try await fixture.fetch(name).shareDetails?.participant(bob) == nil)
    }
    let again = try await fixture.engine.zones.modify([delete], in: .shared, as: fixture.bob)
    guard case .failure(let failure)? = again.first else {
      Issue.record("somebody left a zone that he does not see")
      return
    }
    #expect(failure.error.code == .zoneNotFound)
  }

  @Test(arguments: [[DatabaseScope.private, .shared], [.shared, .private]])
  func `SHR-30 a child that moves to a shared parent goes in one database and comes in the other`(
    order: [DatabaseScope]
  ) async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob", .readWrite)
    try await fixture.join(share, as: fixture.bob)
    let own = ZoneID(name: "Own")
    try await fixture.makeZone(own, as: fixture.bob)
    let made = try await fixture.modify(
      [.create("parent"), .create("child", parent: "parent")], zone: own, as: fixture.bob)
    #expect(made.allSucceeded)
    let before = (
      own: try await fixture.changes(zone: own, as: fixture.bob).token,
      shared: try await fixture.changes(zone: shared(fixture), in: .shared, as: fixture.bob).token
    )
    for scope in order {
      let move =
        scope == .private
        ? try await fixture.modify([.delete("child")], zone: own, as: fixture.bob)
        : try await fixture.modify(
          [.create("child", parent: "root")], in: .shared, zone: shared(fixture), as: fixture.bob)
      #expect(move.allSucceeded)
    }
    // Each feed has its half, whichever is read first.
    for scope in order.reversed() {
      let feed =
        scope == .private
        ? try await fixture.changes(since: before.own, zone: own, as: fixture.bob)
        : try await fixture.changes(
          since: before.shared, zone: shared(fixture), in: .shared, as: fixture.bob)
      #expect(feed.summary == [scope == .private ? "-child" : "+child"])
    }
    #expect(try await fixture.fetch("child").parent == "root")
    #expect(try await fixture.exists("parent", zone: own, as: fixture.bob))
  }

  @Test func `SHR-19 a removed participant sees that the zone is gone`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    try await fixture.join(share, as: fixture.bob)
    let token = try await fixture.databaseChanges(in: .shared, as: fixture.bob).token
    var operation = RecordOperation.update(try await fixture.fetch("s1"))
    operation.record.participants = []
    try await fixture.save(operation)
    #expect(
      try await fixture.databaseChanges(since: token, in: .shared, as: fixture.bob).summary
        == ["-Trails deleted"])
    let error = try await fixture.changesFailure(
      since: nil, zone: shared(fixture), in: .shared, as: fixture.bob)
    #expect(error.code == .zoneNotFound)
  }

  @Test func `CHG-30 a token of the shared database is one reader's, and no owner's`()
    async throws
  {
    let fixture = try await EngineFixture()
    let eve = try await fixture.server.device("eve-phone", of: "eve")
    let share = try await fixture.save(.zoneShare(with: ["bob@example.org", "eve@example.org"]))
    for reader in [fixture.bob, eve] { try await fixture.join(share, as: reader) }
    let zone = shared(fixture)
    let foreign = [
      try await fixture.changes().token,
      try await fixture.changes(zone: zone, in: .shared, as: eve).token,
      try await fixture.databaseChanges(in: .shared, as: fixture.bob).token,
    ]
    for token in foreign {
      let error = try await fixture.changesFailure(
        since: token, zone: zone, in: .shared, as: fixture.bob)
      #expect(error.code == .changeTokenExpired)
    }
    let bobs = try await fixture.changes(zone: zone, in: .shared, as: fixture.bob).token
    #expect(try await fixture.changesFailure(since: bobs).code == .changeTokenExpired)
    let own = try await fixture.changes(since: bobs, zone: zone, in: .shared, as: fixture.bob)
    #expect(own.summary == [])

    let eves = try await fixture.databaseChanges(in: .shared, as: eve).token
    for scope in [DatabaseScope.private, .shared] {
      let error = try await ruleFailure {
        try await fixture.databaseChanges(since: eves, in: scope, as: fixture.bob)
      }
      #expect(error.code == .changeTokenExpired)
    }
  }

  @Test func `SHR-21 resolving shows a share without joining`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    let value = try #require(share.shortGUID)
    let results = try await fixture.engine.shares.resolve(
      [.init(value: value + "#Ridge"), .init(value: "0nothing")], as: fixture.bob)
    let metadata = try results[0].get()
    #expect(metadata.rootRecordName == "root")
    #expect(metadata.rootRecord == nil)
    #expect(metadata.acceptance == .invited)
    #expect(metadata.permission == .readOnly)
    #expect(metadata.owner.user == fixture.phone.user)
    #expect(results[1].failure?.error.code == .notFound)
    #expect(try await fixture.engine.zones.list(in: .shared, as: fixture.bob).isEmpty)
    let own = try await fixture.engine.shares.resolve([.init(value: value)], as: fixture.phone)
    #expect(try own[0].get().scope == .private)
  }

  @Test func `another user learns nothing of a closed share`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    let eve = try await fixture.server.device("eve-phone", of: "eve")
    let results = try await fixture.engine.shares.accept(
      [.init(value: try #require(share.shortGUID))], as: eve)
    #expect(results[0].failure?.error.code == .notFound)
  }

  @Test func `SHR-27 while an invitation waits for an unknown address, proof is asked for`()
    async throws
  {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("root"))
    let share = try await fixture.save(.share("s1", of: "root", with: ["nobody@example.com"]))
    let results = try await fixture.engine.shares.accept(
      [.init(value: try #require(share.shortGUID))], as: fixture.bob)
    #expect(results[0].failure?.error.code == .participantMayNeedVerification)
  }

  @Test func `SHR-35 a zone-wide share brings a new zone with all its records`() async throws {
    let fixture = try await EngineFixture()
    _ = try await fixture.modify([.create("h1"), .create("h2")])
    let token = try await fixture.databaseChanges(in: .shared, as: fixture.bob).token
    let share = try await fixture.save(.zoneShare(with: ["bob@example.org"], .readWrite))
    try await fixture.join(share, as: fixture.bob)
    let feed = try await fixture.databaseChanges(since: token, in: .shared, as: fixture.bob)
    #expect(feed.summary == ["+Trails"])
    #expect(feed.zones[0].zone == shared(fixture))
    let page = try await fixture.changes(zone: shared(fixture), in: .shared, as: fixture.bob)
    #expect(Set(page.summary) == ["+h1", "+h2", "+cloudkit.zoneshare"])
    try await fixture.save(.create("h3"), in: .shared, zone: shared(fixture), as: fixture.bob)
    #expect(try await fixture.exists("h3"))
    try await fixture.save(.create("h4"))
    #expect(
      try await fixture.changes(
        since: page.token, zone: shared(fixture), in: .shared, as: fixture.bob
      )
      .summary == ["+h3", "+h4"])
  }

  @Test func `a shared change names the shares that covered it`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    try await fixture.join(share, as: fixture.bob)
    try await fixture.save(.create("child", parent: "root"))
    try await fixture.save(.create("private"))
    let covering = try await fixture.log().compactMap { entry -> String? in
      guard case .record(let change) = entry.event else { return nil }
      return "\(change.record.name): \(change.coveringShares.joined(separator: ","))"
    }
    #expect(covering.suffix(2) == ["child: s1", "private: "])
  }

  @Test func `a participant gets deletions that concern him and no others`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    _ = try await fixture.modify([.create("child", parent: "root"), .create("private")])
    try await fixture.join(share, as: fixture.bob)
    let token = try await fixture.changes(zone: shared(fixture), in: .shared, as: fixture.bob).token
    let own = try await fixture.changes().token
    _ = try await fixture.modify([.delete("child"), .delete("private")])
    let page = try await fixture.changes(
      since: token, zone: shared(fixture), in: .shared, as: fixture.bob)
    #expect(page.summary == ["-child"])
    #expect(
      try await fixture.changes(since: own, types: ["Hike"]).summary == ["-child", "-private"])
  }

  @Test func `records that move between shares make participants start over`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    _ = try await fixture.modify([.create("box"), .create("inner", parent: "box")])
    try await fixture.join(share, as: fixture.bob)
    let token = try await fixture.changes(zone: shared(fixture), in: .shared, as: fixture.bob).token
    try await fixture.save(.update(try await fixture.fetch("box"), parent: "root"))
    let error = try await fixture.changesFailure(
      since: token, zone: shared(fixture), in: .shared, as: fixture.bob)
    #expect(error.code == .changeTokenExpired)
    let page = try await fixture.changes(zone: shared(fixture), in: .shared, as: fixture.bob)
    #expect(Set(page.summary) == ["+root", "+s1", "+box", "+inner"])
  }

  @Test func `only the owner deletes the root of a share`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob", .readWrite)
    try await fixture.join(share, as: fixture.bob)
    let error = try await fixture.failure(
      of: .delete("root"), in: .shared, zone: shared(fixture), as: fixture.bob)
    #expect(error.code == .accessDenied)
  }

  @Test func `deleting a shared zone ends the participants' part in it`() async throws {
    let fixture = try await EngineFixture()
    let share = try await fixture.save(.zoneShare(with: ["bob@example.org"]))
    try await fixture.join(share, as: fixture.bob)
    try await fixture.deleteZone(EngineFixture.trails)
    try await fixture.makeZone(EngineFixture.trails)
    #expect(try await fixture.engine.zones.list(in: .shared, as: fixture.bob).isEmpty)
    let joined = try await fixture.log().filter { entry in
      if case .membership = entry.event { true } else { false }
    }
    #expect(joined.count == 2)
  }

  @Test func `joining twice is joining once`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    try await fixture.join(share, as: fixture.bob)
    let entries = try await fixture.log().count
    let again = try await fixture.join(share, as: fixture.bob)
    #expect(again.acceptance == .accepted)
    #expect(try await fixture.log().count == entries)
  }

  @Test func `QRY-20 a query in the shared database names a zone and sees what is shared`()
    async throws
  {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    try await fixture.save(.create("private"))
    try await fixture.join(share, as: fixture.bob)
    let query = Query(recordType: "Hike")
    let error = try await ruleFailure {
      try await fixture.engine.queries.run(.init(query: query), in: .shared, as: fixture.bob)
    }
    #expect(error.code == .badRequest)
    let page = try await fixture.engine.queries.run(
      .init(query: query, zone: shared(fixture)), in: .shared, as: fixture.bob)
    #expect(page.records.map(\.name) == ["root"])
  }
}
