// What somebody in a share may not do by detours: through a reference, a participant's ID, an invitation, long lists.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeCore

struct ShareMisuseTests {
  private func shared(_ fixture: EngineFixture) -> ZoneID {
    ZoneID(name: "Trails", ownerName: fixture.phone.user?.name)
  }

  @Test func `SHR-18 a participant cannot delete a shared root through what it refers to`()
    async throws
  {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob", .readWrite)
    try await fixture.save(.create("child", parent: "root"))
    try await fixture.join(share, as: fixture.bob)
    let zone = shared(fixture)
    let target = FieldValue.reference(Reference(recordName: "trap", action: .deleteSelf))
    try await fixture.save(
      .create("trap", parent: "root"), in: .shared, zone: zone, as: fixture.bob)
    try await fixture.save(
      .force("root", ["to": target]), in: .shared, zone: zone, as: fixture.bob)
    let error = try await fixture.failure(
      of: .delete("trap"), in: .shared, zone: zone, as: fixture.bob)
    #expect(error.code == .accessDenied)
    for name in ["root", "child", "s1", "trap"] { #expect(try await fixture.exists(name)) }
    // Nothing keeps the owner from it.
    #expect(try await fixture.modify([.delete("trap")]).allSucceeded)
    for name in ["root", "child", "s1"] { #expect(try await !fixture.exists(name)) }
  }

  @Test(arguments: [true, false], [nil, Record.shareType])
  func `a share cannot be changed in the request that deletes its root`(
    isRootFirst: Bool, type: String?
  ) async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    var draft = RecordDraft(name: "s1", type: type, changeTag: share.changeTag)
    draft.publicPermission = .readOnly
    let (root, change) = (RecordOperation.delete("root"), RecordOperation(.update, draft))
    let operations = isRootFirst ? [root, change] : [change, root]
    let whole = try await fixture.modify(operations, atomic: true)
    #expect(whole.allSatisfy { !$0.isSuccess })
    let error = try #require(whole.codes.firstIndex(of: .validatingReferenceError))
    #expect(whole[error].error?.reason.contains("share 's1' goes with its root 'root'") == true)
    for name in ["root", "s1"] { #expect(try await fixture.exists(name)) }
    let results = try await fixture.modify(operations, atomic: false)
    #expect(
      results.codes
        == (isRootFirst ? [nil, .validatingReferenceError] : [.validatingReferenceError, nil]))
    for name in ["root", "s1"] { #expect(try await !fixture.exists(name)) }
  }

  @Test func `a record that goes along with another in a request is not shared in it`() async throws
  {
    let fixture = try await EngineFixture()
    let target = FieldValue.reference(Reference(recordName: "target", action: .deleteSelf))
    _ = try await fixture.modify([.create("target"), .create("root", ["to": target])])
    let results = try await fixture.modify(
      [.delete("target"), .share("s1", of: "root")], atomic: false)
    #expect(results.codes == [nil, .validatingReferenceError])
    for name in ["target", "root", "s1"] { #expect(try await !fixture.exists(name)) }
  }

  @Test func `a user's own record does not go with what it refers to`() async throws {
    let fixture = try await EngineFixture()
    let name = try #require(fixture.phone.user?.name)
    try await fixture.save(.create("trap"), in: .public)
    let target = FieldValue.reference(Reference(recordName: "trap", action: .deleteSelf))
    try await fixture.save(
      .force(name, ["to": target], type: Record.usersType), in: .public)
    // Nor does it keep others from deleting what is theirs.
    #expect(try await fixture.modify([.delete("trap")], in: .public).allSucceeded)
    #expect(try await !fixture.exists("trap", in: .public))
    #expect(try await fixture.fetch(name, in: .public).fields["to"] != nil)
  }

  @Test func `somebody who is invited by two addresses, and not to be found, joins once`()
    async throws
  {
    let fixture = try await EngineFixture()
    var change = Accounts.Change()
    change.isDiscoverable = false
    change.phoneNumber = "+431"
    _ = try await fixture.engine.accounts.change(try #require(fixture.bob.user), change)
    let (_, share) = try await fixture.shareHike(with: "bob")
    var operation = RecordOperation.update(share)
    operation.record.participants =
      (share.shareDetails?.participants ?? []) + [
        Participant(
          id: "", role: .privateUser, permission: .readOnly, acceptance: .invited,
          identity: UserIdentity(phoneNumber: "+431"))
      ]
    let both = try await fixture.save(operation)
    #expect(both.shareDetails?.participants.count == 3)
    let metadata = try await fixture.join(both, as: fixture.bob)
    #expect(metadata.acceptance == .accepted)
    let after = try await fixture.fetch("s1").shareDetails
    #expect(after?.participants.map(\.identity.user) == [fixture.phone.user, fixture.bob.user])
  }

  @Test func `a one-time place cannot have the ID of the owner`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    let owner = try #require(share.shareDetails?.owner)
    var operation = RecordOperation.update(share)
    var place = Participant(
      id: owner.id, role: .privateUser, permission: .readWrite, acceptance: .invited,
      identity: UserIdentity())
    place.oneTimeToken = "x"
    operation.record.participants = (share.shareDetails?.participants ?? []) + [place]
    let saved = try await fixture.save(operation)
    let made = try #require(saved.shareDetails?.participants.first { $0.oneTimeToken != nil })
    #expect(made.id != owner.id)
    let eve = try await fixture.server.device("eve-phone", of: "eve")
    let address = try #require(saved.shortGUID) + "." + (made.oneTimeToken ?? "")
    _ = try await fixture.engine.shares.accept([.init(value: address)], as: eve)
    let after = try await fixture.fetch("s1").shareDetails
    #expect(after?.owner?.identity.user == fixture.phone.user)
    #expect(after?.participants.contains { $0.oneTimeToken != nil } == false)
  }

  @Test func `an invitation says nothing of somebody who is not to be found, until he accepts`()
    async throws
  {
    let fixture = try await EngineFixture()
    var change = Accounts.Change()
    change.isDiscoverable = false
    _ = try await fixture.engine.accounts.change(try #require(fixture.bob.user), change)
    let (_, share) = try await fixture.shareHike(with: "bob")
    let invited = try #require(share.shareDetails?.participants.last?.identity)
    #expect(invited == UserIdentity(emailAddress: "bob@example.org"))
    try await fixture.join(share, as: fixture.bob)
    let joined = try await fixture.fetch("s1").shareDetails?.participants.last
    #expect(joined?.identity.user == fixture.bob.user && joined?.identity.givenName == "Bob")
    #expect(joined?.acceptance == .accepted)
  }

  @Test func `SHR-16 the address of a share that ended leads to no other share`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    #expect(try await fixture.modify([.delete("s1")]).allSucceeded)
    let results = try await fixture.modify([
      .share("s1", of: "other", with: ["bob@example.org"], .readWrite), .create("other"),
    ])
    #expect(results.allSucceeded)
    await #expect(throws: ItemFailure<String>.self) {
      try await fixture.join(share, as: fixture.bob)
    }
    #expect(try await fixture.fetch("s1").shareDetails?.participants.last?.acceptance == .invited)
  }

  @Test func `whoever is blocked does not come in by an invitation that nobody knew was his`()
    async throws
  {
    let fixture = try await EngineFixture()
    var change = Accounts.Change()
    change.isDiscoverable = false
    let user = try #require(fixture.bob.user)
    _ = try await fixture.engine.accounts.change(user, change)
    let (_, share) = try await fixture.shareHike(with: "bob", .readWrite)
    var details = try #require(share.shareDetails)
    details.blocked = [UserIdentity(user: user)]
    let account = try #require(
      try await fixture.server.store.read { try $0.users.find(user) })
    let place = AddressedShare(
      request: .init(value: "a"), oneTimeToken: nil,
      key: RecordKey(
        zone: ZoneKey(database: try fixture.phone.databaseKey(.private), name: "Trails"),
        name: "s1"), record: share, share: details)
    #expect(throws: BrumeError.self) { try place.participant(for: account) }
    details.blocked = []
    let open = AddressedShare(
      request: place.request, oneTimeToken: nil, key: place.key, record: share, share: details)
    #expect(try open.participant(for: account).permission == .readWrite)
  }

  @Test func `whoever joined by the address for all and is invited too, is one participant`()
    async throws
  {
    let fixture = try await EngineFixture()
    var change = Accounts.Change()
    change.isDiscoverable = false
    let user = try #require(fixture.bob.user)
    _ = try await fixture.engine.accounts.change(user, change)
    let (_, share) = try await fixture.shareHike(with: "bob", .readWrite)
    var record = share
    record.shareDetails?.participants.append(
      Participant(
        id: "p", role: .publicUser, permission: .readOnly, acceptance: .accepted,
        identity: UserIdentity(user: user)))
    let place = AddressedShare(
      request: .init(value: "a"), oneTimeToken: nil,
      key: RecordKey(
        zone: ZoneKey(database: try fixture.phone.databaseKey(.private), name: "Trails"),
        name: "s1"), record: record, share: try #require(record.shareDetails))
    let after = try await fixture.server.store.read {
      try place.accepted(by: user, id: "q", limits: .apple, $0)
    }
    let mine = after?.shareDetails?.participants.filter { $0.identity.user == user }
    #expect(mine?.map(\.permission) == [.readWrite])
    #expect(after?.shareDetails?.participants.count == 2)
  }

  @Test func `SHR-17 nothing takes a share along, and a share keeps nothing`() async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    try await fixture.save(.create("trap"))
    for action in [Reference.Action.deleteSelf, .validate] {
      let target = FieldValue.reference(Reference(recordName: "trap", action: action))
      let error = try await fixture.failure(of: .update(share, ["to": target]))
      #expect(error.code == .badRequest && error.reason.contains("'to'"))
    }
    #expect(try await fixture.failure(of: .update(share, parent: "trap")).code == .badRequest)
    let harmless = FieldValue.reference(Reference(recordName: "trap", action: .none))
    try await fixture.save(.update(share, ["to": harmless]))
  }

  @Test(arguments: [nil, Record.shareType])
  func `SHR-16 nobody keeps a share from ending by referring to it`(type: String?) async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob", .readWrite)
    try await fixture.join(share, as: fixture.bob)
    let zone = shared(fixture)
    func pin(_ action: Reference.Action) -> RecordOperation {
      let target = FieldValue.reference(Reference(recordName: "s1", action: action))
      return .create("pin", ["to": target], parent: "root")
    }
    let operations: [RecordOperation] = [
      .create("pin", parent: "s1"), pin(.validate), pin(.deleteSelf),
    ]
    for operation in operations {
      for (scope, caller) in [(DatabaseScope.shared, fixture.bob), (.private, fixture.phone)] {
        let error = try await fixture.failure(
          of: operation, in: scope, zone: scope == .shared ? zone : EngineFixture.trails,
          as: caller)
        #expect(error.code == .badRequest && error.reason.contains("the share 's1'"))
      }
    }
    try await fixture.save(pin(.none), in: .shared, zone: zone, as: fixture.bob)
    let end = RecordOperation(.forceDelete, RecordDraft(name: "s1", type: type))
    #expect(try await fixture.modify([end]).allSucceeded)
    #expect(try await fixture.exists("pin"))
  }

