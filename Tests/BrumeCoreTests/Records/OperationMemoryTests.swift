// Repeating a request whose answer was lost, and what the log says of a save.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

struct OperationMemoryTests {
  @Test func `LIM-06 a repeated request changes nothing and gets the first answer`() async throws {
    let fixture = try await EngineFixture()
    let taken = try await fixture.save(.create("h2"))
    let operations: [RecordOperation] = [
      .create("h1"), .create("h2"), .delete("ghost"),
      .make(.create, nil, [:], type: "Hike", tag: nil),
    ]
    let first = try await fixture.modify(operations, id: "op-1")
    let entries = try await fixture.log().count
    let second = try await fixture.modify(operations, id: "op-1")
    #expect(second.codes == first.codes)
    #expect(second.codes == [nil, .conflict, nil, nil])
    #expect(second[1].error?.serverRecord == taken)
    guard case .success(.saved(let a)) = first[3], case .success(.saved(let b)) = second[3] else {
      Issue.record("the unnamed record was not saved")
      return
    }
    #expect(a.name == b.name)
    #expect(try await fixture.log().count == entries)
  }

  @Test
  func `a repeated save is answered with its own tag, so that a later change is not saved over`()
    async throws
  {
    let fixture = try await EngineFixture()
    let create = [RecordOperation.create("h1", ["km": .int64(1)])]
    let first = try #require(try await fixture.modify(create, id: "op-1").savedRecord)
    try await fixture.save(.force("h1", ["km": .int64(2)]))
    let again = try #require(try await fixture.modify(create, id: "op-1").savedRecord)
    #expect(again.changeTag == first.changeTag)
    let next = try await fixture.modify([.update(again, ["km": .int64(3)])])
    #expect(next.codes == [.conflict])
    #expect(next[0].error?.serverRecord?.fields["km"] == .int64(2))
  }

  @Test func `a late repetition whose deletion is of no record is answered as the first try`()
    async throws
  {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h2"))
    let first = try await fixture.modify([.create("h1"), .delete("h2")], atomic: true, id: "op-1")
    #expect(first.allSucceeded)
    try await fixture.save(.create("h2"))
    fixture.server.clock.advance(by: 82_900_000)
    let late: [RecordOperation] = [.create("h1"), .delete("h2", tag: "")]
    #expect(try await fixture.modify(late, atomic: true, id: "op-1").allSucceeded)
    #expect(try await fixture.exists("h2"))
  }

  @Test func `a repeated conflict with a record that is gone since says that it is gone`()
    async throws
  {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h2"))
    let operations: [RecordOperation] = [.create("h1"), .create("h2")]
    #expect(try await fixture.modify(operations, id: "op-1").codes == [nil, .conflict])
    _ = try await fixture.modify([.delete("h2")])
    #expect(try await fixture.modify(operations, id: "op-1").codes == [nil, .notFound])
  }

  @Test func `an operation ID that was used for other records is no repetition`() async throws {
    let fixture = try await EngineFixture()
    _ = try await fixture.modify([.create("h1")], id: "op-1")
    #expect(try await fixture.modify([.create("h2")], id: "op-1").allSucceeded)
    #expect(try await fixture.exists("h2"))
    let third = try await fixture.modify([.create("h3"), .create("h4")], id: "op-1")
    #expect(third.count == 2 && third.allSucceeded)
    #expect(try await fixture.modify([.delete("h3"), .delete("h4")], id: "op-1").allSucceeded)
    #expect(try await !fixture.exists("h3"))
  }

  @Test(arguments: [false, true])
  func `a repetition does nothing again beside what failed for want of a zone`(
    failsFirst: Bool
  ) async throws {
    let fixture = try await EngineFixture()
    var elsewhere = RecordOperation.create("g1")
    elsewhere.record.zone = ZoneID(name: "Ghost")
    let force = RecordOperation.force("h1", ["km": .int64(1)])
    let operations = failsFirst ? [elsewhere, force] : [force, elsewhere]
    let first = try await fixture.modify(operations, id: "op-1")
    #expect(first.codes == (failsFirst ? [.zoneNotFound, nil] : [nil, .zoneNotFound]))
    try await fixture.save(.force("h1", ["km": .int64(2)]), as: fixture.tablet)
    let second = try await fixture.modify(operations, id: "op-1")
    #expect(second.codes == first.codes)
    #expect(try await fixture.fetch("h1").fields["km"] == .int64(2))
  }

