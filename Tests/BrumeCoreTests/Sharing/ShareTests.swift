// Making, changing and ending shares: cases SHR-01 to SHR-05, SHR-16, SHR-22 to SHR-26,
// SHR-33, SHR-34, SAV-40.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

struct ShareTests {
  @Test func `SHR-01 a share saved with its root links both and has an address`() async throws {
    let fixture = try await EngineFixture()
    let (root, share) = try await fixture.shareHike(with: "bob")
    #expect(root.share == share.name)
    #expect(root.shortGUID == share.shortGUID)
    #expect(share.shortGUID?.first == "0")
    let details = try #require(share.shareDetails)
    #expect(details.rootRecordName == "root")
    #expect(details.owner?.identity.user == fixture.phone.user)
    #expect(details.participants.map(\.acceptance) == [.accepted, .invited])
    #expect(details.participants[1].identity.user == fixture.bob.user)
  }

  @Test func `a share of an existing root moves the root's tag`() async throws {
    let fixture = try await EngineFixture()
    let root = try await fixture.save(.create("root"))
    let token = try await fixture.changes().token
    try await fixture.save(.share("s1", of: "root", tag: root.changeTag))
    #expect(try await fixture.fetch("root").changeTag != root.changeTag)
    #expect(try await Set(fixture.changes(since: token).summary) == ["+root", "+s1"])
    let other = try await fixture.save(.create("other"))
    try await fixture.save(.update(other))
    let stale = RecordOperation.share("s2", of: "other", tag: other.changeTag)
    #expect(try await fixture.failure(of: stale).code == .conflict)
  }

  @Test func `SHR-02 a new share that names no root is refused`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("root"))
    let error = try await fixture.failure(of: .create("s1", type: Record.shareType))
    #expect(error.code == .badRequest)
    #expect(error.reason.contains("root record"))
    let ghost = try await fixture.failure(of: .share("s1", of: "ghost"))
    #expect(ghost.code == .notFound)
    #expect(ghost.reason.hasPrefix("Cannot share - no such record exists to share"))
  }

  @Test func `SHR-03 SHR-25 a share can be saved alone later, by its tag`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    let titled = try await fixture.save(.update(share, ["cloudkit.title": .string("Hikes")]))
    #expect(titled.fields["cloudkit.title"] == .string("Hikes"))
    #expect(titled.shareDetails == share.shareDetails)
    let error = try await fixture.failure(of: .update(share, ["cloudkit.title": .string("x")]))
    #expect(error.code == .conflict)
    #expect(error.serverRecord?.shareDetails == share.shareDetails)
  }

  @Test func `SAV-40 participants are compared by tag even in a forced save`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    try await fixture.save(.update(share, ["cloudkit.title": .string("Hikes")]))
    var operation = RecordOperation.make(
      .forceUpdate, share.name, [:], type: Record.shareType, tag: share.changeTag)
    operation.record.participants = []
    #expect(try await fixture.failure(of: operation).code == .conflict)
  }

  @Test func `SHR-04 the default zone cannot be shared`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("root"), zone: nil)
    let error = try await fixture.failure(of: .share("s1", of: "root"), zone: nil)
    #expect(error.code == .badRequest)
    #expect(error.reason.contains("default zone"))
  }

  @Test(arguments: ["root", "child", "grandparent"])
  func `SHR-05 a record takes part in one share only`(_ name: String) async throws {
    let fixture = try await EngineFixture()
    _ = try await fixture.modify([
      .create("grandparent"), .create("root", parent: "grandparent"),
      .create("child", parent: "root"),
    ])
    try await fixture.save(.share("s1", of: "root"))
    #expect(try await fixture.failure(of: .share("s2", of: name)).code == .alreadyShared)
  }

  @Test func `SHR-05 the root of a share cannot move under another share`() async throws {
    let fixture = try await EngineFixture()
    _ = try await fixture.modify([.create("a"), .create("b")])
    _ = try await fixture.modify([.share("s1", of: "a"), .share("s2", of: "b")])
    let b = try await fixture.fetch("b")
    #expect(try await fixture.failure(of: .update(b, parent: "a")).code == .alreadyShared)
  }

  @Test func `SHR-08 a record can be shared again after its share ended`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    _ = try await fixture.modify([.delete(share.name)])
    let again = try await fixture.save(.share("s2", of: "root"))
    #expect(again.shortGUID == share.shortGUID)
    #expect(try await fixture.fetch("root").share == "s2")
  }

  @Test func `SHR-16 ending a share keeps the records and clears the root's reference`()
    async throws
  {
    let fixture = try await EngineFixture()
    let (root, share) = try await fixture.shareHike(with: "bob")
    try await fixture.join(share, as: fixture.bob)
    let shared = ZoneID(name: "Trails", ownerName: fixture.phone.user?.name)
    #expect(try await fixture.exists("root", in: .shared, zone: shared, as: fixture.bob))
    _ = try await fixture.modify([.delete(share.name)])
    let left = try await fixture.fetch("root")
    #expect(left.share == nil)
    #expect(left.changeTag != root.changeTag)
    let error = try await ruleFailure {
      try await fixture.fetch("root", in: .shared, zone: shared, as: fixture.bob)
    }
    #expect(error.code == .zoneNotFound)
  }

  @Test func `SHR-18 deleting the root takes the share and the descendants along`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    try await fixture.save(.create("child", parent: "root"))
    try await fixture.join(share, as: fixture.bob)
    let token = try await fixture.databaseChanges(in: .shared, as: fixture.bob).token
    #expect(try await fixture.modify([.delete("root")]).allSucceeded)
    for name in ["root", "child", share.name] { #expect(try await fixture.exists(name) == false) }
    #expect(
      try await fixture.databaseChanges(since: token, in: .shared, as: fixture.bob).summary
        == ["-Trails deleted"])
  }

  @Test func `SHR-22 SHR-34 a zone-wide share has a fixed name and no root`() async throws {
    let fixture = try await EngineFixture()
    let before = try await fixture.engine.zones.lookup(
      [EngineFixture.trails], in: .private, as: fixture.phone)
    #expect(try before[0].get().share == nil)
    let share = try await fixture.save(.zoneShare())
    #expect(share.name == "cloudkit.zoneshare")
    #expect(share.shareDetails?.rootRecordName == nil)
    #expect(share.shortGUID != nil)
    let after = try await fixture.engine.zones.lookup(
      [EngineFixture.trails], in: .private, as: fixture.phone)
    #expect(try after[0].get().share == "cloudkit.zoneshare")
  }

  @Test func `a record of another type is refused for what makes it a share, and for nothing else`()
    async throws
  {
    let fixture = try await EngineFixture()
    let named = try await fixture.failure(of: .create(Record.zoneShareName))
    #expect(
      named.reason
        == "record name 'cloudkit.zoneshare' is kept for the share of a zone; choose another, or "
        + "save it with recordType cloudkit.share")
    let draft = RecordDraft(name: "h1", type: "Hike", shareRoot: ("root", nil))
    let rooted = try await fixture.failure(of: RecordOperation(.create, draft))
    #expect(
      rooted.reason
        == "record 'h1': forRecord belongs to records of type cloudkit.share; leave it out")
  }

  @Test func `SHR-23 a second zone-wide share is a conflict`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.zoneShare())
    let error = try await fixture.failure(of: .zoneShare())
    #expect(error.code == .conflict)
    #expect(error.reason.hasPrefix("record to insert already exists"))
  }

  @Test func `SHR-24 a zone and its records take part in a single share`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("root"))
    try await fixture.save(.zoneShare())
    #expect(try await fixture.failure(of: .share("s1", of: "root")).code == .rejected)
    let other = ZoneID(name: "Other")
    try await fixture.makeZone(other)
    try await fixture.save(.create("root"), zone: other)
    try await fixture.save(.share("s1", of: "root"), zone: other)
    #expect(try await fixture.failure(of: .zoneShare(), zone: other).code == .badRequest)
  }

  @Test func `SHR-26 more participants than the limit are refused`() async throws {
    var limits = Limits.apple
    limits.participants = 2
    let fixture = try await EngineFixture(limits: limits)
    try await fixture.save(.create("root"))
    let error = try await fixture.failure(
      of: .share("s1", of: "root", with: ["bob@example.org", "eve@example.org"]))
    #expect(error.code == .tooManyParticipants)
    try await fixture.save(.share("s1", of: "root", with: ["bob@example.org"]))
  }

  @Test func `SHR-28 an address in another case invites nobody twice`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("root"))
    let share = try await fixture.save(
      .share(
        "s1", of: "root",
        with: [
          "Bob@Example.org", "bob@example.org", "Someone@Example.net", "someone@example.net",
        ]))
    let identities = try #require(share.shareDetails).participants.dropFirst().map(\.identity)
    #expect(identities.map(\.user) == [fixture.bob.user, nil])
    #expect(identities.map(\.emailAddress) == ["Bob@Example.org", "Someone@Example.net"])
  }

  @Test func `SHR-33 the public database has no shares`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("root"), in: .public)
    let error = try await fixture.failure(of: .share("s1", of: "root"), in: .public)
    #expect(error.code == .badDatabase)
  }

  @Test func `nobody can be made to have accepted, and the owner stays`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    var operation = RecordOperation.update(share)
    var bob = try #require(share.shareDetails?.participants.last)
    bob.acceptance = .accepted
    bob.permission = .readWrite
    operation.record.participants = [bob]
    let saved = try await fixture.save(operation)
    #expect(saved.shareDetails?.participants.map(\.role) == [.owner, .privateUser])
    #expect(saved.shareDetails?.participants[1].acceptance == .invited)
    #expect(saved.shareDetails?.participants[1].permission == .readWrite)
  }
}

