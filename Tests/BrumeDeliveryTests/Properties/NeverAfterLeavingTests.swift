import BrumeModel
import BrumeStorage
import BrumeWire
import Testing

@testable import BrumeCore
@testable import BrumeDelivery

/// A push about somebody else's zone that waits when its reader loses the zone still says that the shared
/// database changed, and no more.
@Suite(.timeLimit(.minutes(10))) struct NeverAfterLeavingTests {
  enum Loss: String, CaseIterable, Sendable {
    case `she leaves the share`, `the owner removes her`, `the owner ends the share`
    case `the owner lets her see nothing any more`
    case `the owner ends the share of the zone`, `the owner deletes the zone`

    var isOfZoneShare: Bool { self == .`the owner ends the share of the zone` }
  }
  private static let trip = ZoneID(name: "Trip")

  @Test(arguments: PushChannel.devices, Loss.allCases)
  func `N11 a zone is not named any more when`(pushChannel: PushChannel, loss: Loss) async throws {
    let fixture = try await delivered(pushChannel, loss)
    #expect(fixture.received("phone").map(\.name) == ["Trip", ""])
    #expect(fixture.received("phone").map(\.sid) == ["s", "s"])
    // Losing it notifies too, with the same payload.
    try await fixture.notify()
    try await fixture.receive("phone")
    let later = fixture.received("phone").dropFirst(2)
    #expect(later.allSatisfy { $0.name == "" && $0.sid == "s" })
  }

  @Test(arguments: Loss.allCases)
  func `the device is notified of losing the zone, when`(loss: Loss) async throws {
    let fixture = try await delivered(.stream, loss)
    try await fixture.notify()
    try await fixture.receive("phone")
    #expect(fixture.received("phone").count > 2)
  }

  @Test(arguments: PushChannel.devices)
  func `while she takes part the zone is named, also when a record leaves the share, by`(
    pushChannel: PushChannel
  ) async throws {
    let fixture = try await prepared(pushChannel, isOfZone: false)
    try await fixture.modify(.forceUpdate, "after", parent: .cleared)
    try await fixture.receive("phone")
    try await fixture.notify()
    try await fixture.receive("phone")
    #expect(fixture.received("phone").map(\.name).prefix(2) == ["Trip", "Trip"])
    #expect(fixture.received("phone").allSatisfy { $0.name == "Trip" })
  }

  @Test(arguments: PushChannel.devices)
  func `a way on which nobody asks again is caught, by`(pushChannel: PushChannel) async throws {
    for loss in Loss.allCases {
      let fixture = try await delivered(pushChannel, loss, .rightsForgotten)
      #expect(fixture.received("phone").map(\.name) == ["Trip", "Trip"], "\(loss)")
    }
  }

  @Test(arguments: Loss.allCases)
  func `N11 kept notifications do not name the zone when`(loss: Loss) async throws {
    let fixture = try await prepared(.stream, isOfZone: loss.isOfZoneShare)
    #expect(try await fixture.keptNames() == ["Trip", "Trip"])
    try await lose(loss, fixture)
    #expect(try await fixture.keptNames() == [])
  }

  // MARK: What happens

  private func delivered(
    _ pushChannel: PushChannel, _ loss: Loss, _ fault: DeliveryFixture.Fault? = nil
  ) async throws -> DeliveryFixture {
    let fixture = try await prepared(pushChannel, isOfZone: loss.isOfZoneShare, fault)
    try await lose(loss, fixture)
    try await fixture.receive("phone")
    return fixture
  }

  /// Alice takes part in Bob's trip; one change was delivered, another waits in her phone's mailbox.
  private func prepared(
    _ pushChannel: PushChannel, isOfZone: Bool, _ fault: DeliveryFixture.Fault? = nil
  ) async throws -> DeliveryFixture {
    let fixture = try await DeliveryFixture(fault)
    try await fixture.shareTrip(Self.trip, asWhole: isOfZone)
    try await fixture.register("phone", pushChannel)
    try await fixture.subscribe("s", .database(recordType: nil), in: .shared, info: .alert())
    for name in ["before", "after"] {
      try await fixture.modify(.create, name, parent: .set(Reference(recordName: "root")))
      try await fixture.notify()
      if name == "before" { try await fixture.receive("phone") }
    }
    return fixture
  }

  private func lose(_ loss: Loss, _ fixture: DeliveryFixture) async throws {
    switch loss {
    case .`she leaves the share`:
      let trip = ZoneID(name: Self.trip.name, ownerName: fixture.bob.name)
      try await fixture.modify(.forceDelete, "share", in: trip, of: fixture.alice, scope: .shared)
    case .`the owner removes her`: try await fixture.changeParticipants(in: Self.trip) { _ in nil }
    case .`the owner lets her see nothing any more`:
      try await fixture.changeParticipants(in: Self.trip) { participant in
        var lowered = participant
        lowered.permission = .none
        return lowered
      }
    case .`the owner ends the share`: try await fixture.modify(.forceDelete, "share")
    case .`the owner ends the share of the zone`:
      try await fixture.modify(.forceDelete, Record.zoneShareName)
    case .`the owner deletes the zone`:
      _ = try await fixture.engine.zones.modify(
        [ZoneOperation(.delete, Self.trip)], in: .private, as: fixture.caller(fixture.bob, "laptop")
      )
    }
  }
}

