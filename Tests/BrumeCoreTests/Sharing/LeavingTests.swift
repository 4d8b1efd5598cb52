// Who is no participant any more: whoever leaves, whatever he may see (case SHR-17), and whoever had not come yet when a
// share opens.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

struct LeavingTests {
  private func shared(_ fixture: EngineFixture) -> ZoneID {
    ZoneID(name: "Trails", ownerName: fixture.phone.user?.name)
  }

  /// "s1", which bob has joined, and through which he sees nothing any more.
  private func withoutPermission() async throws -> EngineFixture {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob", .readWrite)
    try await fixture.join(share, as: fixture.bob)
    let current = try await fixture.fetch("s1")
    var operation = RecordOperation.update(current)
    operation.record.participants = current.shareDetails?.participants.map { participant in
      var lowered = participant
      lowered.permission = .none
      return lowered
    }
    try await fixture.save(operation)
    return fixture
  }

  private func isInside(_ fixture: EngineFixture, _ name: String = "s1") async throws -> Bool {
    let details = try await fixture.fetch(name).shareDetails
    return details?.participant(try #require(fixture.bob.user)) != nil
  }

  @Test(arguments: [nil, Record.shareType])
  func `SHR-17 a participant who may see nothing leaves by deleting the share`(
    type: String?
  ) async throws {
    let fixture = try await withoutPermission()
    let zone = shared(fixture)
    #expect(try await isInside(fixture))
    // Of the rest of the zone he learns nothing.
    for name in ["root", "nobody"] {
      let error = try await fixture.failure(
        of: .delete(name), in: .shared, zone: zone, as: fixture.bob)
      #expect(error.code == .zoneNotFound)
    }
    let leave = RecordOperation(.forceDelete, RecordDraft(name: "s1", type: type))
    let eve = try await fixture.server.device("eve-phone", of: "eve")
    let refused = try await fixture.failure(of: leave, in: .shared, zone: zone, as: eve)
    #expect(refused.code == .zoneNotFound)
    let results = try await fixture.modify([leave], in: .shared, zone: zone, as: fixture.bob)
    #expect(results.allSucceeded)
    #expect(try await !isInside(fixture))
    let again = try await fixture.failure(of: leave, in: .shared, zone: zone, as: fixture.bob)
    #expect(again.code == .zoneNotFound)
  }

  @Test func `SHR-17 a participant who may see nothing finds no share behind its URL`() async throws
  {
    let fixture = try await withoutPermission()
    let share = try await fixture.fetch("s1")
    let request = ShortGUIDRequest(
      value: try #require(share.shortGUID), shouldFetchRootRecord: true)
    let resolved = try await fixture.engine.shares.resolve([request], as: fixture.bob)
    let accepted = try await fixture.engine.shares.accept([request], as: fixture.bob)
    for result in resolved + accepted {
      guard case .failure(let failure) = result else {
        Issue.record("he gets it: \(result)")
        continue
      }
      #expect(failure.error.code == .notFound)
    }
    #expect(try await isInside(fixture))
  }

  @Test func `SHR-17 a delete of the share with another tag is a conflict, and nobody leaves`()
    async throws
  {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    try await fixture.join(share, as: fixture.bob)
    let ending = try await fixture.failure(of: .delete("s1", tag: ""))
    #expect(ending.code == .conflict && ending.serverRecord?.name == "s1")
    let zone = shared(fixture)
    let leaving = try await fixture.failure(
      of: .delete("s1", tag: ""), in: .shared, zone: zone, as: fixture.bob)
    #expect(leaving.code == .conflict && leaving.serverRecord?.name == "s1")
    #expect(try await isInside(fixture))
    let tag = try await fixture.fetch("s1", in: .shared, zone: zone, as: fixture.bob).changeTag
    let results = try await fixture.modify(
      [.delete("s1", tag: tag)], in: .shared, zone: zone, as: fixture.bob)
    #expect(results.allSucceeded)
    #expect(try await !isInside(fixture))
  }

  @Test func `SHR-17 who may see nothing of a share leaves it with any tag`() async throws {
    let fixture = try await withoutPermission()
    let results = try await fixture.modify(
      [.delete("s1", tag: "")], in: .shared, zone: shared(fixture), as: fixture.bob)
    #expect(results.allSucceeded)
    #expect(try await !isInside(fixture))
  }

  @Test func `SHR-17 a participant who may see nothing leaves by deleting the zone`() async throws {
    let fixture = try await withoutPermission()
    let delete = ZoneOperation(.delete, shared(fixture))
    let left = try await fixture.engine.zones.modify([delete], in: .shared, as: fixture.bob)
    #expect(try left.map { try $0.get().deletion } == [.deleted])
    #expect(try await !isInside(fixture))
    let again = try await fixture.engine.zones.modify([delete], in: .shared, as: fixture.bob)
    #expect(again.map { $0.failure?.error.code } == [.zoneNotFound])
  }

  @Test func `SHR-17 leaving a zone is leaving the shares that show nothing of it too`()
    async throws
  {
    let fixture = try await withoutPermission()
    try await fixture.save(.create("other"))
    let second = try await fixture.save(.share("s2", of: "other", with: ["bob@example.org"]))
    try await fixture.join(second, as: fixture.bob)
    let delete = ZoneOperation(.delete, shared(fixture))
    let left = try await fixture.engine.zones.modify([delete], in: .shared, as: fixture.bob)
    #expect(try left.map { try $0.get().deletion } == [.deleted])
    for name in ["s1", "s2"] { #expect(try await !isInside(fixture, name)) }
  }

  /// "s0" to "s2", which bob has joined, on a server where no request may leave all three.
  private func withThreeShares(_ bound: Bound) async throws -> EngineFixture {
    var limits = Limits.apple
    switch bound {
    case .operations: limits.operationsPerRequest = 2
    case .bytes: (limits.answerBytes, limits.recordBytes) = (8192, 4096)
    }
    let fixture = try await EngineFixture(limits: limits)
    let title = DraftField(.string(String(repeating: "x", count: 3000)))
    for number in 0..<3 {
      try await fixture.save(.create("r\(number)"))
      var share = RecordOperation.share(
        "s\(number)", of: "r\(number)", with: ["bob@example.org"])
      share.record.fields["cloudkit.title"] = title
      try await fixture.join(try await fixture.save(share), as: fixture.bob)
    }
    return fixture
  }

  enum Bound: CaseIterable { case operations, bytes }

  @Test(arguments: Bound.allCases)
  func
    `SHR-17 whoever takes part in more shares of a zone than a request may leave leaves them all`(
      bound: Bound
    ) async throws
  {
    let fixture = try await withThreeShares(bound)
    let delete = ZoneOperation(.delete, shared(fixture))
    let left = try await fixture.engine.zones.modify([delete], in: .shared, as: fixture.bob)
    #expect(try left.map { try $0.get().deletion } == [.deleted])
    for name in ["s0", "s1", "s2"] { #expect(try await !isInside(fixture, name)) }
  }

  @Test(arguments: Bound.allCases)
  func `whoever takes part in more shares of a zone than a request may leave can be deleted`(
    bound: Bound
  ) async throws {
    let fixture = try await withThreeShares(bound)
    #expect(try await fixture.engine.userRemovals.remove("bob").isDone)
    for name in ["s0", "s1", "s2"] { #expect(try await !isInside(fixture, name)) }
  }

  @Test(arguments: [true, false])
  func `what a participant's devices said of their saves goes with the last share, and not before`(
    isEndedByOwner: Bool
  ) async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob", .readWrite)
    try await fixture.join(share, as: fixture.bob)
    try await fixture.save(.create("other"))
    let second = try await fixture.save(.share("s2", of: "other", with: ["bob@example.org"]))
    try await fixture.join(second, as: fixture.bob)
    let place = ClientDataPlace(owner: fixture.phone, of: fixture.bob)
    try await fixture.say(.force("root"), in: .shared, zone: shared(fixture), as: fixture.bob)
    #expect(try await fixture.isKept(place))
    let left = try await fixture.modify(
      [.delete("s2")], in: .shared, zone: shared(fixture), as: fixture.bob)
    #expect(left.allSucceeded)
    #expect(try await fixture.isKept(place))
    if isEndedByOwner {
      _ = try await fixture.modify([.delete("s1")]).first?.get()
    } else {
      // Also if the request that leaves says something.
      try await fixture.say(.delete("s1"), in: .shared, zone: shared(fixture), as: fixture.bob)
    }
    #expect(try await !fixture.isKept(place))
  }

  @Test func `a share that opens keeps whoever accepted, and no invitation`() async throws {
    let fixture = try await EngineFixture()
    for name in ["carol", "dave"] { _ = try await fixture.server.user(name) }
    let (_, share) = try await fixture.shareHike(with: "bob")
    var invite = RecordOperation.update(share)
    let roles: [(String, Participant.Role)] = [
      ("bob", .administrator), ("carol", .administrator), ("dave", .privateUser),
    ]
    invite.record.participants = roles.map { name, role in
      Participant(
        id: "", role: role, permission: .readWrite, acceptance: .invited,
        identity: UserIdentity(emailAddress: "\(name)@example.org"))
    }
    let invited = try await fixture.save(invite)
    #expect(invited.shareDetails?.participants.count == 4)
    try await fixture.join(invited, as: fixture.bob)
    var open = RecordOperation.update(try await fixture.fetch("s1"))
    open.record.publicPermission = .readOnly
    let opened = try await fixture.save(open)
    #expect(opened.shareDetails?.participants.map(\.role) == [.owner, .administrator])
    #expect(
      opened.shareDetails?.participants.map(\.identity.user)
        == [fixture.phone.user, fixture.bob.user])
  }
}

/// Where what a user's devices said of their saves is kept.
struct ClientDataPlace {
  /// Nil: in the public database.
  let owner: Caller?
  let zone: ZoneID
  let user: Caller

  init(owner: Caller?, zone: ZoneID = EngineFixture.trails, of user: Caller) {
    (self.owner, self.zone, self.user) = (owner, zone, user)
  }
}

extension EngineFixture {
  func isKept(_ place: ClientDataPlace) async throws -> Bool {
    let database = DatabaseKey(in: TestContainer.development, owner: place.owner?.user)
    let zone = ZoneKey(database: database, name: place.zone.name)
    let key = SettingKey.clientData(zone, user: try #require(place.user.user))
    return try await server.store.read { try $0.settings.value(key) } != nil
  }

  /// An operation of a device that says something of it.
  func say(
    _ operation: RecordOperation, in scope: DatabaseScope, zone: ZoneID?, as caller: Caller
  ) async throws {
    var request = ModifyRecordsRequest(zone: zone, operations: [operation])
    request.clientData = [1, 2, 3]
    let results = try await engine.records.modify(request, in: scope, as: caller)
    _ = try #require(results.first).get()
  }
}
