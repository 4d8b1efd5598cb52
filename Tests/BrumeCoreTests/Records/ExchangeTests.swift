// How many exchanges requests would have with an engine on the other side of a network: what a plan
// forgets shows here. The names of questions beside the plan are part of each failure.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

struct ExchangeTests {
  private struct Fixture {
    let store: CountingStore
    let server: TestServer
    let phone: Caller
    let zone = ZoneID(name: "Trails")

    init(_ adjust: (inout Limits) -> Void = { _ in }) async throws {
      var limits = Limits.apple
      adjust(&limits)
      store = CountingStore(MemoryStore(coders: .wire, runsTwice: true))
      server = try await TestServer(store: store, limits: limits)
      phone = try await server.device("phone", of: "alice")
      try await makeZone(zone)
      // The development schema learns the type, once.
      try await save([operation("first", .create)])
      _ = store.take()
    }

    func makeZone(_ zone: ZoneID) async throws {
      _ = try await server.engine.zones.modify([.init(.create, zone)], in: .private, as: phone)
    }

    func operation(
      _ name: String, _ kind: RecordOperation.Kind = .forceUpdate,
      _ fields: [String: DraftField] = ["title": DraftField(.string("a"))]
    ) -> RecordOperation {
      RecordOperation(kind, RecordDraft(name: name, type: "Trail", fields: fields))
    }

    @discardableResult
    func save(
      _ operations: [RecordOperation], atomic: Bool = true, in scope: DatabaseScope = .private,
      zone: ZoneID? = nil, as caller: Caller? = nil, id: String? = nil, clientData: [UInt8]? = nil
    ) async throws -> [RecordResult] {
      var request = ModifyRecordsRequest(
        zone: zone ?? self.zone, operations: operations, atomic: atomic, operationID: id)
      request.clientData = clientData
      let results = try await server.engine.records.modify(
        request, in: scope, as: caller ?? phone)
      for case .failure(let failure) in results { throw failure.error }
      return results
    }

    /// The exchanges of the one call since.
    func exchanges() throws -> Exchanges {
      let calls = store.take()
      #expect(calls.count == 1)
      return try #require(calls.last)
    }
  }

  @Test func `a save has two exchanges: the lock with all it reads, the writes with the commit`()
    async throws
  {
    let fixture = try await Fixture()
    for kind in [RecordOperation.Kind.create, .forceUpdate] {
      try await fixture.save([fixture.operation("one", kind)])
      let exchanges = try fixture.exchanges()
      #expect(exchanges.count == 2, "\(exchanges.unplanned)")
    }
  }

  @Test func `the name of a request for zones, or for subscriptions, is asked for by its plan`()
    async throws
  {
    let fixture = try await Fixture()
    let (engine, phone) = (fixture.server.engine, fixture.phone)
    var zones: [[String]] = []
    var subscriptions: [[String]] = []
    let ids: [String?] = [nil, "op-1"]
    for id in ids {
      _ = try await engine.zones.modify(
        [.init(.create, fixture.zone)], operationID: id, in: .private, as: phone)
      zones.append(try fixture.exchanges().unplanned)
      _ = try await engine.subscriptions.modify(
        [.delete(id: "none")], operationID: id, in: .private, as: phone)
      subscriptions.append(try fixture.exchanges().unplanned)
    }
    #expect(zones[0] == zones[1])
    #expect(subscriptions[0] == subscriptions[1])
  }

