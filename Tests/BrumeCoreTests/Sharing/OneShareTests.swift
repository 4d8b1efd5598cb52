// A record takes part in one share only, by whatever way it would come into a second one: case SHR-05.

import BrumeCore
import BrumeModel
import BrumeTestKit
import Testing

struct OneShareTests {
  private func fixture(_ change: (inout Limits) -> Void = { _ in }) async throws -> EngineFixture {
    var limits = Limits.apple
    change(&limits)
    return try await EngineFixture(limits: limits)
  }

  /// "root", and "child" with the share "sc".
  private func twoRecords() async throws -> (fixture: EngineFixture, child: Record) {
    let fixture = try await fixture()
    _ = try await fixture.modify([.create("root"), .create("child")])
    try await fixture.save(.share("sc", of: "child"))
    return (fixture, try await fixture.fetch("child"))
  }

  @Test func `SHR-05 a shared record that moves below a root in the request that shares it`()
    async throws
  {
    let (fixture, child) = try await twoRecords()
    let results = try await fixture.modify(
      [.share("sr", of: "root"), .update(child, parent: "root")], atomic: false)
    #expect(results.codes == [.alreadyShared, nil])
    #expect(results[0].error?.reason.contains("has the share 'sc' already") == true)
    #expect(try await fixture.fetch("root").share == nil)
    #expect(try await fixture.fetch("child").parent == "root")
  }

  @Test func `SHR-05 a shared record that moves below a new record of a root that is shared`()
    async throws
  {
    let (fixture, child) = try await twoRecords()
    let results = try await fixture.modify([
      .create("between", parent: "root"), .update(child, parent: "between"),
      .share("sr", of: "root"),
    ])
    #expect(results.codes == [nil, nil, .alreadyShared])
    #expect(try await !fixture.exists("sr"))
  }

  @Test func `SHR-05 a record moves under no share where a shared one below it is not deleted`()
    async throws
  {
    let (fixture, child) = try await twoRecords()
    try await fixture.save(.share("sr", of: "root"))
    let validated = Reference(recordName: "child", action: .validate)
    _ = try await fixture.modify([
      .create("branch"), .create("keeper", ["on": .reference(validated)]),
    ])
    try await fixture.save(.update(child, parent: "branch"))
    let branch = try await fixture.fetch("branch")
    let results = try await fixture.modify([.update(branch, parent: "root"), .delete("child")])
    #expect(results.codes == [.alreadyShared, .validatingReferenceError])
    #expect(try await fixture.fetch("branch").parent == nil)
  }

  @Test(arguments: [false, true])
  func `SHR-24 a record is shared in the request that ends the share of the zone`(endsFirst: Bool)
    async throws
  {
    let fixture = try await fixture()
    try await fixture.save(.create("root"))
    try await fixture.save(
      RecordOperation(
        .create, RecordDraft(name: Record.zoneShareName, type: Record.shareType)))
    let operations = [RecordOperation.delete(Record.zoneShareName), .share("sr", of: "root")]
    let results = try await fixture.modify(endsFirst ? operations : operations.reversed())
    #expect(results.allSucceeded)
    #expect(try await fixture.fetch("root").share == "sr")
    #expect(try await !fixture.exists(Record.zoneShareName))
  }

  @Test func `SHR-05 what moves under a share holds no share`() async throws {
    let (fixture, child) = try await twoRecords()
    _ = try await fixture.modify([.create("box"), .update(child, parent: "box")])
    try await fixture.save(.share("sr", of: "root"))
    let box = try await fixture.fetch("box")
    let error = try await fixture.failure(of: .update(box, parent: "root"))
    #expect(error.code == .alreadyShared)
    #expect(error.reason.contains("a record below it has the share 'sc'"))
    #expect(try await fixture.fetch("box").parent == nil)
    let results = try await fixture.modify([.delete("sc"), .update(box, parent: "root")])
    #expect(results.allSucceeded)
  }

  @Test(arguments: [true, false])
  func `SHR-05 of two shares in one request the second fails`(isRootFirst: Bool) async throws {
    let fixture = try await fixture()
    _ = try await fixture.modify([.create("root"), .create("child", parent: "root")])
    let shares: [RecordOperation] = [.share("sr", of: "root"), .share("sc", of: "child")]
    let results = try await fixture.modify(isRootFirst ? shares : shares.reversed(), atomic: false)
    #expect(results.codes == [nil, .alreadyShared])
    #expect(try await fixture.fetch("root").share == (isRootFirst ? "sr" : nil))
    #expect(try await fixture.fetch("child").share == (isRootFirst ? nil : "sc"))
  }

