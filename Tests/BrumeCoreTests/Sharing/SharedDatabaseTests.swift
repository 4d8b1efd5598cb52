// What a participant sees and may do: cases SHR-10 to SHR-19, SHR-21, SHR-27, SHR-35,
// QRY-20.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

struct SharedDatabaseTests {
  private func shared(_ lab: Lab) -> ZoneID {
    ZoneID(name: "Trails", ownerName: lab.phone.user?.name)
  }

  @Test func `SHR-10 after accepting, root, share and descendants are there and nothing else`()
    async throws
  {
    let lab = try await Lab()
    let (_, share) = try await lab.shareHike(with: "bob")
    _ = try await lab.modify([
      .create("child", parent: "root"), .create("grandchild", parent: "child"),
      .create("private"),
    ])
    #expect(try await lab.engine.listZones(in: .shared, as: lab.bob).isEmpty)
    let metadata = try await lab.join(share, as: lab.bob)
    #expect(metadata.scope == .shared)
    #expect(metadata.zone.ownerName == lab.phone.user?.name)
    #expect(metadata.rootRecord?.name == "root")
    #expect(metadata.acceptance == .accepted)
    let page = try await lab.changes(zone: shared(lab), in: .shared, as: lab.bob)
    #expect(Set(page.summary) == ["+s1", "+root", "+child", "+grandchild"])
    #expect(
      try await lab.exists("private", in: .shared, zone: shared(lab), as: lab.bob) == false)
    let zones = try await lab.engine.listZones(in: .shared, as: lab.bob)
    #expect(zones.map(\.zone) == [shared(lab)])
  }

  @Test func `SHR-11 a participant's child lands in the owner's zone`() async throws {
    let lab = try await Lab()
    let (_, share) = try await lab.shareHike(with: "bob", .readWrite)
    try await lab.join(share, as: lab.bob)
    let results = try await lab.modify(
      [.create("leaf", parent: "child"), .create("child", parent: "root")], in: .shared,
      zone: shared(lab), as: lab.bob)
    #expect(results.allSucceeded)
    let child = try await lab.fetch("child")
    #expect(child.created?.user == lab.bob.user)
    #expect(try await lab.exists("leaf"))
  }

  @Test func `SHR-12 a record without a shared parent is not the participant's to make`()
    async throws
  {
    let lab = try await Lab()
    let (_, share) = try await lab.shareHike(with: "bob", .readWrite)
    try await lab.save(.create("private"))
    try await lab.join(share, as: lab.bob)
    func failure(_ operation: RecordOperation) async throws -> BrumeError.Code {
      try await lab.failure(of: operation, in: .shared, zone: shared(lab), as: lab.bob).code
    }
    #expect(try await failure(.create("x")) == .accessDenied)
    // As under a parent that is not there.
    #expect(try await failure(.create("x", parent: "private")) == .validatingReferenceError)
    #expect(try await failure(.create("x", parent: "missing")) == .validatingReferenceError)
    #expect(try await lab.exists("x") == false)
  }

  @Test func `SHR-13 DEL-12 a read-only participant changes nothing`() async throws {
    let lab = try await Lab()
    let (root, share) = try await lab.shareHike(with: "bob")
    try await lab.save(.create("child", parent: "root"))
    try await lab.join(share, as: lab.bob)
    let operations: [RecordOperation] = [
      .create("x", parent: "root"), .update(root, ["km": .int64(1)]), .delete("child"),
    ]
    for operation in operations {
      let error = try await lab.failure(
        of: operation, in: .shared, zone: shared(lab), as: lab.bob)
      #expect(error.code == .accessDenied)
    }
    #expect(try await lab.exists("child"))
  }

  @Test func `SHR-14 lowered rights count at once`() async throws {
    let lab = try await Lab()
    let (_, share) = try await lab.shareHike(with: "bob", .readWrite)
    try await lab.join(share, as: lab.bob)
    try await lab.save(
      .force("root", ["km": .int64(1)]), in: .shared, zone: shared(lab), as: lab.bob)
    let current = try await lab.fetch("s1")
    var operation = RecordOperation.update(current)
    operation.record.participants = current.shareDetails?.participants.map { participant in
      var lowered = participant
      lowered.permission = .readOnly
      return lowered
    }
    let saved = try await lab.save(operation)
    #expect(saved.shareDetails?.participants.last?.acceptance == .accepted)
    let error = try await lab.failure(
      of: .force("root", ["km": .int64(2)]), in: .shared, zone: shared(lab), as: lab.bob)
    #expect(error.code == .accessDenied)
  }

  @Test func `SHR-15 anybody with the address joins an open share and may write`() async throws {
    let lab = try await Lab()
    try await lab.save(.create("root"))
    let share = try await lab.save(.share("s1", of: "root", open: .readWrite))
    let eve = try await lab.server.device("eve-phone", of: "eve")
    let metadata = try await lab.join(share, as: eve)
    #expect(metadata.role == .publicUser)
    try await lab.save(
      .force("root", ["km": .int64(1)]), in: .shared, zone: shared(lab), as: eve)
    #expect(try await lab.fetch("root").fields["km"] == .int64(1))
  }

  @Test func `SHR-15 who came by the address may do what it gives now`() async throws {
    let lab = try await Lab()
    try await lab.save(.create("root"))
    let share = try await lab.save(.share("s1", of: "root", open: .readWrite))
    try await lab.join(share, as: lab.bob)
    var operation = RecordOperation.update(try await lab.fetch("s1"))
    operation.record.publicPermission = .readOnly
    let changed = try await lab.save(operation)
    #expect(changed.shareDetails?.participants.last?.permission == .readOnly)
    let error = try await lab.failure(
      of: .force("root", ["km": .int64(1)]), in: .shared, zone: shared(lab), as: lab.bob)
    #expect(error.code == .accessDenied)
    #expect(try await lab.exists("root", in: .shared, zone: shared(lab), as: lab.bob))
  }

  @Test func `SHR-17 a participant leaves by deleting the share`() async throws {
    let lab = try await Lab()
    let (_, share) = try await lab.shareHike(with: "bob")
    try await lab.join(share, as: lab.bob)
    let token = try await lab.databaseChanges(in: .shared, as: lab.bob).token
    let results = try await lab.modify(
      [.delete("s1")], in: .shared, zone: shared(lab), as: lab.bob)
    #expect(results.allSucceeded)
    #expect(
      try await lab.databaseChanges(since: token, in: .shared, as: lab.bob).summary
        == ["-Trails deleted"])
    #expect(try await lab.exists("root"))
    let left = try await lab.fetch("s1")
    #expect(left.shareDetails?.participant(try #require(lab.bob.user)) == nil)
  }

  @Test func `SHR-17 a participant leaves by deleting the zone, and the owner keeps everything`()
    async throws
  {
    let lab = try await Lab()
    let (_, share) = try await lab.shareHike(with: "bob", .readWrite)
    try await lab.save(.create("other"))
    let second = try await lab.save(.share("s2", of: "other", with: ["bob@example.org"]))
    try await lab.join(share, as: lab.bob)
    try await lab.join(second, as: lab.bob)
    let token = try await lab.databaseChanges(in: .shared, as: lab.bob).token
    let delete = ZoneOperation(.delete, shared(lab))
    let left = try await lab.engine.modifyZones([delete], in: .shared, as: lab.bob)
    #expect(try left.map { try $0.get().deletion } == [.deleted])
    #expect(
      try await lab.databaseChanges(since: token, in: .shared, as: lab.bob).summary
        == ["-Trails deleted"])
    for name in ["root", "s1", "other", "s2"] { #expect(try await lab.exists(name)) }
    let bob = try #require(lab.bob.user)
    for name in ["s1", "s2"] {
      #expect(try await lab.fetch(name).shareDetails?.participant(bob) == nil)
    }
    let again = try await lab.engine.modifyZones([delete], in: .shared, as: lab.bob)
    guard case .failure(let failure)? = again.first else {
      Issue.record("somebody left a zone that he does not see")
      return
    }
    #expect(failure.error.code == .zoneNotFound)
  }

  @Test func `SHR-19 a removed participant hears that the zone is gone`() async throws {
    let lab = try await Lab()
    let (_, share) = try await lab.shareHike(with: "bob")
    try await lab.join(share, as: lab.bob)
    let token = try await lab.databaseChanges(in: .shared, as: lab.bob).token
    var operation = RecordOperation.update(try await lab.fetch("s1"))
    operation.record.participants = []
    try await lab.save(operation)
    #expect(
      try await lab.databaseChanges(since: token, in: .shared, as: lab.bob).summary
        == ["-Trails deleted"])
    let error = try await lab.changesFailure(
      since: nil, zone: shared(lab), in: .shared, as: lab.bob)
    #expect(error.code == .zoneNotFound)
  }

  @Test func `SHR-21 resolving tells about a share without joining`() async throws {
    let lab = try await Lab()
    let (_, share) = try await lab.shareHike(with: "bob")
    let value = try #require(share.shortGUID)
    let results = try await lab.engine.resolveShares(
      [.init(value: value + "#Ridge"), .init(value: "0nothing")], as: lab.bob)
    let metadata = try results[0].get()
    #expect(metadata.rootRecordName == "root")
    #expect(metadata.rootRecord == nil)
    #expect(metadata.acceptance == .invited)
    #expect(metadata.permission == .readOnly)
    #expect(metadata.owner.user == lab.phone.user)
    #expect(results[1].failure?.error.code == .notFound)
    #expect(try await lab.engine.listZones(in: .shared, as: lab.bob).isEmpty)
    let own = try await lab.engine.resolveShares([.init(value: value)], as: lab.phone)
    #expect(try own[0].get().scope == .private)
  }

  @Test func `a stranger learns nothing of a closed share`() async throws {
    let lab = try await Lab()
    let (_, share) = try await lab.shareHike(with: "bob")
    let eve = try await lab.server.device("eve-phone", of: "eve")
    let results = try await lab.engine.acceptShares(
      [.init(value: try #require(share.shortGUID))], as: eve)
    #expect(results[0].failure?.error.code == .notFound)
  }

  @Test func `SHR-27 while an invitation waits for an unknown address, proof is asked for`()
    async throws
  {
    let lab = try await Lab()
    try await lab.save(.create("root"))
    let share = try await lab.save(.share("s1", of: "root", with: ["nobody@example.com"]))
    let results = try await lab.engine.acceptShares(
      [.init(value: try #require(share.shortGUID))], as: lab.bob)
    #expect(results[0].failure?.error.code == .participantMayNeedVerification)
  }

  @Test func `SHR-35 a zone-wide share brings a new zone with all its records`() async throws {
    let lab = try await Lab()
    _ = try await lab.modify([.create("h1"), .create("h2")])
    let token = try await lab.databaseChanges(in: .shared, as: lab.bob).token
    let share = try await lab.save(.zoneShare(with: ["bob@example.org"], .readWrite))
    try await lab.join(share, as: lab.bob)
    let news = try await lab.databaseChanges(since: token, in: .shared, as: lab.bob)
    #expect(news.summary == ["+Trails"])
    #expect(news.zones[0].zone == shared(lab))
    let page = try await lab.changes(zone: shared(lab), in: .shared, as: lab.bob)
    #expect(Set(page.summary) == ["+h1", "+h2", "+cloudkit.zoneshare"])
    try await lab.save(.create("h3"), in: .shared, zone: shared(lab), as: lab.bob)
    #expect(try await lab.exists("h3"))
    try await lab.save(.create("h4"))
    #expect(
      try await lab.changes(since: page.token, zone: shared(lab), in: .shared, as: lab.bob)
        .summary == ["+h3", "+h4"])
  }

  @Test func `a shared change names the shares that covered it`() async throws {
    let lab = try await Lab()
    let (_, share) = try await lab.shareHike(with: "bob")
    try await lab.join(share, as: lab.bob)
    try await lab.save(.create("child", parent: "root"))
    try await lab.save(.create("private"))
    let covering = try await lab.log().compactMap { entry -> String? in
      guard case .record(let change) = entry.event else { return nil }
      return "\(change.record.name): \(change.coveringShares.joined(separator: ","))"
    }
    #expect(covering.suffix(2) == ["child: s1", "private: "])
  }

  @Test func `a participant hears of deletions that concern him and of no others`() async throws {
    let lab = try await Lab()
    let (_, share) = try await lab.shareHike(with: "bob")
    _ = try await lab.modify([.create("child", parent: "root"), .create("private")])
    try await lab.join(share, as: lab.bob)
    let token = try await lab.changes(zone: shared(lab), in: .shared, as: lab.bob).token
    let own = try await lab.changes().token
    _ = try await lab.modify([.delete("child"), .delete("private")])
    let page = try await lab.changes(
      since: token, zone: shared(lab), in: .shared, as: lab.bob)
    #expect(page.summary == ["-child"])
    #expect(try await lab.changes(since: own, types: ["Hike"]).summary == ["-child", "-private"])
  }

  @Test func `records that move between shares make participants start over`() async throws {
    let lab = try await Lab()
    let (_, share) = try await lab.shareHike(with: "bob")
    _ = try await lab.modify([.create("box"), .create("inner", parent: "box")])
    try await lab.join(share, as: lab.bob)
    let token = try await lab.changes(zone: shared(lab), in: .shared, as: lab.bob).token
    try await lab.save(.update(try await lab.fetch("box"), parent: "root"))
    let error = try await lab.changesFailure(
      since: token, zone: shared(lab), in: .shared, as: lab.bob)
    #expect(error.code == .changeTokenExpired)
    let page = try await lab.changes(zone: shared(lab), in: .shared, as: lab.bob)
    #expect(Set(page.summary) == ["+root", "+s1", "+box", "+inner"])
  }

  @Test func `only the owner deletes the root of a share`() async throws {
    let lab = try await Lab()
    let (_, share) = try await lab.shareHike(with: "bob", .readWrite)
    try await lab.join(share, as: lab.bob)
    let error = try await lab.failure(
      of: .delete("root"), in: .shared, zone: shared(lab), as: lab.bob)
    #expect(error.code == .accessDenied)
  }

  @Test func `deleting a shared zone ends the participants' part in it`() async throws {
    let lab = try await Lab()
    let share = try await lab.save(.zoneShare(with: ["bob@example.org"]))
    try await lab.join(share, as: lab.bob)
    try await lab.deleteZone(Lab.trails)
    try await lab.makeZone(Lab.trails)
    #expect(try await lab.engine.listZones(in: .shared, as: lab.bob).isEmpty)
    let joined = try await lab.log().filter { entry in
      if case .membership = entry.event { true } else { false }
    }
    #expect(joined.count == 2)
  }

  @Test func `joining twice is joining once`() async throws {
    let lab = try await Lab()
    let (_, share) = try await lab.shareHike(with: "bob")
    try await lab.join(share, as: lab.bob)
    let entries = try await lab.log().count
    let again = try await lab.join(share, as: lab.bob)
    #expect(again.acceptance == .accepted)
    #expect(try await lab.log().count == entries)
  }

  @Test func `QRY-20 a query in the shared database names a zone and sees what is shared`()
    async throws
  {
    let lab = try await Lab()
    let (_, share) = try await lab.shareHike(with: "bob")
    try await lab.save(.create("private"))
    try await lab.join(share, as: lab.bob)
    let query = Query(recordType: "Hike")
    let error = try await ruleFailure {
      try await lab.engine.query(.init(query: query), in: .shared, as: lab.bob)
    }
    #expect(error.code == .badRequest)
    let page = try await lab.engine.query(
      .init(query: query, zone: shared(lab)), in: .shared, as: lab.bob)
    #expect(page.records.map(\.name) == ["root"])
  }
}
