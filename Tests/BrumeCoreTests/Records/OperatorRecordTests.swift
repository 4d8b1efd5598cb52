// Records as operators read and change them: everything, or what one user sees and may do.

import BrumeCore
import BrumeModel
import BrumeSchema
import BrumeStorage
import BrumeTestKit
import Testing

struct OperatorRecordTests {
  private func found(
    _ fixture: EngineFixture, _ view: OpenedView, _ filters: [Filter] = [],
    zone: ZoneID? = EngineFixture.trails
  ) async throws -> (names: [String], cost: QueryCost) {
    let request = QueryRequest(
      query: Query(recordType: "Hike", filters: filters), zone: view.scope == .public ? nil : zone)
    let (page, cost) = try await fixture.engine.queries.explained(
      view.addressed(request), in: view.scope, as: view.caller)
    return (page.records.map(\.name), cost)
  }

  private func modify(
    _ fixture: EngineFixture, _ view: OpenedView, _ operations: [RecordOperation],
    zone: ZoneID? = EngineFixture.trails
  ) async throws -> [RecordResult] {
    let request = ModifyRecordsRequest(
      zone: view.scope == .public ? nil : zone, operations: operations)
    return try await fixture.engine.records.modify(
      view.addressed(request), in: view.scope, as: view.caller)
  }

  @Test func `an operator sees all records of a user, another user what is shared with them`()
    async throws
  {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    try await fixture.save(.create("private"))
    try await fixture.join(share, as: fixture.bob)
    let all = try await fixture.operatorView(.private, of: "alice")
    #expect(try await found(fixture, all).names == ["private", "root"])
    let bobs = try await fixture.operatorView(.private, of: "alice", as: "bob")
    #expect(try await found(fixture, bobs).names == ["root"])
    let shared = try await fixture.operatorView(.shared, of: "alice", as: "bob")
    #expect(try await found(fixture, shared).names == ["root"])
  }

  @Test func `an operator reads what apps save as encrypted`() async throws {
    let fixture = try await EngineFixture()
    var draft = RecordDraft(name: "h1", type: "Hike")
    draft.fields = ["secret": DraftField(.string("nobody else's"), isEncrypted: true)]
    let saved = try await fixture.save(RecordOperation(.create, draft))
    #expect(saved.encryptedFields == ["secret"])
    let view = try await fixture.operatorView(.private, of: "alice")
    let request = QueryRequest(query: Query(recordType: "Hike"), zone: EngineFixture.trails)
    let (page, _) = try await fixture.engine.queries.explained(
      view.addressed(request), in: view.scope, as: view.caller)
    #expect(try page.records.map { try $0.record().fields["secret"] } == [.string("nobody else's")])
  }

  @Test func `what an operator changes is the user's change, with log entry and feed`() async throws
  {
    let fixture = try await EngineFixture()
    let token = try await fixture.changes().token
    let view = try await fixture.operatorView(.private, of: "alice")
    let results = try await modify(fixture, view, [.create("h1", ["km": .int64(3)])])
    #expect(results.allSucceeded)
    #expect(try await fixture.fetch("h1").created?.user == fixture.phone.user)
    #expect(try await fixture.changes(since: token).summary == ["+h1"])
    let origin = try #require(try await fixture.log().last).origin
    #expect(origin.user == fixture.phone.user)
    #expect(origin.device == nil, "so that every device of the user is notified")
    #expect(origin.requestID == "operator")
  }

  @Test func `an operator's update with an old tag is a conflict with the server's record`()
    async throws
  {
    let fixture = try await EngineFixture()
    let old = try await fixture.save(.create("h1", ["km": .int64(3)]))
    try await fixture.save(.update(old, ["km": .int64(4)]))
    let view = try await fixture.operatorView(.private, of: "alice")
    let results = try await modify(fixture, view, [.update(old, ["km": .int64(5)])])
    #expect(results[0].error?.code == .conflict)
    #expect(results[0].error?.serverRecord?.fields["km"] == .int64(4))
  }

  @Test func `in the public database the operator may what a user may not`() async throws {
    let fixture = try await EngineFixture()
    let record = try await fixture.save(.create("p1", ["km": .int64(1)]), in: .public)
    let asBob = try await fixture.operatorView(.public, as: "bob")
    let refused = try await modify(fixture, asBob, [.update(record, ["km": .int64(2)])])
    #expect(refused[0].error?.code == .accessDenied)
    let underBob = try await fixture.operatorView(.public, of: "bob")
    let done = try await modify(fixture, underBob, [.update(record, ["km": .int64(2)])])
    #expect(done.allSucceeded)
    #expect(
      try await fixture.fetch("p1", in: .public).modified?.user == fixture.bob.user)
  }

  @Test func `a change in nobody's name is refused`() async throws {
    let fixture = try await EngineFixture()
    let view = try await fixture.operatorView(.public)
    let error = try await ruleFailure { try view.requireWriter() }
    #expect(error.reason.contains("'user'"))
  }

  @Test func `a query says where it looked and how many records it looked at`() async throws {
    let fixture = try await EngineFixture()
    for km in 0..<5 { try await fixture.save(.create("h\(km)", ["km": .int64(Int64(km))])) }
    let view = try await fixture.operatorView(.private, of: "alice")
    let (names, cost) = try await found(
      fixture, view, [Filter(.greaterThan, .field("km"), .int64(2))])
    #expect(names == ["h3", "h4"])
    #expect(cost.sources == ["every record of the type"], "the memory engine has no index")
    #expect(cost.rows == 5)
    #expect(cost.missing == [])
  }

  @Test func `a query that lacks indexes is not run and names all of them`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1", ["km": .int64(1), "title": .string("x")]))
    for field in ["km", "title"] {
      for index in [Schema.Index.queryable, .sortable] {
        try await fixture.engine.schemas.setIndex(
          index, on: field, of: "Hike", to: false, in: TestContainer.development)
      }
    }
    let view = try await fixture.operatorView(.private, of: "alice")
    let (names, cost) = try await found(
      fixture, view,
      [Filter(.equals, .field("km"), .int64(1)), Filter(.equals, .field("title"), .string("x"))])
    #expect(names == [])
    #expect(cost.missing.map(\.field) == ["km", "title"])
    #expect(cost.missing.map(\.index) == ["queryable", "queryable"])
  }

  @Test func `an operator looks through a type that no app may list`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1"))
    try await fixture.engine.schemas.setIndex(
      .queryable, on: "___recordID", of: "Hike", to: false, in: TestContainer.development)
    let (names, cost) = try await found(
      fixture, try await fixture.operatorView(.private, of: "alice"))
    #expect(names == ["h1"])
    #expect(cost.missing.map(\.field) == ["___recordID"])
    let (hidden, _) = try await found(
      fixture, try await fixture.operatorView(.private, of: "alice", as: "alice"))
    #expect(hidden == [], "as the user it is refused as theirs would be")
  }
}
