// Saving: cases SAV-01 to SAV-16, SAV-36, SAV-41 and the change tag's rule.

import BrumeCore
import BrumeModel
import BrumeSchema
import BrumeStorage
import BrumeTestKit
import Testing

struct SaveTests {
  @Test func `SAV-01 a new record comes back with tag, dates, creator and modifier`() async throws {
    let fixture = try await EngineFixture()
    let record = try await fixture.save(.create("h1", ["title": .string("Ridge")]))
    #expect(!record.changeTag.isEmpty)
    #expect(record.created?.time == fixture.server.clock.now)
    #expect(record.modified?.time == fixture.server.clock.now)
    #expect(record.created?.user == fixture.phone.user)
    #expect(record.modified?.device == "phone")
    #expect(record.zone.ownerName == fixture.phone.user?.name)
  }

  @Test func `a create without a name gets an upper-case UUID`() async throws {
    let fixture = try await EngineFixture()
    let record = try await fixture.save(.make(.create, nil, [:], type: "Hike", tag: nil))
    #expect(record.name.count == 36)
    #expect(record.name == record.name.uppercased())
  }

  @Test func `SAV-02 saving into a missing zone fails per record`() async throws {
    let fixture = try await EngineFixture()
    let error = try await fixture.failure(of: .create("h1"), zone: ZoneID(name: "Ghost"))
    #expect(error.code == .zoneNotFound)
  }

  @Test func `SAV-03 a current tag saves and the tag moves`() async throws {
    let fixture = try await EngineFixture()
    let first = try await fixture.save(.create("h1", ["km": .int64(1)]))
    fixture.server.clock.advance(by: 5)
    let second = try await fixture.save(.update(first, ["km": .int64(2)]), as: fixture.tablet)
    #expect(second.changeTag != first.changeTag)
    #expect(second.fields["km"] == .int64(2))
    #expect(second.created == first.created)
    #expect(second.modified?.time == fixture.server.clock.now)
  }

  @Test func `SAV-04 a stale tag is a conflict that carries the server record`() async throws {
    let fixture = try await EngineFixture()
    let first = try await fixture.save(.create("h1", ["km": .int64(1)]))
    let second = try await fixture.save(.update(first, ["km": .int64(2)]), as: fixture.tablet)
    let error = try await fixture.failure(of: .update(first, ["km": .int64(3)]))
    #expect(error.code == .conflict)
    #expect(error.reason.contains("oplock"))
    #expect(error.serverRecord == second)
    #expect(try await fixture.fetch("h1").fields["km"] == .int64(2))
  }

  @Test(arguments: [RecordOperation.Kind.create, .update, .replace])
  func `SAV-05 a save without a tag over an existing record is a conflict`(
    _ kind: RecordOperation.Kind
  ) async throws {
    let fixture = try await EngineFixture()
    let first = try await fixture.save(.create("h1", ["km": .int64(1)]))
    let error = try await fixture.failure(of: .make(kind, "h1", [:], type: "Hike", tag: nil))
    #expect(error.code == .conflict)
    #expect(error.serverRecord == first)
  }

