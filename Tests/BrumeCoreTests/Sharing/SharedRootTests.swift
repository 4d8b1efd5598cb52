// A root names its share as long as there is one, whatever else a request does to either, and whichever part of it is
// refused: cases SHR-08, SHR-16.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

struct SharedRootTests {
  @Test(arguments: [nil, Record.shareType], [true, false])
  func `SHR-16 a share that ends in the request that saves its root is named no more`(
    type: String?, isShareFirst: Bool
  ) async throws {
    let fixture = try await EngineFixture()
    _ = try await fixture.shareHike(with: "bob")
    let end = RecordOperation(.forceDelete, RecordDraft(name: "s1", type: type))
    let save = RecordOperation.force("root", ["km": .int64(1)])
    let results = try await fixture.modify(isShareFirst ? [end, save] : [save, end])
    #expect(results.allSucceeded)
    guard case .saved(let answer) = try results[isShareFirst ? 1 : 0].get() else {
      throw EngineFixture.Unexpected.deleted
    }
    #expect(try answer.record().share == nil)
    let root = try await fixture.fetch("root")
    #expect(root.share == nil && root.fields["km"] == .int64(1))
    try await fixture.save(.share("s2", of: "root"))
    #expect(try await fixture.fetch("root").share == "s2")
  }

  @Test(arguments: [nil, Record.shareType])
  func `SHR-16 a share ends though the save of its root is refused`(type: String?) async throws {
    let fixture = try await EngineFixture()
    let (root, _) = try await fixture.shareHike(with: "bob")
    let end = RecordOperation(.forceDelete, RecordDraft(name: "s1", type: type))
    let results = try await fixture.modify(
      [.update(root, parent: "nobody"), end], atomic: false)
    #expect(results.codes == [.validatingReferenceError, nil])
    #expect(try await !fixture.exists("s1"))
    #expect(try await fixture.fetch("root").share == nil)
    try await fixture.save(.share("s2", of: "root"))
  }

  @Test func `SHR-08 a share can follow another one in one request, and fail`() async throws {
    var limits = Limits.apple
    limits.participants = 2
    let fixture = try await EngineFixture(limits: limits)
    let (_, first) = try await fixture.shareHike(with: "bob")
    let results = try await fixture.modify([.delete("s1"), .share("s2", of: "root")])
    #expect(results.allSucceeded)
    let root = try await fixture.fetch("root")
    #expect(root.share == "s2" && root.shortGUID == first.shortGUID)
    let many = ["a@example.org", "b@example.org"]
    let failed = try await fixture.modify(
      [.delete("s2"), .share("s3", of: "root", with: many)], atomic: false)
    #expect(failed.codes == [nil, .tooManyParticipants])
    #expect(try await fixture.fetch("root").share == nil)
  }

  @Test func `a share over the quota leaves its root as it was`() async throws {
    var limits = Limits.apple
    limits.storageBytesPerUser = 2000
    let fixture = try await EngineFixture(limits: limits)
    let root = try await fixture.save(.create("root"))
    var large = RecordOperation.share("s1", of: "root")
    large.record.fields["cloudkit.title"] = DraftField(
      .string(String(repeating: "x", count: 3000)))
    let results = try await fixture.modify([.create("other"), large], atomic: false)
    #expect(results.codes == [nil, .quotaExceeded])
    #expect(try await fixture.fetch("root") == root)
    try await fixture.save(.share("s1", of: "root"))
  }

  @Test func `a share does not come without its root, which is over the quota`() async throws {
    var limits = Limits.apple
    limits.storageBytesPerUser = 2000
    let fixture = try await EngineFixture(limits: limits)
    let large = FieldValue.string(String(repeating: "x", count: 3000))
    let results = try await fixture.modify(
      [.create("root", ["t": large]), .share("s1", of: "root"), .create("other")], atomic: false)
    #expect(results.codes == [.quotaExceeded, .quotaExceeded, nil])
    #expect(try await !fixture.exists("s1"))
  }

  @Test func `a share that does not fit into the answer leaves its root as it was`() async throws {
    var limits = Limits.apple
    limits.answerBytes = 2000
    let fixture = try await EngineFixture(limits: limits)
    let root = try await fixture.save(.create("root"))
    var large = RecordOperation.share("s1", of: "root")
    large.record.fields["cloudkit.title"] = DraftField(
      .string(String(repeating: "x", count: 3000)))
    let results = try await fixture.modify([.create("other"), large], atomic: false)
    #expect(results.codes == [nil, .limitExceeded])
    #expect(try await fixture.fetch("root") == root)
  }

  @Test func `a root that names a share which is not there can be shared`() async throws {
    let fixture = try await EngineFixture()
    var root = try await fixture.save(.create("root"))
    root.share = "gone"
    let database = try fixture.phone.databaseKey(.private)
    let (left, zone) = (root, ZoneKey(database: database, name: "Trails"))
    try await fixture.server.store.write(in: .database(database)) { transaction in
      let sequence = try transaction.sequences.next(in: database)
      try transaction.records.put(left, in: zone, sequence: sequence)
    }
    try await fixture.save(.share("s1", of: "root"))
    #expect(try await fixture.fetch("root").share == "s1")
  }
}
