// Deleting and what references have to do with it: cases DEL and REF.

import BrumeCore
import BrumeModel
import BrumeSchema
import BrumeStorage
import BrumeTestKit
import Testing

struct DeleteTests {
  private func holder(
    _ name: String, of target: String, _ action: Reference.Action
  ) -> RecordOperation {
    .create(name, ["area": .reference(Reference(recordName: target, action: action))])
  }

  @Test func `DEL-01 a deletion reaches others with the record's type`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1"))
    let token = try await fixture.changes(as: fixture.tablet).token
    let results = try await fixture.modify([.delete("h1")])
    #expect(results[0].isSuccess)
    let change = try await fixture.changes(since: token, as: fixture.tablet).changes.first
    guard case .deleted(let name, let type, _) = try #require(change) else {
      Issue.record("not a deletion")
      return
    }
    #expect(name == "h1")
    #expect(type == "Hike")
  }

  @Test func `DEL-02 deleting a record that is not there succeeds and changes nothing`()
    async throws
  {
    let fixture = try await EngineFixture()
    let token = try await fixture.changes().token
    #expect(try await fixture.modify([.delete("ghost"), .delete("g2", tag: "1")]).allSucceeded)
    #expect(try await fixture.changes(since: token).summary == [])
    #expect(try await fixture.log().count == 1)
  }

  @Test func `a delete with a stale tag is a conflict, without a tag it deletes`() async throws {
    let fixture = try await EngineFixture()
    let first = try await fixture.save(.create("h1"))
    try await fixture.save(.update(first))
    let error = try await fixture.failure(of: .delete("h1", tag: first.changeTag))
    #expect(error.code == .conflict)
    #expect(error.reason.contains("delete it with this tag, or use forceDelete"))
    let plain = RecordOperation(.delete, RecordDraft(name: "h1"))
    #expect(try await fixture.modify([plain])[0].isSuccess)
  }

  @Test(arguments: [EngineFixture.trails, ZoneID(name: ZoneID.defaultName)])
  func `a delete with an empty tag is of no record: what is there is a conflict`(_ zone: ZoneID)
    async throws
  {
    let fixture = try await EngineFixture()
    let there = try await fixture.save(.create("h1"), zone: zone)
    let results = try await fixture.modify(
      [.create("h2"), .delete("h1", tag: ""), .delete("ghost", tag: "")], atomic: true, zone: zone)
    let isAtomic = zone.name != ZoneID.defaultName
    let other: BrumeError.Code? = isAtomic ? .atomicError : nil
    #expect(results.codes == [other, .conflict, other])
    #expect(results[1].error?.serverRecord == there)
    #expect(try await fixture.exists("h1", zone: zone))
    #expect(try await fixture.exists("h2", zone: zone) == !isAtomic)
  }

  @Test func `DEL-03 deleting in a missing zone fails`() async throws {
    let fixture = try await EngineFixture()
    let error = try await fixture.failure(of: .delete("h1"), zone: ZoneID(name: "Ghost"))
    #expect(error.code == .zoneNotFound)
  }

  @Test func `DEL-06 in the public database no stranger keeps a record by what refers to it`()
    async throws
  {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("target"), in: .public)
    for operation in [
      holder("holder", of: "target", .deleteSelf), holder("needs", of: "holder", .validate),
    ] { try await fixture.save(operation, in: .public, as: fixture.bob) }
    #expect(try await fixture.modify([.delete("target")], in: .public).allSucceeded)
    #expect(try await !fixture.exists("target", in: .public))
    for name in ["holder", "needs"] { #expect(try await fixture.exists(name, in: .public)) }
  }

  @Test func `DEL-06 nor by how much refers to it`() async throws {
    var limits = Limits.apple
    limits.cascade = 3
    let fixture = try await EngineFixture(limits: limits)
    try await fixture.save(.create("target"), in: .public)
    for number in 0..<5 {
      try await fixture.save(
        holder("h\(number)", of: "target", .deleteSelf), in: .public, as: fixture.bob)
    }
    #expect(try await fixture.modify([.delete("target")], in: .public).allSucceeded)
    #expect(try await !fixture.exists("target", in: .public))
  }

  @Test func `an error names no record that goes along and is not everybody's to see`()
    async throws
  {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob", .readWrite)
    try await fixture.join(share, as: fixture.bob)
    let zone = ZoneID(name: "Trails", ownerName: fixture.phone.user?.name)
    try await fixture.save(.create("leaf", parent: "root"))
    try await fixture.save(holder("secret", of: "leaf", .deleteSelf))
    try await fixture.save(holder("other", of: "secret", .validate))
    let error = try await fixture.failure(
      of: .delete("leaf"), in: .shared, zone: zone, as: fixture.bob)
    #expect(error.code == .validatingReferenceError)
    #expect(!error.reason.contains("secret") && !error.reason.contains("other'"))
  }

  @Test func `DEL-04 a parent cannot go while a child remains`() async throws {
    let fixture = try await EngineFixture()
    _ = try await fixture.modify([.create("parent"), .create("child", parent: "parent")])
    let error = try await fixture.failure(of: .delete("parent"))
    #expect(error.code == .validatingReferenceError)
    #expect(error.reason.contains("'child'"))
    #expect(try await fixture.exists("parent"))
  }

  @Test func `a parent can go when the same request moves its child away`() async throws {
    let fixture = try await EngineFixture()
    _ = try await fixture.modify(
      [.create("p1"), .create("p2"), .create("child", parent: "p1")])
    let child = try await fixture.fetch("child")
    let results = try await fixture.modify(
      [.delete("p1"), .update(child, parent: "p2")], atomic: true)
    #expect(results.allSucceeded)
    #expect(try await fixture.fetch("child").parent == "p2")
  }

  @Test(arguments: [1, 600])
  func `what is below a record that is moved away stays when the shared root goes`(count: Int)
    async throws
  {
    let (fixture, branch, leaves) = try await EngineFixture.sharingTree(of: count)
    try await fixture.save(.create("other"))
    let results = try await fixture.modify([.update(branch, parent: "other"), .delete("root")])
    #expect(results.allSucceeded)
    for name in ["branch", leaves[0], leaves[count - 1]] {
      #expect(try await fixture.exists(name))
    }
    for name in ["root", "s1", "twig"] { #expect(try await !fixture.exists(name)) }
  }

  @Test(arguments: [1, 600])
  func `what is below a record whose move is refused goes with the shared root`(count: Int)
    async throws
  {
    let (fixture, branch, leaves) = try await EngineFixture.sharingTree(of: count)
    // The twig goes with the root, so the branch cannot be moved below it.
    let results = try await fixture.modify([.update(branch, parent: "twig"), .delete("root")])
    #expect(results.codes == [.validatingReferenceError, nil])
    for name in ["root", "s1", "twig", "branch", leaves[0], leaves[count - 1]] {
      #expect(try await !fixture.exists(name))
    }
  }

  @Test(arguments: [false, true])
  func `a VALIDATE reference to what goes along is refused, and the deletion is not`(first: Bool)
    async throws
  {
    let fixture = try await EngineFixture()
    _ = try await fixture.modify([.create("area"), holder("hike", of: "area", .deleteSelf)])
    let operations = [holder("note", of: "hike", .validate), .delete("area")]
    let results = try await fixture.modify(first ? operations : operations.reversed())
    #expect(
      results.codes
        == (first ? [.validatingReferenceError, nil] : [nil, .validatingReferenceError]))
    for name in ["area", "hike", "note"] { #expect(try await !fixture.exists(name)) }
  }

  @Test(arguments: [EngineFixture.trails, ZoneID(name: ZoneID.defaultName)])
  func `DEL-05 DEL-06 holders of a DELETE_SELF reference go too, and theirs`(_ zone: ZoneID)
    async throws
  {
    let fixture = try await EngineFixture()
    _ = try await fixture.modify(
      [
        .create("area"), holder("hike", of: "area", .deleteSelf),
        holder("photo", of: "hike", .deleteSelf), holder("note", of: "hike", .none),
      ], zone: zone)
    let before = try await fixture.log().count
    #expect(try await fixture.modify([.delete("area")], zone: zone).count == 1)
    for name in ["area", "hike", "photo"] {
      #expect(try await fixture.exists(name, zone: zone) == false)
    }
    #expect(try await fixture.exists("note", zone: zone))
    #expect(try await fixture.log().count == before + 3)
  }

  @Test func `circles of DELETE_SELF references end`() async throws {
    let fixture = try await EngineFixture()
    _ = try await fixture.modify([
      holder("a", of: "b", .deleteSelf), holder("b", of: "a", .deleteSelf),
    ])
    #expect(try await fixture.modify([.delete("a")])[0].isSuccess)
    #expect(try await fixture.exists("b") == false)
  }

  @Test func `DEL-07 a target has at most so many DELETE_SELF references`() async throws {
    var limits = Limits.apple
    limits.deleteSelfReferences = 3
    let fixture = try await EngineFixture(limits: limits)
    try await fixture.save(.create("area"))
    _ = try await fixture.modify((0..<2).map { holder("h\($0)", of: "area", .deleteSelf) })
    let results = try await fixture.modify(
      (2..<5).map { holder("h\($0)", of: "area", .deleteSelf) })
    #expect(results.codes == [nil, .badRequest, .badRequest])
    #expect(results[1].error?.reason.contains("3 such references") == true)
    #expect(try await fixture.modify([holder("free", of: "area", .none)])[0].isSuccess)
    let kept = try await fixture.fetch("h0")
    try await fixture.save(.update(kept, ["km": .int64(1)]))
  }

  @Test(arguments: [DatabaseScope.private, .public])
  func `DEL-07 a reference that the same request deletes makes room, and one that stays does not`(
    scope: DatabaseScope
  ) async throws {
    var limits = Limits.apple
    limits.deleteSelfReferences = 2
    let fixture = try await EngineFixture(limits: limits)
    let first = try await fixture.modify(
      [
        .create("area"), holder("h0", of: "area", .deleteSelf),
        holder("h1", of: "area", .deleteSelf), holder("keeper", of: "h1", .validate),
      ], in: scope)
    #expect(first.allSucceeded)
    let full = try await fixture.modify([holder("h2", of: "area", .deleteSelf)], in: scope)
    #expect(full.codes == [.badRequest])
    let swapped = try await fixture.modify(
      [.delete("h0"), holder("h2", of: "area", .deleteSelf)], in: scope)
    #expect(swapped.allSucceeded)
    let kept = try await fixture.modify(
      [.delete("h1"), holder("h3", of: "area", .deleteSelf)], in: scope)
    #expect(kept[0].error != nil)
    #expect(kept[1].error?.code == .badRequest)
  }

  @Test func `DEL-07 deletions make no room where more refer to a record than may`() async throws {
    let fixture = try await EngineFixture()
    let holders = (0..<4).map { holder("h\($0)", of: "area", .deleteSelf) }
    let saved = try await fixture.modify([RecordOperation.create("area")] + holders)
    #expect(saved.allSucceeded)
    // So it is where users of a share refer to it beside its owner: each counts those that he sees.
    var limits = Limits.apple
    limits.deleteSelfReferences = 2
    let engine = try await Engine(
      store: fixture.server.store, limits: limits,
      host: .test(clock: fixture.server.clock, seed: 9))
    let results = try await engine.records.modify(
      ModifyRecordsRequest(
        zone: EngineFixture.trails,
        operations: [.delete("h0"), .delete("h1"), holder("h4", of: "area", .deleteSelf)]),
      in: .private, as: fixture.phone)
    #expect(results.codes == [nil, nil, .badRequest])
  }

  @Test func `DEL-08 a NONE reference dangles without an error`() async throws {
    let fixture = try await EngineFixture()
    _ = try await fixture.modify([.create("area"), holder("hike", of: "area", .none)])
    #expect(try await fixture.modify([.delete("area")])[0].isSuccess)
    #expect(try await fixture.fetch("hike").fields["area"] != nil)
  }

  @Test func `DEL-09 moving a child under a deleted parent is a reference violation`() async throws
  {
    let fixture = try await EngineFixture()
    let child = try await fixture.save(.create("child"))
    try await fixture.save(.create("list"))
    _ = try await fixture.modify([.delete("list")], as: fixture.tablet)
    let error = try await fixture.failure(of: .update(child, parent: "list"))
    #expect(error.code == .validatingReferenceError)
  }

  @Test func `REF-01 SAV-26 a child of a missing parent is a reference violation`() async throws {
    let fixture = try await EngineFixture()
    let error = try await fixture.failure(of: .create("child", parent: "ghost"))
    #expect(error.code == .validatingReferenceError)
    #expect(error.reason.contains("'ghost'"))
  }

  @Test func `SAV-27 a child of a record that failed for its parent fails internally`() async throws
  {
    let fixture = try await EngineFixture()
    let results = try await fixture.modify([
      .create("grandchild", parent: "child"), .create("child", parent: "ghost"),
    ])
    #expect(results.codes == [.internalError, .validatingReferenceError])
  }

  @Test func `REF-03 REF-04 references stay in the zone and parents have no action`() async throws {
    let fixture = try await EngineFixture()
    let away = Reference(recordName: "a", zone: ZoneID(name: "Other"))
    let error = try await fixture.failure(of: .create("h1", ["area": .reference(away)]))
    #expect(error.code == .badRequest)
    #expect(error.reason.contains("'area'"))
    try await fixture.save(.create("p"))
    var draft = RecordDraft(name: "h2", type: "Hike")
    draft.parent = .set(Reference(recordName: "p", action: .deleteSelf))
    #expect(try await fixture.failure(of: RecordOperation(.create, draft)).code == .badRequest)
    draft.parent = .set(away)
    #expect(try await fixture.failure(of: RecordOperation(.create, draft)).code == .badRequest)
  }

  @Test func `REF-03 a participant's reference to a zone of his own is refused, whatever its name`()
    async throws
  {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob", .readWrite)
    try await fixture.join(share, as: fixture.bob)
    let zone = ZoneID(name: "Trails", ownerName: fixture.phone.user?.name)
    let bob = try #require(fixture.bob.user)
    for owner in UserID.aliases.union([bob.name]) {
      let away = Reference(recordName: "root", zone: ZoneID(name: "Trails", ownerName: owner))
      var draft = RecordDraft(name: "child", type: "Hike")
      draft.parent = .set(away)
      let referring = RecordOperation.create("child", ["area": .reference(away)], parent: "root")
      for operation in [RecordOperation(.create, draft), referring] {
        let error = try await fixture.failure(
          of: operation, in: .shared, zone: zone, as: fixture.bob)
        #expect(error.code == .badRequest)
        #expect(error.reason.contains("'Trails' of another owner"))
      }
    }
    // Without an owner it is the zone of the record, and who owns that may call it his own.
    let here = FieldValue.reference(Reference(recordName: "root", zone: ZoneID(name: "Trails")))
    let own = FieldValue.reference(
      Reference(recordName: "root", zone: ZoneID(name: "Trails", ownerName: "_defaultOwner")))
    let guests = try await fixture.save(
      .create("guests", ["area": here], parent: "root"), in: .shared, zone: zone, as: fixture.bob)
    let owners = try await fixture.save(.create("owners", ["area": own]))
    for record in [guests, owners] {
      #expect(record.fields["area"] == .reference(Reference(recordName: "root", zone: record.zone)))
    }
  }

  @Test func `REF-05 only VALIDATE asks for the target, when saving and when deleting`()
    async throws
  {
    let fixture = try await EngineFixture()
    try await fixture.save(holder("h1", of: "ghost", .none))
    let error = try await fixture.failure(of: holder("h2", of: "ghost", .validate))
    #expect(error.code == .validatingReferenceError)
    _ = try await fixture.modify([holder("h3", of: "area", .validate), .create("area")])
    #expect(try await fixture.failure(of: .delete("area")).code == .validatingReferenceError)
    #expect(
      try await fixture.modify([.delete("area"), .delete("h3")], atomic: true)
        .allSucceeded)
  }

  @Test func `a record cannot become its own ancestor`() async throws {
    let fixture = try await EngineFixture()
    _ = try await fixture.modify([
      .create("a"), .create("b", parent: "a"), .create("c", parent: "b"),
    ])
    let a = try await fixture.fetch("a")
    #expect(try await fixture.failure(of: .update(a, parent: "c")).code == .badRequest)
    #expect(try await fixture.failure(of: .update(a, parent: "a")).code == .badRequest)
    let circle = try await fixture.modify([
      .create("x", parent: "y"), .create("y", parent: "x"),
    ])
    #expect(
      circle.codes == [.badRequest, .internalError]
        || circle.allSatisfy { $0.error != nil })
  }

  @Test func `a record does not come below itself because a deletion or a move is refused`()
    async throws
  {
    let fixture = try await EngineFixture()
    _ = try await fixture.modify([
      .create("a"), .create("b", parent: "a"), .create("c", parent: "b"),
    ])
    let (a, b) = (try await fixture.fetch("a"), try await fixture.fetch("b"))
    // "b" has a child.
    let deleted = try await fixture.modify([.update(a, parent: "c"), .delete("b")])
    #expect(deleted.codes == [.badRequest, .validatingReferenceError])
    let nothing = Reference(recordName: "nothing", action: .validate)
    var away = RecordOperation.update(b, ["to": .reference(nothing)])
    away.record.parent = .cleared
    let moved = try await fixture.modify([.update(a, parent: "c"), away])
    #expect(moved.codes == [.badRequest, .validatingReferenceError])
    #expect(try await fixture.fetch("a").parent == nil)
  }

  // MARK: What stays after all

  private func holder(_ name: String, of targets: [String], parent: String? = nil)
    -> RecordOperation
  {
    let references = targets.map {
      FieldValue.reference(Reference(recordName: $0, action: .deleteSelf))
    }
    return .create(name, ["areas": .list(references, of: .reference)], parent: parent)
  }

  @Test func `what two deletions take along goes with one if the other may not happen`()
    async throws
  {
    let fixture = try await EngineFixture()
    _ = try await fixture.modify([
      .create("kept"), .create("free"), holder("keeper", of: "kept", .validate),
      holder("both", of: ["kept", "free"]), holder("one", of: ["kept"]),
    ])
    let codes = try await fixture.modify([.delete("kept"), .delete("free")]).codes
    #expect(codes == [.validatingReferenceError, nil])
    for (name, isThere) in [("kept", true), ("one", true), ("free", false), ("both", false)] {
      #expect(try await fixture.exists(name) == isThere, "\(name)")
    }
  }

  @Test func `a ring that only takes itself along stays, and with it what needs it gone`()
    async throws
  {
    let fixture = try await EngineFixture()
    _ = try await fixture.modify([
      .create("kept"), .create("parent"), holder("keeper", of: "kept", .validate),
      holder("a", of: ["kept", "b"]), holder("b", of: ["a"], parent: "parent"),
    ])
    for names in [["kept", "parent"], ["parent", "kept"]] {
      let codes = try await fixture.modify(names.map { .delete($0) }).codes
      #expect(codes == [.validatingReferenceError, .validatingReferenceError])
    }
    for name in ["kept", "parent", "a", "b"] { #expect(try await fixture.exists(name), "\(name)") }
    #expect(try await fixture.modify([.delete("parent"), .delete("a")]).allSucceeded)
    #expect(try await fixture.exists("b") == false)
  }
}

extension EngineFixture {
  /// A shared root with a twig, and with a branch that has so many leaves.
  fileprivate static func sharingTree(
    of count: Int
  ) async throws -> (fixture: EngineFixture, branch: Record, leaves: [String]) {
    let fixture = try await EngineFixture()
    _ = try await fixture.shareHike(with: "bob")
    let branch = try await fixture.save(.create("branch", parent: "root"))
    try await fixture.save(.create("twig", parent: "root"))
    let leaves = (0..<count).map { "leaf\($0)" }
    for start in stride(from: 0, to: count, by: 200) {
      let some = leaves[start..<min(start + 200, count)]
      #expect(try await fixture.modify(some.map { .create($0, parent: "branch") }).allSucceeded)
    }
    return (fixture, branch, leaves)
  }
}