extension DeliveryFixture {
  /// Bob makes a zone with a record and shares it, or all of the zone, with Alice, who joins.
  fileprivate func shareTrip(_ zone: ZoneID, asWhole: Bool) async throws {
    let owner = caller(bob, "laptop")
    _ = try await engine.zones.modify([ZoneOperation(.create, zone)], in: .private, as: owner)
    try await modify(.create, "root")
    var draft = RecordDraft(
      name: asWhole ? Record.zoneShareName : "share", type: Record.shareType,
      shareRoot: asWhole ? nil : ("root", nil))
    draft.participants = [
      Participant(
        id: "", role: .privateUser, permission: .readOnly, acceptance: .invited,
        identity: UserIdentity(user: alice))
    ]
    let share = try await saved(RecordOperation(.create, draft), in: zone, as: owner)
    let joined = try await engine.shares.accept(
      [.init(value: share.shortGUID ?? "", shouldFetchRootRecord: false)], as: caller(alice, nil))
    guard case .success? = joined.first else { throw Unexpected("not joined: \(joined)") }
    try await notify()
  }

  fileprivate func changeParticipants(
    in zone: ZoneID, _ change: (Participant) -> Participant?
  ) async throws {
    let share = try await memory.read { [bob] store in
      let database = DatabaseKey(in: Self.containerEnvironment, owner: bob)
      let key = RecordKey(zone: ZoneKey(database: database, name: zone.name), name: "share")
      return try store.records.find(key)?.record()
    }
    var draft = RecordDraft(name: "share", type: Record.shareType, changeTag: share?.changeTag)
    draft.participants = share?.shareDetails?.participants.compactMap(change)
    _ = try await saved(RecordOperation(.update, draft), in: zone, as: caller(bob, "laptop"))
  }

  fileprivate func modify(
    _ kind: RecordOperation.Kind, _ name: String, parent: RecordDraft.ParentChange = .unchanged,
    in zone: ZoneID = ZoneID(name: "Trip"), of user: UserID? = nil, scope: DatabaseScope = .private
  ) async throws {
    var draft = RecordDraft(name: name, type: kind.isDelete ? nil : "Note")
    draft.parent = parent
    let request = ModifyRecordsRequest(zone: zone, operations: [RecordOperation(kind, draft)])
    let results = try await engine.records.modify(
      request, in: scope, as: caller(user ?? bob, "laptop"))
    guard case .success? = results.first else { throw Unexpected("not done: \(results)") }
  }

  private func saved(
    _ operation: RecordOperation, in zone: ZoneID, as caller: Caller
  ) async throws -> Record {
    let request = ModifyRecordsRequest(zone: zone, operations: [operation])
    let results = try await engine.records.modify(request, in: .private, as: caller)
    guard case .success(.saved(let stored))? = results.first else {
      throw Unexpected("not saved: \(results)")
    }
    return try stored.record()
  }
}