  @Test func `a repetition is known wherever its records stand among those of other databases`()
    async throws
  {
    let fixture = try await EngineFixture()
    let create = [RecordOperation.create("h1"), .create("h2")]
    #expect(try await fixture.modify(create, id: "op-1").allSucceeded)
    var elsewhere = RecordOperation.create("g1")
    elsewhere.record.zone = ZoneID(name: "Trails", ownerName: "_somebody")
    let again = try await fixture.modify([create[0], elsewhere, create[1]], id: "op-1")
    #expect(again.count == 3 && again.map { $0.error == nil } == [true, false, true])
  }

  @Test func `a participant who was removed gets no answer of before, and no record`() async throws
  {
    let fixture = try await EngineFixture()
    let zone = ZoneID(name: "Trails", ownerName: fixture.phone.user?.name)
    let (_, share) = try await fixture.shareHike(with: "bob", .readWrite)
    try await fixture.join(share, as: fixture.bob)
    let save = [RecordOperation.create("b", ["km": .int64(1)], parent: "root")]
    let conflict = [RecordOperation.create("root")]
    func modify(_ operations: [RecordOperation], _ id: String) async throws -> [RecordResult] {
      try await fixture.modify(operations, in: .shared, zone: zone, id: id, as: fixture.bob)
    }
    #expect(try await modify(save, "op-1").allSucceeded)
    #expect(try await modify(conflict, "op-2").first?.error?.serverRecord != nil)
    var removal = RecordOperation.update(try await fixture.fetch("s1"))
    removal.record.participants = []
    try await fixture.save(removal)
    try await fixture.save(.force("b", ["km": .int64(2)]))
    for (operations, id) in [(save, "op-1"), (conflict, "op-2")] {
      let again = try await modify(operations, id)
      #expect(again.codes == [.zoneNotFound])
      #expect(again.first?.error?.serverRecord == nil)
    }
  }