  @Test func `a root can be shared in the request that moves a shared record away`() async throws {
    let (fixture, child) = try await twoRecords()
    let below = try await fixture.save(.update(child, parent: "root"))
    var away = RecordOperation.update(below)
    away.record.parent = .cleared
    let results = try await fixture.modify([.share("sr", of: "root"), away])
    #expect(results.allSucceeded)
    #expect(try await fixture.fetch("root").share == "sr")
  }

  @Test func `SHR-05 a shared record is found however many are beside it`() async throws {
    let fixture = try await fixture { $0.cascade = 50 }
    _ = try await fixture.modify([.create("root"), .create("zz", parent: "root")])
    try await fixture.save(.share("sz", of: "zz"))
    let many = (0..<120).map { RecordOperation.create("k\($0)", parent: "root") }
    #expect(try await fixture.modify(many).allSucceeded)
    #expect(try await fixture.failure(of: .share("sr", of: "root")).code == .alreadyShared)
    _ = try await fixture.modify([.delete("sz")])
    try await fixture.save(.share("sr", of: "root"))
  }

  /// Of which two fit into a page of 25,000 bytes.
  private func largeShare(_ name: String, of root: String) -> RecordOperation {
    var share = RecordOperation.share(name, of: root)
    let title = String(repeating: "x", count: 10_000)
    share.record.fields["cloudkit.title"] = DraftField(.string(title))
    return share
  }

  @Test func `SHR-05 a shared record is found behind shares that do not fit into one page`()
    async throws
  {
    let fixture = try await fixture {
      $0.cascade = 50
      $0.answerBytes = 25_000
    }
    for name in ["a", "b", "c", "d"] {
      _ = try await fixture.modify([.create(name), largeShare("s\(name)", of: name)])
    }
    _ = try await fixture.modify([.create("root"), .create("zz", parent: "root")])
    try await fixture.save(largeShare("sz", of: "zz"))
    for part in 0..<4 {
      let many = (0..<30).map { RecordOperation.create("k\(part)-\($0)", parent: "root") }
      #expect(try await fixture.modify(many).allSucceeded)
    }
    #expect(try await fixture.failure(of: .share("sr", of: "root")).code == .alreadyShared)
    _ = try await fixture.modify([.delete("sz")])
    try await fixture.save(.share("sr", of: "root"))
  }

  @Test func `no zone is shared as a whole over a share that does not fit into one page`()
    async throws
  {
    let fixture = try await fixture { $0.answerBytes = 25_000 }
    let names = ["a", "b", "c", "d", "e"]
    for name in names {
      let made = try await fixture.modify([.create(name), largeShare("s\(name)", of: name)])
      #expect(made.allSucceeded)
    }
    let ends = names.map { RecordOperation.delete("s\($0)") }
    let results = try await fixture.modify(ends.dropLast() + [.zoneShare()])
    #expect(results.codes == [nil, nil, nil, nil, .badRequest])
    #expect(results.last?.error?.reason.contains("it holds the share 'se'") == true)
    #expect(try await fixture.modify([.delete("se"), .zoneShare()]).allSucceeded)
  }

  @Test func `where many shares and many records are to be looked at, nothing is shared unseen`()
    async throws
  {
    let fixture = try await fixture { $0.cascade = 120 }
    for part in 0..<2 {
      let names = (0..<51).map { "r\(part)-\($0)" }
      let roots = names.map { RecordOperation.create($0) }
      let shares = names.map { RecordOperation.share("s-\($0)", of: $0) }
      let made = try await fixture.modify(roots + shares)
      #expect(made.allSucceeded)
    }
    try await fixture.save(.create("root"))
    func fill(_ numbers: Range<Int>) async throws {
      let records = numbers.map { RecordOperation.create("k\($0)", parent: "root") }
      #expect(try await fixture.modify(records).allSucceeded)
    }
    try await fill(0..<121)
    let error = try await fixture.failure(of: .share("sr", of: "root"))
    #expect(error.code == .limitExceeded && error.reason.contains("more than 120 records"))
    _ = try await fixture.modify([.delete("k0")])
    try await fixture.save(.share("sr", of: "root"))
  }
}