extension EngineFixture {
  /// "root" in Trails, shared with somebody by address.
  func shareHike(
    with name: String, _ permission: SharePermission = .readOnly
  ) async throws -> (root: Record, share: Record) {
    _ = try await server.user(name)
    let results = try await modify([
      .share("s1", of: "root", with: ["\(name)@example.org"], permission), .create("root"),
    ])
    guard case .saved(let share) = try results[0].get() else { throw Unexpected.deleted }
    return (try await fetch("root"), try share.record())
  }

  @discardableResult
  func join(_ share: Record, as caller: Caller) async throws -> ShareMetadata {
    let results = try await engine.shares.accept(
      [.init(value: try #require(share.shortGUID), shouldFetchRootRecord: true)], as: caller)
    return try #require(results.first).get()
  }
}

extension RecordOperation {
  static func share(
    _ name: String, of root: String, tag: String? = nil, with addresses: [String] = [],
    _ permission: SharePermission = .readOnly, open: SharePermission? = nil
  ) -> RecordOperation {
    var draft = RecordDraft(name: name, type: Record.shareType, shareRoot: (root, tag))
    draft.participants = addresses.map { address in
      Participant(
        id: "", role: .privateUser, permission: permission, acceptance: .invited,
        identity: UserIdentity(emailAddress: address))
    }
    draft.publicPermission = open
    return RecordOperation(.create, draft)
  }

  static func zoneShare(
    with addresses: [String] = [], _ permission: SharePermission = .readOnly
  ) -> RecordOperation {
    var operation = share(Record.zoneShareName, of: "", with: addresses, permission)
    operation.record.shareRoot = nil
    return operation
  }
}