  @Test func `whether the session still stands costs no exchange`() async throws {
    let fixture = try await Fixture()
    let (user, phone) = (try #require(fixture.phone.user), fixture.phone)
    let epoch = try await fixture.store.read { try $0.users.find(user)?.tokenEpoch }
    let caller = Caller(
      in: phone.containerEnvironment, user: user, device: phone.device, kind: .user,
      epoch: try #require(epoch), requestID: "r")
    _ = fixture.store.take()
    try await fixture.save([fixture.operation("one", .create)], as: caller)
    let exchanges = try fixture.exchanges()
    #expect(exchanges.count == 2, "\(exchanges.unplanned)")
  }

  @Test(arguments: [true, false])
  func `what a save may bring beside its fields costs no exchange`(isShared: Bool) async throws {
    let fixture = try await Fixture { $0.storageBytesPerUser = 1_000_000 }
    try await fixture.save(["parent", "holder", "keeper"].map { fixture.operation($0) })
    let share = RecordDraft(name: "s1", type: Record.shareType, shareRoot: ("parent", nil))
    if isShared { try await fixture.save([RecordOperation(.create, share)]) }
    _ = fixture.store.take()
    var child = fixture.operation(
      "child", .create,
      [
        "owner": DraftField(.reference(Reference(recordName: "keeper", action: .deleteSelf))),
        "seen": DraftField(.reference(Reference(recordName: "holder", action: .validate))),
      ])
    child.record.parent = .set(Reference(recordName: "parent", action: .none))
    try await fixture.save([child], id: "operation", clientData: [1, 2, 3])
    let exchanges = try fixture.exchanges()
    #expect(exchanges.count <= 3, "\(exchanges.unplanned)")
  }

  @Test func `a batch of 200 has as many as a save`() async throws {
    let fixture = try await Fixture()
    let operations = (0..<200).map { number -> RecordOperation in
      var operation = fixture.operation("r\(number)", .create)
      if number > 0 {
        operation.record.parent = .set(Reference(recordName: "r0", action: .none))
      }
      return operation
    }
    try await fixture.save(operations)
    let exchanges = try fixture.exchanges()
    #expect(exchanges.count == 2, "\(exchanges.unplanned)")
  }

  @Test func `deleting 200 records asks for their type besides`() async throws {
    let fixture = try await Fixture()
    try await fixture.save((0..<200).map { fixture.operation("r\($0)", .create) })
    _ = fixture.store.take()
    try await fixture.save(
      (0..<200).map { RecordOperation(.forceDelete, RecordDraft(name: "r\($0)")) })
    let exchanges = try fixture.exchanges()
    #expect(exchanges.count == 3, "\(exchanges.unplanned)")
  }

  @Test func `what takes too many bytes along is refused before all of it was read`() async throws {
    let fixture = try await Fixture { $0.cascadeBytes = 10_000 }
    func holder(_ name: String, of target: String, _ bytes: Int) -> RecordOperation {
      let reference = Reference(recordName: target, action: .deleteSelf)
      let text = String(repeating: "x", count: bytes)
      return fixture.operation(
        name, .create,
        ["owner": DraftField(.reference(reference)), "title": DraftField(.string(text))])
    }
    let branches = (0..<20).map { "b\($0)" }
    try await fixture.save(branches.map { holder($0, of: "first", 1) })
    // Of each branch less than may go.
    try await fixture.save(
      branches.flatMap { branch in
        (0..<5).map { holder("\(branch)-\($0)", of: branch, 1_500) }
      })
    _ = fixture.store.take()
    let error = await #expect(throws: BrumeError.self) {
      try await fixture.save([RecordOperation(.forceDelete, RecordDraft(name: "first"))])
    }
    #expect(error?.code == .limitExceeded)
    // The branches, what refers to each, and twice as many bytes as may go; of 100 leaves.
    let exchanges = try fixture.exchanges()
    #expect(exchanges.count < 60, "\(exchanges.unplanned)")
  }

  @Test(arguments: [false, true])
  func
    `to count what refers to a public record none is read, or twice what may go if some are hidden`(
      areHidden: Bool
    ) async throws
  {
    let fixture = try await Fixture {
      $0.deleteSelfReferences = 40
      $0.cascadeBytes = 10_000
    }
    if areHidden {
      let text = """
        DEFINE SCHEMA
          RECORD TYPE Trail (
            owner REFERENCE QUERYABLE,
            title STRING QUERYABLE,
            GRANT CREATE TO "_icloud",
            GRANT WRITE TO "_creator"
          );
        """
      try await fixture.server.engine.schemas.replace(
        by: text, in: TestContainer.development, allowsDrops: true)
    }
    let zone = ZoneID(name: ZoneID.defaultName)
    func holder(_ number: Int) -> RecordOperation {
      let text = String(repeating: "x", count: 1_500)
      return fixture.operation(
        "h\(number)", .create,
        [
          "owner": DraftField(.reference(Reference(recordName: "area", action: .deleteSelf))),
          "title": DraftField(.string(text)),
        ])
    }
    try await fixture.save((0..<40).map(holder), in: .public, zone: zone)
    _ = fixture.store.take()
    let error = await #expect(throws: BrumeError.self) {
      try await fixture.save([holder(40)], in: .public, zone: zone)
    }
    #expect(error?.code == (areHidden ? .limitExceeded : .badRequest))
    // Twice what may go are 14 of them.
    let exchanges = try fixture.exchanges()
    #expect(exchanges.count < (areHidden ? 25 : 5), "\(exchanges.unplanned)")
  }

