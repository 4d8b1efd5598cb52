// The quota of a user's private database.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@Suite struct QuotaTests {
  private static let roomy: Limits = {
    var limits = Limits()
    limits.storageBytesPerUser = 1000
    return limits
  }()

  private static func text(_ count: Int, _ name: String, parent: String? = nil) -> RecordOperation {
    var draft = RecordDraft(
      name: name, type: "Hike",
      fields: ["t": DraftField(.string(String(repeating: "x", count: count)))])
    if let parent { draft.parent = .set(Reference(recordName: parent)) }
    return RecordOperation(.forceUpdate, draft)
  }

  @Test func `SAV-25 a save over the quota fails, and what fits is saved`() async throws {
    let fixture = try await EngineFixture(limits: Self.roomy)
    let results = try await fixture.modify([
      Self.text(600, "a"), Self.text(600, "b"), Self.text(300, "c"),
    ])
    #expect(results.map { $0.error?.code } == [nil, .quotaExceeded, nil])
    #expect(try await fixture.exists("c"))
    #expect(try await fixture.failure(of: Self.text(200, "d")).code == .quotaExceeded)
  }

  @Test(arguments: [(998, nil), (999, .quotaExceeded)] as [(Int, BrumeError.Code?)])
  func `SAV-25 a quota holds to its last byte`(bytes: Int, code: BrumeError.Code?) async throws {
    let fixture = try await EngineFixture(limits: Self.roomy)
    // The names of the record and its field have a byte each.
    let results = try await fixture.modify([Self.text(bytes, "a")])
    #expect(results.map { $0.error?.code } == [code])
  }

  @Test func `SAV-25 a child of a record over the quota fails with it`() async throws {
    let fixture = try await EngineFixture(limits: Self.roomy)
    let results = try await fixture.modify([
      Self.text(1, "child", parent: "big"), Self.text(2000, "big"), Self.text(1, "other"),
    ])
    #expect(results.map { $0.error?.code } == [.quotaExceeded, .quotaExceeded, nil])
  }

  @Test func `SAV-26 a missing parent comes before the quota`() async throws {
    let fixture = try await EngineFixture(limits: Self.roomy)
    let error = try await fixture.failure(of: Self.text(2000, "child", parent: "ghost"))
    #expect(error.code == .validatingReferenceError)
  }

  @Test func `what shrinks or goes makes room, in the same batch too`() async throws {
    let fixture = try await EngineFixture(limits: Self.roomy)
    try await fixture.save(Self.text(900, "a"))
    try await fixture.save(Self.text(500, "a"))
    try await fixture.save(Self.text(400, "b"))
    let results = try await fixture.modify([
      Self.text(800, "c"), RecordOperation(.forceDelete, RecordDraft(name: "a")),
      RecordOperation(.forceDelete, RecordDraft(name: "b")),
    ])
    #expect(results.map { $0.error?.code } == [nil, nil, nil])
  }

  @Test func `the zones of a user count together, and a deleted one no longer`() async throws {
    let fixture = try await EngineFixture(limits: Self.roomy)
    let other = ZoneID(name: "Other")
    try await fixture.makeZone(other)
    try await fixture.save(Self.text(700, "a"), zone: other)
    #expect(try await fixture.failure(of: Self.text(700, "b")).code == .quotaExceeded)
    try await fixture.deleteZone(other)
    try await fixture.save(Self.text(700, "b"))
  }

  @Test func `an atomic batch over the quota leaves nothing, and counts nothing`() async throws {
    let fixture = try await EngineFixture(limits: Self.roomy)
    let results = try await fixture.modify(
      [Self.text(500, "a"), Self.text(800, "b")], atomic: true)
    #expect(results.map { $0.error?.code } == [.atomicError, .quotaExceeded])
    try await fixture.save(Self.text(900, "c"))
  }

  @Test func `SAV-25 who is taken out of a share stays in it if that save is over the quota`()
    async throws
  {
    let fixture = try await EngineFixture(limits: Self.roomy)
    let (_, share) = try await fixture.shareHike(with: "bob")
    try await fixture.join(share, as: fixture.bob)
    let title = FieldValue.string(String(repeating: "x", count: 2000))
    var operation = RecordOperation.update(
      try await fixture.fetch(share.name), ["cloudkit.title": title])
    operation.record.participants = []
    let results = try await fixture.modify([operation, Self.text(1, "other")])
    #expect(results.map { $0.error?.code } == [.quotaExceeded, nil])
    let zone = ZoneKey(
      database: try fixture.phone.databaseKey(.private), name: EngineFixture.trails.name)
    let members = try await fixture.server.store.read { try $0.shares.memberships(in: zone) }
    #expect(members.map(\.user) == [try fixture.bob.requireUser()])
  }

  @Test func `the public database has no quota of a user`() async throws {
    let fixture = try await EngineFixture(limits: Self.roomy)
    try await fixture.save(Self.text(5000, "p"), in: .public)
  }

  // MARK: What depends on a save that is refused

  /// A record below another, and what moves it away, if there were room for it.
  private func move(
    of child: String, from parent: String
  ) async throws -> (EngineFixture, RecordOperation) {
    let fixture = try await EngineFixture(limits: Self.roomy)
    try await fixture.save(Self.text(1, parent))
    try await fixture.save(Self.text(1, child, parent: parent))
    var moved = Self.text(2000, child)
    moved.record.parent = .cleared
    return (fixture, moved)
  }

  @Test func `a record stays whose child was to move away and is over the quota`() async throws {
    let (fixture, moved) = try await move(of: "c", from: "p")
    for operations in [[moved, .delete("p")], [.delete("p"), moved]] {
      let results = try await fixture.modify(operations, atomic: false)
      #expect(Set(results.codes) == [.quotaExceeded, .validatingReferenceError])
      #expect(try await fixture.exists("p"))
      #expect(try await fixture.fetch("c").parent == "p")
    }
  }

  @Test func `a record goes with its target if the save that would let that go is over the quota`()
    async throws
  {
    let fixture = try await EngineFixture(limits: Self.roomy)
    let holds = FieldValue.reference(Reference(recordName: "p", action: .deleteSelf))
    try await fixture.save(Self.text(1, "p"))
    try await fixture.save(.create("c", ["p": holds]))
    var freed = Self.text(2000, "c")
    freed.record.fields["p"] = DraftField(nil)
    let results = try await fixture.modify([freed, .delete("p")], atomic: false)
    #expect(results.codes == [.quotaExceeded, nil])
    #expect(try await !fixture.exists("p"))
    #expect(try await !fixture.exists("c"))
  }

  @Test func `no circle of parents is left by a save that is over the quota`() async throws {
    let (fixture, moved) = try await move(of: "x", from: "y")
    let results = try await fixture.modify([moved, Self.text(1, "y", parent: "x")], atomic: false)
    #expect(results.codes == [.quotaExceeded, .badRequest])
    #expect(try await fixture.fetch("y").parent == nil)
  }

  @Test func `nothing refers by VALIDATE to a record over the quota, nor is shared then`()
    async throws
  {
    let fixture = try await EngineFixture(limits: Self.roomy)
    let needs = FieldValue.reference(Reference(recordName: "big", action: .validate))
    let results = try await fixture.modify(
      [
        Self.text(2000, "big"), .create("holder", ["to": needs]), .share("s", of: "holder"),
        Self.text(1, "other"),
      ], atomic: false)
    #expect(results.codes == [.quotaExceeded, .validatingReferenceError, .internalError, nil])
    for name in ["big", "holder", "s"] { #expect(try await !fixture.exists(name)) }
  }

  @Test func `what a deletion that is refused for it would have freed is not used`() async throws {
    let fixture = try await EngineFixture(limits: Self.roomy)
    try await fixture.save(Self.text(600, "p"))
    try await fixture.save(Self.text(1, "c", parent: "p"))
    var moved = Self.text(2000, "c")
    moved.record.parent = .cleared
    let results = try await fixture.modify(
      [moved, .delete("p"), Self.text(500, "d")], atomic: false)
    #expect(results.codes == [.quotaExceeded, .validatingReferenceError, .quotaExceeded])
  }

  // MARK: Counting

  /// The same store with a quota and without, as after a setting was changed.
  private static func servers() async throws -> (counting: EngineFixture, other: EngineFixture) {
    let store = MemoryStore(coders: .wire, runsTwice: true)
    let other = try await EngineFixture(TestServer(store: store))
    return (try await EngineFixture(TestServer(store: store, limits: roomy)), other)
  }

  @Test func `records that were saved while there was no quota count, in whichever zone`()
    async throws
  {
    let (counting, other) = try await Self.servers()
    let zone = ZoneID(name: "Other")
    try await other.makeZone(zone)
    try await other.save(Self.text(600, "a"), zone: zone)
    #expect(try await counting.failure(of: Self.text(600, "b")).code == .quotaExceeded)
    try await counting.save(Self.text(200, "b"))
    // Counted since, and changed again by who does not count.
    try await other.save(Self.text(100, "a"), zone: zone)
    try await counting.save(Self.text(600, "b"))
    try await other.save(Self.text(300, "c"), zone: zone)
    #expect(try await counting.failure(of: Self.text(700, "b")).code == .quotaExceeded)
    try await other.deleteZone(zone)
    try await counting.save(Self.text(900, "b"))
  }

  @Test func `a zone that is deleted and made again counts with what is in it now`() async throws {
    let (counting, other) = try await Self.servers()
    let zone = ZoneID(name: "Other")
    try await counting.makeZone(zone)
    try await counting.save(Self.text(600, "a"), zone: zone)
    try await other.deleteZone(zone)
    try await other.makeZone(zone)
    try await other.save(Self.text(300, "a"), zone: zone)
    #expect(try await counting.failure(of: Self.text(700, "b")).code == .quotaExceeded)
    try await counting.save(Self.text(500, "b"))
  }

  @Test func `a count that an earlier version kept is made anew`() async throws {
    let fixture = try await EngineFixture(limits: Self.roomy)
    try await fixture.save(Self.text(600, "a"))
    let database = try fixture.phone.databaseKey(.private)
    try await fixture.server.store.write(in: .database(database)) { transaction in
      let last = try transaction.sequences.last(in: database)
      try transaction.settings.set(.storedBytesOfDatabase(database), to: Array("1 \(last)".utf8))
    }
    #expect(try await fixture.failure(of: Self.text(600, "b")).code == .quotaExceeded)
  }

  @Test func `a chain that is over the quota fails from its root on, in whichever order`()
    async throws
  {
    let fixture = try await EngineFixture(limits: Self.roomy)
    var chain = [Self.text(2000, "r0")]
    for number in 1..<20 { chain.append(Self.text(1, "r\(number)", parent: "r\(number - 1)")) }
    for chain in [chain, chain.reversed()] {
      let codes = try await fixture.modify(chain).codes
      #expect(codes.allSatisfy { $0 == .quotaExceeded })
    }
  }
}
