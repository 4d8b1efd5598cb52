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
    let lab = try await Lab()
    try await lab.save(.create("h1"))
    let token = try await lab.changes(as: lab.tablet).token
    let results = try await lab.modify([.delete("h1")])
    #expect(results[0].isSuccess)
    let change = try await lab.changes(since: token, as: lab.tablet).changes.first
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
    let lab = try await Lab()
    let token = try await lab.changes().token
    #expect(try await lab.modify([.delete("ghost"), .delete("g2", tag: "1")]).allSucceeded)
    #expect(try await lab.changes(since: token).summary == [])
    #expect(try await lab.log().count == 1)
  }

  @Test func `a delete with a stale tag is a conflict, without a tag it deletes`() async throws {
    let lab = try await Lab()
    let first = try await lab.save(.create("h1"))
    try await lab.save(.update(first))
    let error = try await lab.failure(of: .delete("h1", tag: first.changeTag))
    #expect(error.code == .conflict)
    let plain = RecordOperation(.delete, RecordDraft(name: "h1"))
    #expect(try await lab.modify([plain])[0].isSuccess)
  }

  @Test func `DEL-03 deleting in a missing zone fails`() async throws {
    let lab = try await Lab()
    let error = try await lab.failure(of: .delete("h1"), zone: ZoneID(name: "Ghost"))
    #expect(error.code == .zoneNotFound)
  }

  @Test func `DEL-04 a parent cannot go while a child remains`() async throws {
    let lab = try await Lab()
    _ = try await lab.modify([.create("parent"), .create("child", parent: "parent")])
    let error = try await lab.failure(of: .delete("parent"))
    #expect(error.code == .validatingReferenceError)
    #expect(error.reason.contains("'child'"))
    #expect(try await lab.exists("parent"))
  }

  @Test func `a parent can go when the same request moves its child away`() async throws {
    let lab = try await Lab()
    _ = try await lab.modify(
      [.create("p1"), .create("p2"), .create("child", parent: "p1")])
    let child = try await lab.fetch("child")
    let results = try await lab.modify(
      [.delete("p1"), .update(child, parent: "p2")], atomic: true)
    #expect(results.allSucceeded)
    #expect(try await lab.fetch("child").parent == "p2")
  }

  @Test(arguments: [Lab.trails, ZoneID(name: ZoneID.defaultName)])
  func `DEL-05 DEL-06 holders of a DELETE_SELF reference go too, and theirs`(_ zone: ZoneID)
    async throws
  {
    let lab = try await Lab()
    _ = try await lab.modify(
      [
        .create("area"), holder("hike", of: "area", .deleteSelf),
        holder("photo", of: "hike", .deleteSelf), holder("note", of: "hike", .none),
      ], zone: zone)
    let before = try await lab.log().count
    #expect(try await lab.modify([.delete("area")], zone: zone).count == 1)
    for name in ["area", "hike", "photo"] {
      #expect(try await lab.exists(name, zone: zone) == false)
    }
    #expect(try await lab.exists("note", zone: zone))
    #expect(try await lab.log().count == before + 3)
  }

  @Test func `circles of DELETE_SELF references end`() async throws {
    let lab = try await Lab()
    _ = try await lab.modify([
      holder("a", of: "b", .deleteSelf), holder("b", of: "a", .deleteSelf),
    ])
    #expect(try await lab.modify([.delete("a")])[0].isSuccess)
    #expect(try await lab.exists("b") == false)
  }

  @Test func `DEL-07 a target has at most so many DELETE_SELF references`() async throws {
    var limits = Limits.apple
    limits.deleteSelfReferences = 3
    let lab = try await Lab(limits: limits)
    try await lab.save(.create("area"))
    _ = try await lab.modify((0..<2).map { holder("h\($0)", of: "area", .deleteSelf) })
    let results = try await lab.modify((2..<5).map { holder("h\($0)", of: "area", .deleteSelf) })
    #expect(results.codes == [nil, .badRequest, .badRequest])
    #expect(results[1].error?.reason.contains("3 such references") == true)
    #expect(try await lab.modify([holder("free", of: "area", .none)])[0].isSuccess)
    let kept = try await lab.fetch("h0")
    try await lab.save(.update(kept, ["km": .int64(1)]))
  }

  @Test func `DEL-08 a NONE reference dangles without an error`() async throws {
    let lab = try await Lab()
    _ = try await lab.modify([.create("area"), holder("hike", of: "area", .none)])
    #expect(try await lab.modify([.delete("area")])[0].isSuccess)
    #expect(try await lab.fetch("hike").fields["area"] != nil)
  }

  @Test func `DEL-09 moving a child under a deleted parent is a reference violation`() async throws
  {
    let lab = try await Lab()
    let child = try await lab.save(.create("child"))
    try await lab.save(.create("list"))
    _ = try await lab.modify([.delete("list")], as: lab.tablet)
    let error = try await lab.failure(of: .update(child, parent: "list"))
    #expect(error.code == .validatingReferenceError)
  }

  @Test func `REF-01 SAV-26 a child of a missing parent is a reference violation`() async throws {
    let lab = try await Lab()
    let error = try await lab.failure(of: .create("child", parent: "ghost"))
    #expect(error.code == .validatingReferenceError)
    #expect(error.reason.contains("'ghost'"))
  }

  @Test func `SAV-27 a child of a record that failed for its parent fails internally`() async throws
  {
    let lab = try await Lab()
    let results = try await lab.modify([
      .create("grandchild", parent: "child"), .create("child", parent: "ghost"),
    ])
    #expect(results.codes == [.internalError, .validatingReferenceError])
  }

  @Test func `REF-03 REF-04 references stay in the zone and parents have no action`() async throws {
    let lab = try await Lab()
    let away = Reference(recordName: "a", zone: ZoneID(name: "Other"))
    let error = try await lab.failure(of: .create("h1", ["area": .reference(away)]))
    #expect(error.code == .badRequest)
    #expect(error.reason.contains("'area'"))
    try await lab.save(.create("p"))
    var draft = RecordDraft(name: "h2", type: "Hike")
    draft.parent = .set(Reference(recordName: "p", action: .deleteSelf))
    #expect(try await lab.failure(of: RecordOperation(.create, draft)).code == .badRequest)
    draft.parent = .set(away)
    #expect(try await lab.failure(of: RecordOperation(.create, draft)).code == .badRequest)
  }

  @Test func `REF-05 only VALIDATE asks for the target, when saving and when deleting`()
    async throws
  {
    let lab = try await Lab()
    try await lab.save(holder("h1", of: "ghost", .none))
    let error = try await lab.failure(of: holder("h2", of: "ghost", .validate))
    #expect(error.code == .validatingReferenceError)
    _ = try await lab.modify([holder("h3", of: "area", .validate), .create("area")])
    #expect(try await lab.failure(of: .delete("area")).code == .validatingReferenceError)
    #expect(
      try await lab.modify([.delete("area"), .delete("h3")], atomic: true)
        .allSucceeded)
  }

  @Test func `a record cannot become its own ancestor`() async throws {
    let lab = try await Lab()
    _ = try await lab.modify([.create("a"), .create("b", parent: "a"), .create("c", parent: "b")])
    let a = try await lab.fetch("a")
    #expect(try await lab.failure(of: .update(a, parent: "c")).code == .badRequest)
    #expect(try await lab.failure(of: .update(a, parent: "a")).code == .badRequest)
    let circle = try await lab.modify([
      .create("x", parent: "y"), .create("y", parent: "x"),
    ])
    #expect(
      circle.codes == [.badRequest, .internalError]
        || circle.allSatisfy { $0.error != nil })
  }
}