  @Test func `SAV-05 an update without a tag is answered with what to send`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1"))
    let error = try await fixture.failure(of: .make(.update, "h1", [:], type: "Hike", tag: nil))
    #expect(error.reason.contains("sent without 'recordChangeTag'"))
    #expect(error.reason.contains("or use forceUpdate"))
  }

  @Test func `SAV-05 the text of a create over an existing record names the insert`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1"))
    let error = try await fixture.failure(of: .create("h1"))
    #expect(error.reason.hasPrefix("record to insert already exists"))
  }

  @Test
  func `SAV-06 SAV-07 a tag of a deleted record is unknown; without it a new incarnation begins`()
    async throws
  {
    let fixture = try await EngineFixture()
    let first = try await fixture.save(.create("h1"))
    _ = try await fixture.modify([.delete("h1")])
    #expect(try await fixture.failure(of: .update(first)).code == .notFound)
    fixture.server.clock.advance(by: 1000)
    let again = try await fixture.save(.create("h1"))
    #expect(again.created?.time == fixture.server.clock.now)
  }

  @Test func `SAV-08 whoever saves second gets the conflict and can merge`() async throws {
    let fixture = try await EngineFixture()
    let base = try await fixture.save(.create("h1", ["km": .int64(1)]))
    try await fixture.save(.update(base, ["km": .int64(2)]), as: fixture.phone)
    let error = try await fixture.failure(of: .update(base, ["km": .int64(3)]), as: fixture.tablet)
    let server = try #require(error.serverRecord)
    let merged = try await fixture.save(.update(server, ["km": .int64(3)]), as: fixture.tablet)
    #expect(try await fixture.fetch("h1") == merged)
  }

  @Test func `SAV-09 SAV-10 a forced update ignores the tag and keeps other fields`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1", ["km": .int64(1), "title": .string("Ridge")]))
    try await fixture.save(.force("h1", ["km": .int64(2)]), as: fixture.tablet)
    let stale = RecordOperation.make(
      .forceUpdate, "h1", ["title": .string("Lake")], type: "Hike", tag: "zzz")
    let record = try await fixture.save(stale)
    #expect(record.fields == ["km": .int64(2), "title": .string("Lake")])
  }

  @Test func `SAV-11 SAV-41 fields that a forced update does not name stay`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1", ["km": .int64(1), "extra": .string("kept")]))
    let record = try await fixture.save(.force("h1", ["km": .int64(5)]))
    #expect(record.fields["extra"] == .string("kept"))
  }

  @Test func `a replace removes the fields that it does not name`() async throws {
    let fixture = try await EngineFixture()
    let first = try await fixture.save(.create("h1", ["km": .int64(1), "title": .string("Ridge")]))
    let replace = RecordOperation.make(
      .replace, "h1", ["km": .int64(2)], type: "Hike", tag: first.changeTag)
    #expect(try await fixture.save(replace).fields == ["km": .int64(2)])
    let force = RecordOperation.make(.forceReplace, "h1", [:], type: "Hike", tag: nil)
    #expect(try await fixture.save(force).fields == [:])
  }

  @Test(arguments: [RecordOperation.Kind.forceUpdate, .forceReplace])
  func `a forced save makes the record if it is missing`(_ kind: RecordOperation.Kind) async throws
  {
    let fixture = try await EngineFixture()
    let record = try await fixture.save(
      .make(kind, "h1", ["km": .int64(1)], type: "Hike", tag: nil))
    #expect(record.fields["km"] == .int64(1))
  }

  @Test func `a null removes the field`() async throws {
    let fixture = try await EngineFixture()
    let first = try await fixture.save(.create("h1", ["km": .int64(1), "title": .string("Ridge")]))
    let second = try await fixture.save(.update(first, ["km": nil as FieldValue?]))
    #expect(second.fields == ["title": .string("Ridge")])
  }

  @Test func `SAV-12 fields of another client's schema survive a round trip`() async throws {
    let fixture = try await EngineFixture()
    let first = try await fixture.save(
      .create("h1", ["km": .int64(1), "fromTheFuture": .string("x")]), as: fixture.tablet)
    let second = try await fixture.save(.update(first, ["km": .int64(2)]))
    #expect(second.fields["fromTheFuture"] == .string("x"))
  }

  @Test func `SAV-14 SAV-15 one record twice in a request is refused as a whole`() async throws {
    let fixture = try await EngineFixture()
    for operations in [
      [RecordOperation.create("h1"), .force("h1")], [.create("h1"), .delete("h1")],
    ] {
      let error = try await ruleFailure { try await fixture.modify(operations) }
      #expect(error.code == .badRequest)
      #expect(error.reason.contains("'h1'"))
    }
    #expect(try await fixture.exists("h1") == false)
  }

  @Test func `SAV-16 more operations than the limit are refused with both numbers`() async throws {
    let fixture = try await EngineFixture(limits: .tiny)
    let operations = (0..<11).map { RecordOperation.create("h\($0)") }
    let error = try await ruleFailure { try await fixture.modify(operations) }
    #expect(error.code == .limitExceeded)
    #expect(error.reason.contains("11"))
    #expect(error.reason.contains("10"))
    #expect(try await fixture.modify(Array(operations.dropLast())).allSucceeded)
  }

  @Test func `SAV-20 a record above the size limit is refused, at the limit it is not`()
    async throws
  {
    let fixture = try await EngineFixture(limits: .tiny)
    let fits = [UInt8](repeating: 1, count: 4096 - "blob".utf8.count)
    try await fixture.save(.create("h1", ["blob": .bytes(fits)]))
    let error = try await fixture.failure(of: .create("h2", ["blob": .bytes(fits + [1])]))
    #expect(error.code == .limitExceeded)
    #expect(error.reason.contains("'h2' is too large"))
  }

  @Test func `SAV-36 a record can be deleted and saved again under its name`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1"))
    let token = try await fixture.changes().token
    _ = try await fixture.modify([.delete("h1")])
    try await fixture.save(.create("h1"))
    #expect(try await fixture.changes(since: token).summary == ["+h1"])
  }

  @Test func `tags are short and never repeat in a database`() async throws {
    let fixture = try await EngineFixture()
    var tags: Set<String> = []
    for index in 0..<50 { tags.insert(try await fixture.save(.create("h\(index)")).changeTag) }
    #expect(tags.count == 50)
    #expect(tags.allSatisfy { $0.count <= 3 })
  }

  @Test func `the type of a record cannot change`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1"))
    let error = try await fixture.failure(of: .force("h1", type: "Lake"))
    #expect(error.code == .badRequest)
    #expect(error.reason.contains("'Hike'"))
  }
}