  @Test(arguments: ["s1", "root"], [nil, Record.shareType])
  func `SHR-16 what refers to a share from earlier versions keeps neither it nor its root`(
    name: String, type: String?
  ) async throws {
    let fixture = try await EngineFixture()
    _ = try await fixture.shareHike(with: "bob")
    let made = try await fixture.modify([.create("child"), .create("pin"), .create("holder")])
    #expect(made.allSucceeded)
    let database = try fixture.phone.databaseKey(.private)
    let zone = ZoneKey(database: database, name: "Trails")
    try await fixture.server.store.write(in: .database(database)) { transaction in
      for name in ["child", "pin", "holder"] {
        var record = try #require(
          try transaction.records.find(RecordKey(zone: zone, name: name))?.record())
        let action = name == "pin" ? Reference.Action.validate : .deleteSelf
        record.parent = name == "child" ? "s1" : nil
        record.fields["to"] =
          name == "child" ? nil : .reference(Reference(recordName: "s1", action: action))
        let sequence = try transaction.sequences.next(in: database)
        try transaction.records.put(record, in: zone, sequence: sequence)
      }
    }
    let draft = RecordDraft(name: name, type: name == "s1" ? type : nil)
    #expect(try await fixture.modify([RecordOperation(.forceDelete, draft)]).allSucceeded)
    #expect(try await !fixture.exists("s1"))
    for name in ["child", "pin", "holder"] { #expect(try await fixture.exists(name)) }
  }

  @Test func `a share keeps out each of those whom its owner knows once, and nobody else`() throws {
    var share = Share()
    share.requesters = ["_a", "_b"].map { UserIdentity(user: UserID($0)) }
    let names = ["_a", "_x", "_a"].map { UserID($0) }
    try AccessRules.apply(
      AccessDraft(allowsRequests: true, blocked: names), to: &share, .apple)
    #expect(share.blocked.map(\.user) == [UserID("_a")])
    #expect(share.requesters.isEmpty)
  }
}