  @Test(arguments: [#", GRANT READ TO "_world""#, ""])
  func `a repetition makes nothing anew where a type may be created and not written`(grants: String)
    async throws
  {
    let fixture = try await EngineFixture()
    try await fixture.engine.schemas.replace(
      by: """
        DEFINE SCHEMA RECORD TYPE Report (
          "___createdBy" REFERENCE, n INT64, GRANT CREATE TO "_icloud"\(grants));
        """, in: TestContainer.development)
    let operations: [RecordOperation] = [
      .make(.create, nil, ["n": .int64(1)], type: "Report", tag: nil),
      .create("r1", ["n": .int64(1)], type: "Report"),
    ]
    func modify() async throws -> [RecordResult] {
      try await fixture.modify(operations, in: .public, zone: nil, id: "op-1")
    }
    func name(_ result: RecordResult) -> String? {
      if case .success(.saved(let stored)) = result { stored.name } else { nil }
    }
    let first = try await modify()
    #expect(first.allSucceeded)
    let entries = try await fixture.log().count
    let again = try await modify()
    #expect(again.allSucceeded && again.map(name) == first.map(name))
    #expect(try await fixture.log().count == entries)
  }

  @Test func `who may only read by now is refused, though the first try was allowed`() async throws
  {
    let fixture = try await EngineFixture()
    let zone = ZoneID(name: "Trails", ownerName: fixture.phone.user?.name)
    let (_, share) = try await fixture.shareHike(with: "bob", .readWrite)
    try await fixture.join(share, as: fixture.bob)
    let save = [RecordOperation.force("root", ["km": .int64(1)])]
    func modify() async throws -> [RecordResult] {
      try await fixture.modify(save, in: .shared, zone: zone, id: "op-1", as: fixture.bob)
    }
    #expect(try await modify().allSucceeded)
    let current = try await fixture.fetch("s1")
    var lowering = RecordOperation.update(current)
    lowering.record.participants = current.shareDetails?.participants.map { participant in
      var lowered = participant
      lowered.permission = .readOnly
      return lowered
    }
    try await fixture.save(lowering)
    #expect(try await modify().codes == [.accessDenied])
  }

  @Test func `without an operation ID the repetition meets the tag's rule`() async throws {
    let fixture = try await EngineFixture()
    _ = try await fixture.modify([.create("h1")])
    #expect(try await fixture.modify([.create("h1")]).codes == [.conflict])
  }

  @Test func `an outcome of more than a megabyte is not kept, and its repetition is a first try`()
    async throws
  {
    let fixture = try await EngineFixture()
    func kept() async throws -> Int {
      let user = try #require(fixture.phone.user)
      return try await fixture.server.store.read { transaction in
        try (0..<Limits.apple.rememberedOperations).count { slot in
          try transaction.settings.value(.operation(user: user, id: String(slot))) != nil
        }
      }
    }
    let long = RecordOperation.create(String(repeating: "x", count: 2 << 20))
    let operations = [RecordOperation.create("h1"), long]
    #expect(try await fixture.modify(operations, id: "op-1").codes == [nil, .badRequest])
    #expect(try await kept() == 0)
    #expect(try await fixture.modify(operations, id: "op-1").codes == [.conflict, .badRequest])
    _ = try await fixture.modify([.create("h2")], id: "op-1")
    #expect(try await kept() == 1)
    #expect(try await fixture.modify(operations, id: "op-1").codes == [.conflict, .badRequest])
    #expect(try await kept() == 0)
  }

  @Test func `an operation ID is its user's and its database's, for a day`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.makeZone(EngineFixture.trails, as: fixture.bob)
    _ = try await fixture.modify([.create("h1")], id: "op-1")
    #expect(try await fixture.modify([.create("h1")], id: "op-1", as: fixture.bob).allSucceeded)
    #expect(try await fixture.exists("h1", as: fixture.bob))
    _ = try await fixture.modify([.create("p1")], in: .public, id: "op-1")
    #expect(try await fixture.exists("p1", in: .public))
    fixture.server.clock.advance(by: 86_400_001)
    #expect(try await fixture.modify([.create("h1")], id: "op-1").codes == [.conflict])
  }

  @Test func `the log names record, kind, type and where the change came from`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1"))
    try await fixture.save(.force("h1", ["km": .int64(1)]), as: fixture.tablet)
    _ = try await fixture.modify([.delete("h1")])
    let changes = try await fixture.log().compactMap { entry -> String? in
      guard case .record(let change) = entry.event else { return nil }
      let device = entry.origin.device?.name ?? "none"
      return "\(change.kind) \(change.recordType) \(change.record.name) \(device) "
        + "\(change.image == nil ? "bare" : "image")"
    }
    #expect(
      changes == [
        "created Hike h1 phone bare", "updated Hike h1 tablet bare",
        "deleted Hike h1 phone bare",
      ])
  }

  @Test func `the log keeps an image only where a query subscription watches the type`()
    async throws
  {
    let fixture = try await EngineFixture()
    let user = try #require(fixture.phone.user)
    let subscription = Subscription(
      id: "s",
      kind: .query(Query(recordType: "Hike"), zone: nil, firesOn: [.create], firesOnce: false),
      info: nil)
    try await fixture.server.store.write(in: .all) {
      try $0.subscriptions.put(
        StoredSubscription(
          scope: SubscriptionScope(
            in: TestContainer.development, scope: .private, user: user),
          subscription: subscription, starts: LogPositions(0, in: .only)))
    }
    _ = try await fixture.modify([.create("h1", ["km": .int64(7)]), .create("l1", type: "Lake")])
    _ = try await fixture.modify([.delete("h1")])
    let images = try await fixture.log().compactMap { entry -> String? in
      guard case .record(let change) = entry.event else { return nil }
      let value = try change.image?.record().fields["km"]
      return "\(change.kind) \(change.record.name) \(value == .int64(7) ? "with km 7" : "bare")"
    }
    #expect(images == ["created h1 with km 7", "created l1 bare", "deleted h1 with km 7"])
  }

  @Test func `a failed atomic request leaves no trace in the log`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1"))
    let entries = try await fixture.log().count
    _ = try await fixture.modify([.create("h2"), .create("h1")], atomic: true)
    #expect(try await fixture.log().count == entries)
  }
}

extension [RecordResult] {
  /// The first record, if it was saved.
  fileprivate var savedRecord: Record? {
    guard case .success(.saved(let stored))? = first else { return nil }
    return try? stored.record()
  }
}
