// All or nothing: cases ATM-01 to ATM-05, ATM-09, ATM-10, SAV-21.

import BrumeCore
import BrumeModel
import BrumeSchema
import BrumeStorage
import BrumeTestKit
import Testing

struct AtomicTests {
  private static let other = ZoneID(name: "Other")

  @Test func `ATM-01 the culprit keeps its error, the rest fails because of it, nothing is stored`()
    async throws
  {
    let fixture = try await EngineFixture()
    let first = try await fixture.save(.create("h1", ["km": .int64(1)]))
    try await fixture.save(.update(first, ["km": .int64(2)]))
    let token = try await fixture.changes().token
    let results = try await fixture.modify(
      [.create("h2"), .update(first, ["km": .int64(3)])], atomic: true)
    #expect(results.codes == [.atomicError, .conflict])
    #expect(results[1].error?.serverRecord?.fields["km"] == .int64(2))
    #expect(try await fixture.exists("h2") == false)
    #expect(try await fixture.changes(since: token).summary == [])
  }

  @Test func `ATM-02 a delete beside a conflict is undone`() async throws {
    let fixture = try await EngineFixture()
    let first = try await fixture.save(.create("h1"))
    try await fixture.save(.create("h2"))
    try await fixture.save(.update(first))
    let results = try await fixture.modify([.update(first), .delete("h2")], atomic: true)
    #expect(results.codes == [.conflict, .atomicError])
    #expect(try await fixture.exists("h2"))
  }

  @Test func `ATM-01 ATM-02 a participant's batch stands or falls as a whole too`() async throws {
    let fixture = try await EngineFixture()
    let (root, share) = try await fixture.shareHike(with: "bob", .readWrite)
    try await fixture.join(share, as: fixture.bob)
    try await fixture.save(.create("child", parent: "root"))
    let changed = try await fixture.save(.force("root", ["km": .int64(1)]))
    let results = try await fixture.modify(
      [.create("new", parent: "root"), .update(root, ["km": .int64(2)]), .delete("child")],
      atomic: true, in: .shared,
      zone: ZoneID(name: "Trails", ownerName: fixture.phone.user?.name), as: fixture.bob)
    #expect(results.codes == [.atomicError, .conflict, .atomicError])
    #expect(results[1].error?.serverRecord?.changeTag == changed.changeTag)
    #expect(try await fixture.fetch("root") == changed)
    #expect(try await fixture.exists("child"))
    #expect(try await fixture.exists("new") == false)
  }

  @Test func `ATM-03 only the failing zone of a request rolls back`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.makeZone(Self.other)
    try await fixture.save(.create("h1"))
    var elsewhere = RecordOperation.create("o1")
    elsewhere.record.zone = Self.other
    let results = try await fixture.modify(
      [.create("h1"), .create("h2"), elsewhere], atomic: true)
    #expect(results.codes == [.conflict, .atomicError, nil])
    #expect(try await fixture.exists("o1", zone: Self.other))
    #expect(try await fixture.exists("h2") == false)
  }

  @Test func `ATM-04 SAV-21 without atomicity the others are saved`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h3"))
    let results = try await fixture.modify((0..<10).map { .create("h\($0)") }, atomic: false)
    #expect(results.filter { $0.isSuccess }.count == 9)
    #expect(results[3].error?.code == .conflict)
  }

  @Test func `ATM-05 the flag has no effect in the default zone`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("d1"), zone: nil)
    let results = try await fixture.modify(
      [.create("d1"), .create("d2")], atomic: true, zone: nil)
    #expect(results.codes == [.conflict, nil])
    #expect(try await fixture.exists("d2", zone: nil))
  }

  @Test func `ATM-09 REF-02 a child may stand before its parent in a request`() async throws {
    let fixture = try await EngineFixture()
    let results = try await fixture.modify(
      [.create("child", parent: "parent"), .create("parent")], atomic: true)
    #expect(results.allSucceeded)
    #expect(try await fixture.fetch("child").parent == "parent")
  }

  @Test(arguments: [["parent", "child"], ["child", "parent"]])
  func `ATM-10 parent and child are deleted together in any order`(_ names: [String]) async throws {
    let fixture = try await EngineFixture()
    _ = try await fixture.modify([.create("parent"), .create("child", parent: "parent")])
    let results = try await fixture.modify(names.map { .delete($0) }, atomic: true)
    #expect(results.allSucceeded)
    #expect(try await fixture.exists("parent") == false)
    #expect(try await fixture.exists("child") == false)
  }

  @Test func `a bad name in an atomic request takes nothing else with it unsaid`() async throws {
    let fixture = try await EngineFixture()
    let results = try await fixture.modify(
      [.create("h1"), .create("h2", ["_bad": .int64(1)])], atomic: true)
    #expect(results.codes == [.atomicError, .badRequest])
    #expect(results[0].error?.reason.contains("'h2'") == true)
  }
}
