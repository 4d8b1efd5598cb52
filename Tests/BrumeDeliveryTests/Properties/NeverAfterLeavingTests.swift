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
    case `the owner ends the share of the zone`, `the owner deletes the zone`

    var isOfZoneShare: Bool { self == .`the owner ends the share of the zone` }
  }
  private static let trip = ZoneID(name: "Trip")

  @Test(arguments: Way.devices, Loss.allCases)
  func `N11 a zone is not named any more when`(way: Way, loss: Loss) async throws {
    let lab = try await told(way, loss)
    #expect(lab.heard("phone").map(\.name) == ["Trip", ""])
    #expect(lab.heard("phone").map(\.sid) == ["s", "s"])
    // Losing it is told too, in the same words.
    try await lab.notify()
    try await lab.receive("phone")
    let later = lab.heard("phone").dropFirst(2)
    #expect(later.allSatisfy { $0.name == "" && $0.sid == "s" })
  }

  @Test(arguments: Loss.allCases)
  func `the device is told when`(loss: Loss) async throws {
    let lab = try await told(.stream, loss)
    try await lab.notify()
    try await lab.receive("phone")
    #expect(lab.heard("phone").count > 2)
  }

  @Test(arguments: Way.devices)
  func `while she takes part the zone is named, also when a record leaves the share, by`(
    way: Way
  ) async throws {
    let lab = try await prepared(way, isOfZone: false)
    try await lab.modify(.forceUpdate, "after", parent: .cleared)
    try await lab.receive("phone")
    try await lab.notify()
    try await lab.receive("phone")
    #expect(lab.heard("phone").map(\.name).prefix(2) == ["Trip", "Trip"])
    #expect(lab.heard("phone").allSatisfy { $0.name == "Trip" })
  }

  @Test(arguments: Way.devices)
  func `a way on which nobody asks again is caught, by`(way: Way) async throws {
    for loss in Loss.allCases {
      let lab = try await told(way, loss, .rightsForgotten)
      #expect(lab.heard("phone").map(\.name) == ["Trip", "Trip"], "\(loss)")
    }
  }

  @Test(arguments: Loss.allCases)
  func `N11 kept notifications do not name the zone when`(loss: Loss) async throws {
    let lab = try await prepared(.stream, isOfZone: loss.isOfZoneShare)
    #expect(try await lab.keptNames() == ["Trip", "Trip"])
    try await lose(loss, lab)
    #expect(try await lab.keptNames() == [])
  }

  // MARK: What happens

  private func told(
    _ way: Way, _ loss: Loss, _ fault: DeliveryLab.Fault? = nil
  ) async throws -> DeliveryLab {
    let lab = try await prepared(way, isOfZone: loss.isOfZoneShare, fault)
    try await lose(loss, lab)
    try await lab.receive("phone")
    return lab
  }

  /// Alice takes part in Bob's trip; one change was told, another waits in her phone's mailbox.
  private func prepared(
    _ way: Way, isOfZone: Bool, _ fault: DeliveryLab.Fault? = nil
  ) async throws -> DeliveryLab {
    let lab = try await DeliveryLab(fault)
    try await lab.shareTrip(Self.trip, asWhole: isOfZone)
    try await lab.register("phone", way)
    try await lab.subscribe("s", .database(recordType: nil), in: .shared, info: .alert())
    for name in ["before", "after"] {
      try await lab.modify(.create, name, parent: .set(Reference(recordName: "root")))
      try await lab.notify()
      if name == "before" { try await lab.receive("phone") }
    }
    return lab
  }

  private func lose(_ loss: Loss, _ lab: DeliveryLab) async throws {
    switch loss {
    case .`she leaves the share`:
      let trip = ZoneID(name: Self.trip.name, ownerName: lab.bob.name)
      try await lab.modify(.forceDelete, "share", in: trip, of: lab.alice, scope: .shared)
    case .`the owner removes her`: try await lab.removeParticipants(in: Self.trip)
    case .`the owner ends the share`: try await lab.modify(.forceDelete, "share")
    case .`the owner ends the share of the zone`:
      try await lab.modify(.forceDelete, Record.zoneShareName)
    case .`the owner deletes the zone`:
      _ = try await lab.engine.modifyZones(
        [ZoneOperation(.delete, Self.trip)], in: .private, as: lab.caller(lab.bob, "laptop"))
    }
  }
}

extension DeliveryLab {
  /// Bob makes a zone with a record and shares it, or all of the zone, with Alice, who joins.
  fileprivate func shareTrip(_ zone: ZoneID, asWhole: Bool) async throws {
    let owner = caller(bob, "laptop")
    _ = try await engine.modifyZones([ZoneOperation(.create, zone)], in: .private, as: owner)
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
    let joined = try await engine.acceptShares(
      [.init(value: share.shortGUID ?? "", shouldFetchRootRecord: false)], as: caller(alice, nil))
    guard case .success? = joined.first else { throw Unexpected("not joined: \(joined)") }
    try await notify()
  }

  fileprivate func removeParticipants(in zone: ZoneID) async throws {
    let share = try await memory.read { [bob] store in
      let database = DatabaseKey(container: Self.container, environment: .development, owner: bob)
      let key = RecordKey(zone: ZoneKey(database: database, name: zone.name), name: "share")
      return try store.record(key)?.record()
    }
    var draft = RecordDraft(name: "share", type: Record.shareType, changeTag: share?.changeTag)
    draft.participants = []
    _ = try await saved(RecordOperation(.update, draft), in: zone, as: caller(bob, "laptop"))
  }

  fileprivate func modify(
    _ kind: RecordOperation.Kind, _ name: String, parent: RecordDraft.ParentChange = .unchanged,
    in zone: ZoneID = ZoneID(name: "Trip"), of user: UserID? = nil, scope: DatabaseScope = .private
  ) async throws {
    var draft = RecordDraft(name: name, type: kind.isDelete ? nil : "Note")
    draft.parent = parent
    let request = ModifyRecordsRequest(zone: zone, operations: [RecordOperation(kind, draft)])
    let results = try await engine.modifyRecords(
      request, in: scope, as: caller(user ?? bob, "laptop"))
    guard case .success? = results.first else { throw Unexpected("not done: \(results)") }
  }

  private func saved(
    _ operation: RecordOperation, in zone: ZoneID, as caller: Caller
  ) async throws -> Record {
    let request = ModifyRecordsRequest(zone: zone, operations: [operation])
    let results = try await engine.modifyRecords(request, in: .private, as: caller)
    guard case .success(.saved(let stored))? = results.first else {
      throw Unexpected("not saved: \(results)")
    }
    return try stored.record()
  }
}
