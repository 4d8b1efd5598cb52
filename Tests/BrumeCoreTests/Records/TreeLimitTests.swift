// How long a line of parents and how large a cascade may be, and names that a participant cannot see.

import BrumeCore
import BrumeModel
import BrumeTestKit
import Testing

struct TreeLimitTests {
  private static func limits(_ change: (inout Limits) -> Void) -> Limits {
    var limits = Limits.apple
    change(&limits)
    return limits
  }

  @Test func `a record has so many ancestors and no more`() async throws {
    let fixture = try await EngineFixture(limits: Self.limits { $0.parentChain = 3 })
    try await fixture.save(.create("r0"))
    for level in 1...3 { try await fixture.save(.create("r\(level)", parent: "r\(level - 1)")) }
    let error = try await fixture.failure(of: .create("r4", parent: "r3"))
    #expect(error.code == .badRequest && error.reason.contains("'r4' has more than 3 ancestors"))
    #expect(try await fixture.exists("r4") == false)
    try await fixture.save(.create("beside", parent: "r2"))
  }

  @Test func `what is below a record that moves has so many ancestors and no more`() async throws {
    let fixture = try await EngineFixture(limits: Self.limits { $0.parentChain = 3 })
    for chain in ["a", "b"] {
      try await fixture.save(.create("\(chain)0"))
      for level in 1...2 {
        try await fixture.save(.create("\(chain)\(level)", parent: "\(chain)\(level - 1)"))
      }
    }
    let b0 = try await fixture.fetch("b0")
    let error = try await fixture.failure(of: .update(b0, parent: "a1"))
    #expect(error.code == .badRequest)
    #expect(error.reason.contains("records below 'b0' would have more than 3 ancestors"))
    #expect(try await fixture.fetch("b0").parent == nil)
    // The same by two moves in one request.
    try await fixture.save(.create("c0"))
    let c0 = try await fixture.fetch("c0")
    let both = try await fixture.modify(
      [.update(c0, parent: "a0"), .update(b0, parent: "c0")], atomic: false)
    #expect(both.codes == [nil, .badRequest])
    try await fixture.save(.update(b0, parent: "a0"))
    try await fixture.save(.create("e0"))
    // Sideways there is always room, and upwards.
    try await fixture.save(.update(try await fixture.fetch("b0"), parent: "e0"))
    try await fixture.save(.create("d0"))
    try await fixture.save(.update(try await fixture.fetch("b1"), parent: "d0"))
  }

  @Test func `a request moves so many records further from the root`() async throws {
    let fixture = try await EngineFixture(limits: Self.limits { $0.recordsBelowMoves = 3 })
    for box in ["a", "b"] {
      try await fixture.save(.create(box))
      for number in 1...2 { try await fixture.save(.create("\(box)\(number)", parent: box)) }
    }
    _ = try await fixture.modify([.create("shelf"), .create("desk")])
    let (a, b) = (try await fixture.fetch("a"), try await fixture.fetch("b"))
    let results = try await fixture.modify(
      [.update(a, parent: "shelf"), .update(b, parent: "shelf")], atomic: false)
    #expect(results.codes == [nil, .limitExceeded])
    #expect(results[1].error?.reason.contains("more than 3 records are below it and") == true)
    try await fixture.save(.create("b3", parent: "b"))
    try await fixture.save(.update(b, parent: "shelf"))
    try await fixture.save(.create("b4", parent: "b"))
    // Not deeper than before, so nobody counts.
    let moved = try await fixture.fetch("b")
    try await fixture.save(.update(moved, parent: "desk"))
  }

  @Test func `a line of parents that is too long says nothing of the records in it`() {
    var records: [String: Record] = [:]
    for level in 0...6 {
      records["r\(level)"] = Record(
        name: "r\(level)", zone: EngineFixture.trails, type: "Hike",
        parent: level == 0 ? nil : "r\(level - 1)", share: level == 0 ? "s1" : nil)
    }
    var coverage = Coverage(hasZoneShare: false, chainLimit: 3)
    let covering = ["r6", "r3", "r2", "r0"].map { name in
      records[name].map { coverage.shares(of: $0) { records[$0] } }
    }
    #expect(covering == [[], ["s1"], ["s1"], ["s1"]])
  }

  @Test func `a deletion takes so many along and no more, and a refused one takes none`()
    async throws
  {
    let fixture = try await EngineFixture(limits: Self.limits { $0.cascade = 3 })
    try await fixture.save(.create("area"))
    for number in 1...3 {
      let area = Reference(recordName: "area", action: .deleteSelf)
      try await fixture.save(.create("hike\(number)", ["area": .reference(area)]))
    }
    let error = try await fixture.failure(of: .delete("area"))
    #expect(error.code == .limitExceeded && error.reason.contains("more than 3 records,"))
    #expect(try await fixture.exists("area"))
    #expect(try await fixture.exists("hike3"))
    _ = try await fixture.modify([.delete("hike3")])
    // What goes twice counts once.
    #expect(try await fixture.modify([.delete("area"), .delete("hike1")]).allSucceeded)
    #expect(try await fixture.exists("hike1") == false)
  }

  @Test func `a participant neither reads, changes, deletes nor takes the name of a hidden record`()
    async throws
  {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob", .readWrite)
    let secret = try await fixture.save(.create("secret", ["km": .int64(1)]))
    try await fixture.join(share, as: fixture.bob)
    let zone = ZoneID(name: "Trails", ownerName: fixture.phone.user?.name)
    func failure(_ operation: RecordOperation) async throws -> BrumeError.Code {
      try await fixture.failure(of: operation, in: .shared, zone: zone, as: fixture.bob).code
    }
    #expect(try await failure(.create("secret", parent: "root")) == .accessDenied)
    #expect(try await failure(.force("secret", ["km": .int64(2)])) == .accessDenied)
    #expect(try await failure(.update(secret, ["km": .int64(2)])) == .notFound)
    let deleted = try await fixture.modify(
      [.delete("secret")], in: .shared, zone: zone, as: fixture.bob)
    #expect(deleted.allSucceeded, "as if it were not there")
    #expect(try await fixture.fetch("secret").fields["km"] == .int64(1))
  }

  @Test func `a share that everybody with its address may join is full at some time`() async throws
  {
    let fixture = try await EngineFixture(limits: Self.limits { $0.participants = 2 })
    try await fixture.save(.create("root"))
    var open = RecordOperation.share("s1", of: "root")
    open.record.publicPermission = .readOnly
    let share = try await fixture.save(open)
    try await fixture.join(share, as: fixture.bob)
    let carol = try await fixture.server.device("carol-phone", of: "carol")
    let error = await #expect(throws: ItemFailure<String>.self) {
      try await fixture.join(share, as: carol)
    }
    #expect(error?.error.code == .tooManyParticipants)
    #expect(try await fixture.fetch("s1").shareDetails?.participants.count == 2)
  }
}