  @Test(arguments: [false, true])
  func `of what is below many roots no more is read than twice what may go`(
    isEachInItsZone: Bool
  ) async throws {
    let fixture = try await Fixture { $0.cascadeBytes = 10_000 }
    let text = DraftField(.string(String(repeating: "x", count: 3_000)))
    let roots = (0..<20).map { number in
      (name: "r\(number)", zone: isEachInItsZone ? ZoneID(name: "Z\(number)") : fixture.zone)
    }
    for (root, zone) in roots {
      if isEachInItsZone { try await fixture.makeZone(zone) }
      let below = (0..<5).map { number in
        var child = fixture.operation("\(root)-\(number)", .create, ["title": text])
        child.record.parent = .set(Reference(recordName: root, action: .none))
        return child
      }
      let share = RecordDraft(name: "s-\(root)", type: Record.shareType, shareRoot: (root, nil))
      try await fixture.save(
        [fixture.operation(root, .create)] + below + [RecordOperation(.create, share)], zone: zone)
    }
    _ = fixture.store.take()
    let error = await #expect(throws: BrumeError.self) {
      try await fixture.save(
        roots.map { RecordOperation(.forceDelete, RecordDraft(name: $0.name, zone: $0.zone)) },
        atomic: false)
    }
    #expect(error?.code == .limitExceeded)
    // The names below each root, and the records below two; of 100.
    let exchanges = try fixture.exchanges()
    #expect(exchanges.count < 150, "\(exchanges.unplanned)")
  }

  @Test
  func `of what is below a new root no more is read than twice what a deletion may take along`()
    async throws
  {
    let fixture = try await Fixture { $0.cascadeBytes = 10_000 }
    // More than are looked at one by one, of shares and of what is below.
    let names = (0..<101).map { "r\($0)" }
    for part in [names.prefix(60), names.dropFirst(60)] {
      try await fixture.save(part.map { fixture.operation($0, .create) })
      try await fixture.save(
        part.map { name in
          RecordOperation(
            .create,
            RecordDraft(name: "s-\(name)", type: Record.shareType, shareRoot: (name, nil)))
        })
    }
    let text = DraftField(.string(String(repeating: "x", count: 1_500)))
    let below = (0..<120).map { number in
      var child = fixture.operation("c\(number)", .create, ["title": text])
      child.record.parent = .set(Reference(recordName: "root", action: .none))
      return child
    }
    try await fixture.save([fixture.operation("root", .create)] + below)
    _ = fixture.store.take()
    let share = RecordDraft(name: "s-root", type: Record.shareType, shareRoot: ("root", nil))
    let error = await #expect(throws: BrumeError.self) {
      try await fixture.save([RecordOperation(.create, share)])
    }
    #expect(error?.code == .limitExceeded)
    // Twice what may go are 14 of them.
    let exchanges = try fixture.exchanges()
    #expect(exchanges.count < 40, "\(exchanges.unplanned)")
  }

  @Test func `a page of shares has no more bytes than an answer`() async throws {
    func exchanges(answerBytes: Int) async throws -> Int {
      let fixture = try await Fixture { $0.answerBytes = answerBytes }
      let title = DraftField(.string(String(repeating: "x", count: 10_000)))
      let names = ["a", "b", "c", "d", "e"]
      for name in names {
        let share = RecordDraft(
          name: "s\(name)", type: Record.shareType, fields: ["cloudkit.title": title],
          shareRoot: (name, nil))
        try await fixture.save(
          [fixture.operation(name, .create), RecordOperation(.create, share)])
      }
      _ = fixture.store.take()
      let ends = names.map { RecordOperation(.forceDelete, RecordDraft(name: "s\($0)")) }
      let ofZone = RecordDraft(name: Record.zoneShareName, type: Record.shareType)
      try await fixture.save(ends + [RecordOperation(.create, ofZone)])
      return try fixture.exchanges().count
    }
    let (inPages, atOnce) = (
      try await exchanges(answerBytes: 25_000), try await exchanges(answerBytes: 1 << 20)
    )
    #expect(inPages == atOnce + 2)
  }

  @Test func `a repeated operation is answered from one exchange`() async throws {
    let fixture = try await Fixture()
    for _ in 0..<2 {
      _ = fixture.store.take()
      try await fixture.save([fixture.operation("one", .create)], id: "again")
    }
    let exchanges = try fixture.exchanges()
    #expect(exchanges.count == 1, "\(exchanges.unplanned)")
  }

  @Test func `a page of changes has one exchange, from the start and from a token`() async throws {
    let fixture = try await Fixture()
    try await fixture.save((0..<50).map { fixture.operation("r\($0)", .create) })
    var token: String?
    for _ in 0..<3 {
      _ = fixture.store.take()
      let results = try await fixture.server.engine.changes.ofZones(
        [ZoneChangesRequest(zone: fixture.zone, token: token, limit: 20)], in: .private,
        as: fixture.phone)
      token = try results[0].get().token
      let exchanges = try fixture.exchanges()
      #expect(exchanges.count == 1, "\(exchanges.unplanned)")
    }
  }

  @Test func `of many places of a zone a plan names the first pages only`() async throws {
    let fixture = try await Fixture()
    try await fixture.save((0..<20).map { fixture.operation("r\($0)", .create) })
    func pages(_ tokens: [String?]) async throws -> [String] {
      let requests = tokens.map { ZoneChangesRequest(zone: fixture.zone, token: $0, limit: 1) }
      return try await fixture.server.engine.changes.ofZones(
        requests, in: .private, as: fixture.phone
      ).map { try $0.get().token }
    }
    var tokens: [String?] = [nil]
    for _ in 0..<19 { tokens.append(try await pages([tokens[tokens.count - 1]])[0]) }
    _ = fixture.store.take()
    _ = try await pages(tokens)
    let exchanges = try fixture.exchanges()
    #expect(exchanges.count == 1 + tokens.count - 16, "\(exchanges.unplanned)")
  }

  @Test func `a plan names nothing of a zone that the caller takes no part in`() async throws {
    let fixture = try await Fixture()
    let bob = try await fixture.server.device("phone", of: "bob")
    let foreign = ZoneID(name: fixture.zone.name, ownerName: fixture.phone.user?.name)
    _ = fixture.store.take()
    _ = try await fixture.server.engine.records.lookup(
      LookupRecordsRequest(zone: foreign, items: [.init(name: "first")]), in: .shared, as: bob)
    _ = try await fixture.server.engine.changes.ofZones(
      [ZoneChangesRequest(zone: foreign)], in: .shared, as: bob)
    let target = Reference(recordName: "first", action: .deleteSelf)
    let operations = [
      RecordOperation(.forceDelete, RecordDraft(name: "first")),
      fixture.operation("new", .create, ["owner": DraftField(.reference(target))]),
    ]
    let results = try await fixture.server.engine.records.modify(
      ModifyRecordsRequest(zone: foreign, operations: operations), in: .shared, as: bob)
    #expect(results.codes == [.zoneNotFound, .zoneNotFound])
    let planned = fixture.store.take().flatMap(\.planned)
    #expect(!planned.isEmpty)
    for read in planned {
      switch read {
      case .record, .changes, .children, .referrers, .querySubscriptions:
        Issue.record("\(read) was read")
      default: break
      }
    }
  }

  @Test func `fetching 200 records has one exchange`() async throws {
    let fixture = try await Fixture()
    let names = (0..<200).map { "r\($0)" }
    try await fixture.save(names.map { fixture.operation($0, .create) })
    _ = fixture.store.take()
    _ = try await fixture.server.engine.records.lookup(
      LookupRecordsRequest(zone: fixture.zone, items: names.map { .init(name: $0) }),
      in: .private, as: fixture.phone)
    let exchanges = try fixture.exchanges()
    #expect(exchanges.count == 1, "\(exchanges.unplanned)")
  }

  @Test func `what a plan does not name is an exchange, and is named`() async throws {
    let store = CountingStore(MemoryStore(coders: .wire))
    let user = UserID("_somebody")
    _ = try await store.read(ReadPlan { [.user(user)] }) { transaction in
      (
        try transaction.users.find(user), try transaction.users.count(),
        try transaction.users.find(user)
      )
    }
    let exchanges = try #require(store.take().first)
    #expect(exchanges.count == 2)
    #expect(exchanges.unplanned.count == 1)
  }
}
